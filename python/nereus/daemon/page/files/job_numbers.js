// SPDX-License-Identifier: BSD-3-Clause
// Times, amounts and numbers of ranks as people read them.

const TIMES = [
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "µs"],
  [1e-9, "ns"],
];
const BYTES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

export function secondsText(seconds) {
  const [length, sign] = TIMES.find(([each]) => seconds >= 0.9995 * each) ?? TIMES.at(seconds > 0 ? -1 : 0);
  return `${threeDigits(seconds / length)} ${sign}`;
}

export function bytesText(bytes) {
  let [value, unit] = [bytes, 0];
  while (value >= 0.9995 * 1024 && unit < BYTES.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 && Number.isInteger(value) ? value : threeDigits(value)} ${BYTES[unit]}`;
}

export function ranksText(ranks) {
  return ranks === 1 ? "1 rank" : `${ranks} ranks`;
}

export function percentText(share) {
  return `${Math.round(100 * share)} %`;
}

function threeDigits(value) {
  return value >= 999.5 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}
