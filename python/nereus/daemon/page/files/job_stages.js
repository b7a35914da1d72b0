// SPDX-License-Identifier: BSD-3-Clause
// What the stages of an iteration take: a bar for each generation, and a table of the latest. Texts go in as texts.

import { node } from "./drawing.js";
import { percentText, ranksText, secondsText } from "./job_numbers.js";

const WIDTH = 1000; // of a bar's own coordinates
const MOST_BARS = 8;
const CLASSES = { computation: "computation", communication: "communication", "I/O": "io" };

export function drawStages(place, stages, pace) {
  const shown = [...(pace === null ? [] : [ofNow(pace)]), ...stages.slice(-MOST_BARS).reverse().map(ofGeneration)];
  place.replaceChildren(...shown.flatMap((each, index) => [title(each), bar(each), ...(index === 0 ? [table(each)] : [])]));
  return shown.length > 0;
}

function ofGeneration({ generation, ranks, iterations, seconds, parts }) {
  const on = ranks === null ? "" : ` with ${ranksText(ranks)}`;
  return { name: `generation ${generation}${on}, mean of ${iterations} iterations`, seconds, parts };
}

// As rank 0 tells the daemon about every second.
function ofNow(pace) {
  const known = [
    { name: "computation", kind: "computation", seconds: pace.compute_seconds },
    { name: "communication", kind: "communication", seconds: pace.communication_seconds },
  ].filter((part) => part.seconds !== null);
  const rest = pace.iteration_seconds - known.reduce((sum, part) => sum + part.seconds, 0);
  const other = rest > 0 ? [{ name: "other", kind: "other", seconds: rest }] : [];
  return { name: "now, on rank 0", seconds: pace.iteration_seconds, parts: [...known, ...other] };
}

// Whether the daemon knows more of it than how long an iteration is.
export function tellsStages(pace) {
  return pace !== null && (pace.compute_seconds !== null || pace.communication_seconds !== null);
}

function title({ name, seconds }) {
  return element("p", "of-generation", `${name}: ${secondsText(seconds)}`);
}

function bar({ name, parts }) {
  const whole = parts.reduce((sum, part) => sum + part.seconds, 0);
  const share = (part) => (whole > 0 ? part.seconds / whole : 0);
  let at = 0;
  const pieces = parts.map((part) => {
    const width = WIDTH * share(part);
    const text = `${part.name}: ${secondsText(part.seconds)}, ${percentText(share(part))}`;
    const piece = node("rect", { class: kindOf(part), x: at, y: 0, width, height: 22 }, node("title", {}, text));
    at += width;
    return piece;
  });
  const told = parts.map((part) => `${part.name} ${percentText(share(part))}`).join(", ");
  const about = { class: "stage-bar", viewBox: `0 0 ${WIDTH} 22`, preserveAspectRatio: "none", role: "img" };
  return node("svg", { ...about, "aria-label": `${name}: ${told}` }, ...pieces);
}

function table({ parts }) {
  const whole = parts.reduce((sum, part) => sum + part.seconds, 0);
  const rows = parts.map((part) =>
    row("td", swatch(part), part.name, part.kind, secondsText(part.seconds), whole > 0 ? percentText(part.seconds / whole) : ""),
  );
  const made = element("table", "stages", "");
  made.append(row("th", "", "stage", "kind", "each iteration", "share"), ...rows);
  return made;
}

function row(tag, ...cells) {
  const made = document.createElement("tr");
  made.append(
    ...cells.map((cell, index) => {
      const place = element(tag, index >= 3 ? "number" : "", "");
      place.append(cell);
      return place;
    }),
  );
  return made;
}

function swatch(part) {
  const square = node("rect", { class: kindOf(part), width: 12, height: 12 });
  return node("svg", { width: 12, height: 12, "aria-hidden": "true" }, square);
}

function kindOf(part) {
  return CLASSES[part.kind] ?? "other";
}

function element(tag, kind, text) {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  made.textContent = text;
  return made;
}
