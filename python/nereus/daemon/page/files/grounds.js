// SPDX-License-Identifier: BSD-3-Clause
// The numbers that a decision rests on. Its event has none of them: they are computed from the events before it, in the
// way in which the daemon predicts (python/nereus/policy/prediction.py). Knows nothing of the page.

const MOST_PHASES = 6; // the daemon's default: the latest five periods predict the next

// Of the job that was decided about, then of each that the reason names.
export function groundsOf(decision, story) {
  const before = story.events.slice(0, story.events.indexOf(decision));
  const own = lifeAt(story, decision.job, decision.time_unix);
  const others = namedIn(decision.why ?? "", story, decision);
  return [own ?? { key: decision.job, name: story.nameOf(decision) }, ...others].map((job) =>
    groundsOfJob(job, before, job.key === decision.job),
  );
}

// What became of it, or whose outcome an event is: they have the same job and number of command.
export function belongingTo(event, story) {
  if (!Number.isInteger(event.command)) return [];
  return story.events.filter(
    (each) => each !== event && each.job === event.job && each.command === event.command && each.decision,
  );
}

function lifeAt(story, key, time) {
  return [...story.jobs.values()].findLast((job) => job.key === key && job.from <= time) ?? null;
}

// Reasons have the key of a job, or its name where that is known.
function namedIn(text, story, decision) {
  const found = new Map();
  for (const job of story.jobs.values()) {
    if (job.key === decision.job || job.from > decision.time_unix) continue;
    if ([job.name, job.key].some((name) => hasWord(text, name))) found.set(job.key, job);
  }
  return [...found.values()];
}

// Names have dots inside, and sentences at their ends.
function hasWord(text, word) {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const goesOn = /^\.?[\p{L}\p{N}_-]/u.test(text.slice(at + word.length));
    if (!goesOn && !/[\p{L}\p{N}_-]\.?$/u.test(text.slice(0, at))) return true;
  }
  return false;
}

function groundsOfJob(job, before, own) {
  const events = before.filter((event) => event.job === job.key);
  const sized = events.findLast((event) => event.event === "came" || event.event === "resized") ?? null;
  const all = events.filter((event) => event.event === "wrote");
  const resizes = events.filter((event) => event.event === "resized").map((event) => event.number);
  return { job, own, sized, io: ioOf(atPresentSize(all).slice(-MOST_PHASES), resizes), paces: pacesOf(all, resizes) };
}

// The latest without a break.
function atPresentSize(phases) {
  const other = phases.findLastIndex((phase) => phase.ranks !== phases.at(-1).ranks);
  return phases.slice(other + 1);
}

// When it would write next, had nothing been done; null where there is no I/O phase to tell from.
function ioOf(phases, resizes) {
  if (phases.length === 0) return null;
  const gaps = pairs(phases, resizes).map(([earlier, later]) => later.start_unix - endOf(earlier));
  const duration = mean(phases.map((phase) => phase.service_seconds));
  const between = gaps.length === 0 ? null : mean(gaps);
  const next = between === null ? null : endOf(phases.at(-1)) + between;
  return { phases, duration, between, next };
}

// How long an iteration took from the end of an I/O phase to the next one, at each number of ranks.
function pacesOf(phases, resizes) {
  const found = new Map();
  for (const [earlier, later] of pairs(phases, resizes)) {
    const iterations = later.iteration - earlier.iteration;
    const seconds = (later.start_unix - endOf(earlier)) / iterations;
    if (earlier.ranks !== later.ranks || iterations < 1 || !(seconds > 0)) continue;
    const known = found.get(later.ranks) ?? { ranks: later.ranks, each: [], last: null };
    known.each.push(seconds);
    known.last = later;
    found.set(later.ranks, known);
  }
  return [...found.values()]
    .map(({ ranks, each, last }) => ({ ranks, seconds: mean(each), of: each.length, last }))
    .sort((one, other) => one.ranks - other.ranks);
}

// Neighbours, between which it was not resized.
function pairs(phases, resizes) {
  return phases
    .slice(1)
    .map((later, index) => [phases[index], later])
    .filter(([earlier, later]) => !resizes.some((number) => number > earlier.number && number < later.number));
}

function endOf(phase) {
  return phase.start_unix + phase.wait_seconds + phase.service_seconds;
}

function mean(numbers) {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}
