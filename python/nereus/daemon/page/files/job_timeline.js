// SPDX-License-Identifier: BSD-3-Clause
// Draws seconds of iterations and numbers of ranks over time as SVG. Texts go in as texts, never as markup.
// A view is a window of time, {begin, end, now}, and {width} in pixels.

import { clock, LEFT, node, x } from "./drawing.js";
import { ranksText, secondsText } from "./job_numbers.js";

const HIGH = 150;
const TOP = 14;
const FLOOR = 144;
const RANKS = { top: 20, floor: 80, marks: 8, height: 90 };
const LINES = 4; // at most, across

export function drawIterations(svg, story, view, cursor) {
  const shown = columns(story.iterations, view);
  const peak = Math.max(0, ...shown.map((each) => each.most));
  const y = (seconds) => FLOOR - (peak === 0 ? 0 : seconds / peak) * (FLOOR - TOP);
  svg.replaceChildren(
    ...away(story, view, HIGH),
    ...levels(peak).map((level) => line(y(level), view)),
    node("line", { class: "floor", x1: LEFT, x2: view.width, y1: FLOOR, y2: FLOOR }),
    ...spreadOf(shown, y),
    ...lineOf(shown, y),
    ...levels(peak).map((level) => node("text", { class: "scale", x: LEFT, y: y(level) - 3 }, secondsText(level))),
    ...cursorAt(cursor, view, y),
  );
  svg.setAttribute("aria-label", peak === 0 ? "No iteration is known in this window" : iterationsLabel(shown, peak));
}

export function drawRanks(svg, story, view, chosen) {
  const steps = story.steps.filter((step, index, all) => step.at < view.end && !(all[index + 1]?.at <= view.begin));
  const peak = Math.max(1, ...steps.map((step) => step.ranks));
  const y = (ranks) => RANKS.floor - (ranks / peak) * (RANKS.floor - RANKS.top);
  svg.replaceChildren(
    ...away(story, view, RANKS.height),
    node("line", { class: "floor", x1: LEFT, x2: view.width, y1: RANKS.floor, y2: RANKS.floor }),
    node("text", { x: LEFT - 6, y: RANKS.top + 4, "text-anchor": "end" }, String(peak)),
    node("text", { x: LEFT - 6, y: RANKS.floor + 4, "text-anchor": "end" }, "0"),
    ...areaOf(steps, story, view, y),
    ...marksOf(story, view, chosen),
  );
}

// In words, where a pointer or the keys are.
export function readingOf(sample) {
  const spread = sample.least === null ? "" : ` (${secondsText(sample.least)} to ${secondsText(sample.most)})`;
  const done = sample.iteration === null ? "" : `${sample.iteration} iterations done, `;
  return `${clock(sample.time_unix)}: ${done}${secondsText(sample.seconds)} each${spread}, ${ranksText(sample.ranks)}`;
}

// Samples that fall on one pixel become one, so that a day has no more points than pixels.
function columns(samples, view) {
  const found = [];
  for (const sample of samples) {
    if (sample.time_unix < view.begin || sample.time_unix > view.end) continue;
    const at = x(view, sample.time_unix);
    const [least, most] = [sample.least ?? sample.seconds, sample.most ?? sample.seconds];
    const last = found.at(-1);
    if (last !== undefined && at - last.at < 1) {
      last.least = Math.min(last.least, least);
      last.most = Math.max(last.most, most);
      last.seconds = sample.seconds;
    } else {
      found.push({ at, seconds: sample.seconds, least, most });
    }
  }
  return found;
}

function levels(peak) {
  if (peak === 0) return [];
  const raw = peak / LINES;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw);
  return Array.from({ length: Math.floor(peak / step) }, (_, index) => (index + 1) * step);
}

function line(y, view) {
  return node("line", { class: "grid", x1: LEFT, x2: view.width, y1: y, y2: y });
}

function lineOf(shown, y) {
  if (shown.length === 0) return [];
  if (shown.length === 1) return [node("circle", { class: "cursor-dot", cx: shown[0].at, cy: y(shown[0].seconds), r: 2 })];
  return [node("path", { class: "seconds", d: `M${shown.map((each) => `${each.at} ${y(each.seconds)}`).join("L")}` })];
}

// From the fastest to the slowest of a second.
function spreadOf(shown, y) {
  if (shown.length < 2 || shown.every((each) => each.least === each.most)) return [];
  const upper = shown.map((each) => `${each.at} ${y(each.most)}`);
  const lower = shown.toReversed().map((each) => `${each.at} ${y(each.least)}`);
  return [node("path", { class: "spread", d: `M${[...upper, ...lower].join("L")}Z` })];
}

function cursorAt(sample, view, y) {
  if (sample === null || sample.time_unix < view.begin || sample.time_unix > view.end) return [];
  const at = x(view, sample.time_unix);
  return [
    node("line", { class: "cursor", x1: at, x2: at, y1: TOP, y2: FLOOR }),
    node("circle", { class: "cursor-dot", cx: at, cy: y(sample.seconds), r: 3 }),
  ];
}

function iterationsLabel(shown, peak) {
  const last = shown.at(-1).seconds;
  return `Seconds of an iteration over time: ${secondsText(last)} at the end of this window, ${secondsText(peak)} at most`;
}

// Where its supervisor did not answer.
function away(story, view, height) {
  return story.gaps.flatMap(({ from, until }) => {
    const [left, right] = [Math.max(from, view.begin), Math.min(until ?? view.now, view.end)];
    if (right <= left) return [];
    const place = { x: x(view, left), y: 0, width: x(view, right) - x(view, left), height };
    return [node("rect", { class: "away", ...place, fill: "url(#away)" }, node("title", {}, "no answer"))];
  });
}

function areaOf(steps, story, view, y) {
  const last = story.samples.at(-1)?.time_unix;
  if (steps.length === 0) return [];
  const place = (time) => x(view, Math.min(Math.max(time, view.begin), view.end));
  const tops = steps.map((step, index) => {
    const until = steps[index + 1]?.at ?? Math.max(last, step.at);
    return `L${place(step.at)} ${y(step.ranks)}H${place(until)}`;
  });
  const [left, right] = [place(steps[0].at), place(Math.max(last, steps.at(-1).at))];
  const ranks = steps.map((step) => step.ranks).join(", then ");
  const area = `M${left} ${RANKS.floor}${tops.join("")}L${right} ${RANKS.floor}Z`;
  return [node("path", { class: "ranks", d: area }, node("title", {}, `ranks: ${ranks}`))];
}

const GREW = "M0 -6L6 5H-6Z";
const SHRANK = "M0 6L6 -5H-6Z";
const CROSS = "M-4 -4L4 4M4 -4L-4 4";

function marksOf(story, view, chosen) {
  return story.resizes.flatMap((resize, index) => {
    if (resize.time_unix < view.begin || resize.time_unix > view.end) return [];
    const text = `${clock(resize.time_unix)}: ${resize.sentence}`;
    const shape = resize.done ? (resize.to >= resize.from ? GREW : SHRANK) : CROSS;
    const kind = resize.done ? "resized" : "refused";
    const about = { d: shape, transform: `translate(${x(view, resize.time_unix)} ${RANKS.marks})` };
    const use = { tabindex: 0, role: "button", "aria-label": text, "data-resize": index };
    const isChosen = resize.time_unix === chosen ? " chosen" : "";
    return [node("path", { class: `mark ${kind}${isChosen}`, ...about, ...use }, node("title", {}, text))];
  });
}
