// SPDX-License-Identifier: BSD-3-Clause
// Colours of amounts: from violet to yellow, whose lightness rises evenly, so that people with any colour vision, and a
// print without colours, order them alike. Its ends differ from the ground of a light page and of a dark one.

const STOPS = [
  [70, 50, 126],
  [60, 82, 139],
  [42, 120, 142],
  [34, 168, 132],
  [122, 209, 81],
  [240, 205, 30],
];
const LONGEST = 1e6; // what a logarithmic scale spans at most

// Between 0 and 1.
export function share(amount, { least, most }, scale) {
  if (scale === "linear") return amount / most;
  const low = Math.max(least, most / LONGEST);
  return most <= low ? 1 : Math.max(0, Math.log(amount / low) / Math.log(most / low));
}

export function colourAt(part) {
  const place = Math.min(1, Math.max(0, part)) * (STOPS.length - 1);
  const index = Math.min(STOPS.length - 2, Math.floor(place));
  const mixed = STOPS[index].map((low, at) => Math.round(low + (STOPS[index + 1][at] - low) * (place - index)));
  return `rgb(${mixed.join(" ")})`;
}

export function drawColours(canvas) {
  const on = canvas.getContext("2d");
  for (let at = 0; at < canvas.width; at += 1) {
    on.fillStyle = colourAt(at / (canvas.width - 1));
    on.fillRect(at, 0, 1, canvas.height);
  }
}
