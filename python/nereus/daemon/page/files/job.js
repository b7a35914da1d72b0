// SPDX-License-Identifier: BSD-3-Clause
// The page of one job: asks again and again, keeps the window of time, and shows what was chosen.

import { clock, drawAxis, LEFT } from "./drawing.js";
import { drawColours } from "./job_colours.js";
import { besideText, HeatMap } from "./job_heat_map.js";
import { showResize, showResizes } from "./job_resizes.js";
import { drawStages, tellsStages } from "./job_stages.js";
import { JobStory } from "./job_story.js";
import { drawIterations, drawRanks, readingOf } from "./job_timeline.js";
import { messageOf, noIterationsText, noStagesText, NO_TRAFFIC, programText, standsText } from "./job_words.js";
import { bindTheme } from "./theme.js";
import { bindPointers, TimeWindow } from "./time_window.js";
import { bindButtons, bindMenu } from "./window_controls.js";

const EVERY = 1000; // ms, between looks
const PATIENCE = 20000; // ms, for one answer

const $ = (id) => document.getElementById(id);
const story = new JobStory();
const shown = new TimeWindow(300, { now, first: () => story.first() });
const heat = new HeatMap(
  { canvas: $("heat"), cell: $("cell"), least: $("least"), most: $("most") },
  () => ({ amount: $("amount").value, scale: $("scale").value }),
);
let behind = 0; // of this browser's clock, against that of nereus page
let lost = null; // since when nereus page does not answer
let chosen = null; // the time of a resize
let cursor = null; // a sample
let traffic = null; // that is drawn
let showWindow = () => {};

function now() {
  return story.ended ?? Date.now() / 1000 + behind;
}

async function look() {
  const since = story.since === null ? "" : `?since=${story.since}`;
  const answer = await fetch(`look${since}`, { signal: AbortSignal.timeout(PATIENCE) });
  if (!answer.ok) throw new Error(`it answers ${answer.status}`);
  return answer.json();
}

async function live() {
  try {
    const answer = await look();
    behind = answer.time_unix - Date.now() / 1000;
    lost = null;
    story.take(answer);
    say(messageOf(answer, story.gaps.at(-1)?.from ?? answer.time_unix), answer.ended_unix !== null);
  } catch (problem) {
    lost ??= now();
    say(`nereus page has not answered since ${clock(lost)} (${problem.message}). The page goes on asking.`);
  }
  draw();
  // Of what has ended there is nothing more to be told.
  if (story.ended === null) setTimeout(live, EVERY);
}

function say(text, good = false) {
  // Said again it would be read aloud again.
  if ($("message").textContent !== text) $("message").textContent = text;
  $("message").classList.toggle("good", good);
  $("message").hidden = text === "";
}

function draw() {
  drawAbout();
  drawTime();
  drawShares();
  drawTraffic();
}

function drawAbout() {
  const { job } = story;
  if (job === null) return;
  document.title = `${job.name} - Nereus`;
  $("name").textContent = job.name;
  $("program").textContent = programText(job);
  $("stands").textContent = standsText(story);
}

function drawTime() {
  const { begin, end } = shown;
  const view = { begin, end, now: now(), width: Math.max(200, $("axis").clientWidth) };
  const focused = document.activeElement?.dataset?.resize;
  drawAxis($("axis"), view, story.gaps);
  drawIterations($("iterations"), story, view, cursor);
  drawRanks($("ranks"), story, view, chosen);
  showResizes($("list"), story.resizes, chosen, choose);
  $("no-resizes").hidden = story.resizes.length > 0;
  tellIn($("no-iterations"), noIterationsText(story.job));
  showWindow();
  if (focused !== undefined) $("ranks").querySelector(`[data-resize="${Number(focused)}"]`)?.focus();
}

function drawShares() {
  const pace = story.ended === null ? (story.job?.pace ?? null) : null;
  const isTold = drawStages($("stages"), story.stages, tellsStages(pace) ? pace : null);
  tellIn($("no-stages"), isTold ? "" : noStagesText(story.job));
}

function drawTraffic() {
  const isNew = story.traffic !== traffic;
  traffic = story.traffic;
  $("traffic").hidden = traffic === null;
  tellIn($("no-traffic"), traffic === null ? NO_TRAFFIC : "");
  if (!isNew || traffic === null) return;
  heat.show(traffic);
  tellIn($("beside"), besideText(traffic));
}

function tellIn(place, text) {
  place.textContent = text;
  place.hidden = text === "";
}

function choose(resize) {
  chosen = resize?.time_unix ?? null;
  showResize($("details"), resize);
  if (resize !== null) shown.bringIn(resize.time_unix);
  drawTime();
}

function read(sample) {
  cursor = sample;
  $("reading").textContent = sample === null ? "" : readingOf(sample);
  drawTime();
}

function timeAt(clientX) {
  const { left, right } = span();
  return shown.begin + ((clientX - left) / (right - left)) * (shown.end - shown.begin);
}

function span() {
  const { left, right } = $("axis").getBoundingClientRect();
  return { left: left + LEFT, right };
}

function step(event) {
  const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (way === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  const all = story.iterations;
  const from = cursor === null ? all.length : all.findIndex((sample) => sample.number === cursor.number);
  const next = all[Math.min(all.length - 1, Math.max(0, from + way))] ?? null;
  if (next !== null) shown.bringIn(next.time_unix);
  read(next);
}

function resizeOf(target) {
  const found = target.closest("[data-resize]");
  return found === null ? null : (story.resizes[Number(found.dataset.resize)] ?? null);
}

function begin() {
  bindTheme($("theme"));
  bindPointers(shown, $("time"), span, drawTime);
  const buttons = { earlier: $("earlier"), later: $("later"), zoomIn: $("closer"), zoomOut: $("farther"), follow: $("follow") };
  const showButtons = bindButtons(shown, buttons, drawTime);
  const showMenu = bindMenu(shown, $("window"), drawTime);
  showWindow = () => {
    showButtons();
    showMenu();
  };
  $("iterations").addEventListener("pointermove", (event) => read(story.nearest(timeAt(event.clientX))));
  $("iterations").addEventListener("pointerleave", () => read(null));
  $("iterations").addEventListener("keydown", step);
  $("ranks").addEventListener("click", ({ target }) => choose(resizeOf(target)));
  $("ranks").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose(resizeOf(event.target));
  });
  for (const id of ["amount", "scale"]) $(id).addEventListener("change", () => heat.draw());
  // What is painted takes its colours once.
  $("theme").addEventListener("click", () => heat.draw());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => heat.draw());
  addEventListener("resize", () => {
    drawTime();
    heat.draw();
  });
  drawColours($("colours"));
  live();
}

begin();
