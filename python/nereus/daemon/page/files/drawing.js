// SPDX-License-Identifier: BSD-3-Clause
// Draws the time line as SVG: the axis, and a lane for each job. Texts go in as texts, never as markup.
// A view is a window of time, {begin, end, now}, and {width} in pixels.

import { spans } from "./story.js";

const SVG = "http://www.w3.org/2000/svg";
const HALF_A_TIME = 32; // px, of its text, which would be cut off at the right
export const LEFT = 34; // room for the numbers of ranks
const TOP = 12; // room for marks
const FLOOR = 52; // where 0 ranks are drawn
const STRIP = { y: 57, height: 13 };
const BOTTOM = 74;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
const BETWEEN_TICKS = 90; // pixels

export function node(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function x(view, time) {
  return LEFT + ((time - view.begin) / (view.end - view.begin)) * (view.width - LEFT);
}

export function clock(time, withDay = false) {
  const at = new Date(time * 1000);
  const two = (number) => String(number).padStart(2, "0");
  const hours = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":");
  return withDay ? `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${hours}` : hours;
}

export function drawAxis(svg, view, away) {
  const whole = ticks(view).filter((time) => x(view, time) + HALF_A_TIME <= view.width);
  const marks = whole.map((time) => node("text", { x: x(view, time), y: 14, "text-anchor": "middle" }, tick(time)));
  svg.replaceChildren(...bands(view, away, 22), ...marks);
  svg.setAttribute("aria-label", `Time from ${clock(view.begin, true)} to ${clock(view.end, true)}`);
}

// Where a day begins, which.
function tick(time) {
  const [day, hours] = clock(time, true).split(" ");
  return hours === "00:00:00" ? day : hours;
}

export function drawLane(svg, job, view, away, chosen) {
  const steps = within(job, view);
  const peak = Math.max(1, ...steps.map((step) => step.ranks));
  const y = (ranks) => FLOOR - (ranks / peak) * (FLOOR - TOP);
  svg.replaceChildren(
    ...ticks(view).map((time) => vertical(view, time, "grid")),
    ...bands(view, away, BOTTOM),
    node("line", { class: "floor", x1: LEFT, x2: view.width, y1: FLOOR, y2: FLOOR }),
    node("text", { x: LEFT - 6, y: TOP + 4, "text-anchor": "end" }, String(peak)),
    node("text", { x: LEFT - 6, y: FLOOR + 4, "text-anchor": "end" }, "0"),
    node("text", { x: LEFT - 6, y: STRIP.y + 11, "text-anchor": "end" }, "I/O"),
    ...ranksOf(job, view, steps, y),
    ...barsOf(job, view, chosen),
    ...expectedOf(job, view),
    ...(view.now < view.end ? [vertical(view, view.now, "now")] : []),
    ...marksOf(job, view, chosen),
  );
}

export function alive(job, view) {
  return job.from <= view.end && (job.until ?? view.now) >= view.begin;
}

function ticks(view) {
  const least = ((view.end - view.begin) * BETWEEN_TICKS) / Math.max(BETWEEN_TICKS, view.width - LEFT);
  const step = STEPS.find((each) => each >= least) ?? Math.ceil(least / 86400) * 86400;
  // Full hours and days are those of the reader's clock.
  const shift = new Date(view.begin * 1000).getTimezoneOffset() * 60;
  const first = Math.ceil((view.begin - shift) / step) * step + shift;
  const all = [];
  for (let time = first; time <= view.end; time += step) all.push(time);
  return all;
}

function vertical(view, time, kind) {
  const at = x(view, time);
  return node("line", { class: kind, x1: at, x2: at, y1: 0, y2: BOTTOM });
}

// Where no daemon was there.
function bands(view, away, height) {
  return away
    .map(({ from, until }) => clipped(view, from, until ?? view.now))
    .filter((span) => span !== null)
    .map(([from, until]) =>
      node("rect", { class: "away", x: from, y: 0, width: until - from, height, fill: "url(#away)" }),
    );
}

function clipped(view, from, until) {
  const [left, right] = [Math.max(from, view.begin), Math.min(until, view.end)];
  return right > left ? [x(view, left), x(view, right)] : null;
}

// Those numbers of ranks that it has in the window.
function within(job, view) {
  return job.steps.filter((step, index) => {
    const next = job.steps[index + 1];
    return step.at < view.end && (next === undefined || next.at > view.begin);
  });
}

function ranksOf(job, view, steps, y) {
  const span = clipped(view, job.from, job.until ?? view.now);
  if (span === null || steps.length === 0) return [];
  const tops = steps.map((step) => `L${Math.max(span[0], x(view, step.at))} ${y(step.ranks)}`);
  const levels = tops.map((top, index) => {
    const next = steps[index + 1];
    const until = next === undefined ? span[1] : Math.max(span[0], x(view, next.at));
    return `${top}H${until}`;
  });
  const area = `M${span[0]} ${FLOOR}${levels.join("")}L${span[1]} ${FLOOR}Z`;
  return [node("path", { class: "ranks", d: area })];
}

// Spans that lie within one pixel of each other become one, so that a day has no more bars than pixels.
function barsOf(job, view, chosen) {
  const bars = [];
  for (const span of spans(job, view.now)) {
    const place = clipped(view, span.from, span.until);
    if (place === null) continue;
    const last = bars.findLast((bar) => bar.kind === span.kind);
    if (last !== undefined && last === bars.at(-1) && place[0] - last.right < 1) {
      last.right = Math.max(last.right, place[1]);
      last.several = true;
      last.chosen ||= span.event === chosen;
    } else {
      const isChosen = span.event === chosen;
      bars.push({ kind: span.kind, left: place[0], right: place[1], span, several: false, chosen: isChosen });
    }
  }
  return bars.map(bar);
}

function bar({ kind, left, right, span, several, chosen }) {
  const waits = kind === "waiting";
  const title = several ? `several I/O phases: ${kind}` : `${waits ? "waits" : "writes"}: ${span.event.sentence}`;
  return node(
    "rect",
    {
      class: `bar ${kind}${chosen ? " chosen" : ""}`,
      x: left,
      y: STRIP.y,
      width: Math.max(1, right - left),
      height: STRIP.height,
      ...(waits ? { fill: "url(#waiting)" } : {}),
      "data-number": span.event.number,
    },
    node("title", {}, title),
  );
}

function expectedOf(job, view) {
  const at = job.now?.next_io_unix;
  if (typeof at !== "number" || at < view.now) return [];
  const place = clipped(view, at, at + job.now.io_seconds);
  if (place === null) return [];
  const shape = { class: "expected", x: place[0], y: STRIP.y, width: place[1] - place[0], height: STRIP.height };
  return [node("rect", shape, node("title", {}, `next I/O expected at ${clock(at)}`))];
}

const SHAPES = {
  decided: () => "M0 -6L6 0L0 6L-6 0Z",
  resized: (event) => (event.ranks >= event.before ? "M0 -6L6 5H-6Z" : "M0 6L6 -5H-6Z"),
};
const CROSS = "M-4 -4L4 4M4 -4L-4 4";

function marksOf(job, view, chosen) {
  const shown = job.marks.filter((event) => event.time_unix >= view.begin && event.time_unix <= view.end);
  const lines = shown.filter((event) => event.event === "resized").flatMap((event) => carriedOut(job, event, view));
  return [...lines, ...shown.map((event) => mark(event, view, event === chosen))];
}

// From the decision to its outcome.
function carriedOut(job, done, view) {
  const decided = job.marks.find((event) => event.event === "decided" && event.command === done.command);
  const place = decided && clipped(view, decided.time_unix, done.time_unix);
  return place ? [node("path", { class: "carried-out", d: `M${place[0]} 7H${place[1]}` })] : [];
}

function mark(event, view, isChosen) {
  const kind = event.event in SHAPES ? event.event : "refused";
  const why = event.reason ? ` (${event.reason})` : "";
  const text = `${clock(event.time_unix)}: ${event.sentence}${why}`;
  return node(
    "path",
    {
      class: `mark ${kind}${isChosen ? " chosen" : ""}`,
      d: SHAPES[kind]?.(event) ?? CROSS,
      transform: `translate(${x(view, event.time_unix)} 7)`,
      tabindex: 0,
      role: "button",
      "aria-label": text,
      "data-number": event.number,
    },
    node("title", {}, text),
  );
}
