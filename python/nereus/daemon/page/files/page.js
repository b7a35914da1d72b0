// SPDX-License-Identifier: BSD-3-Clause
// The page: asks again and again what happened, keeps the window of time, and shows what was chosen.

import { connection } from "./connection.js";
import { alive, clock, drawAxis, drawLane } from "./drawing.js";
import { EventList, showDetails } from "./events.js";
import { Story } from "./story.js";

const EVERY = 1000; // ms, between looks
const PATIENCE = 20000; // ms, for one answer
const AHEAD = 0.06; // share of the window that lies in the future, for what is expected there
const LEAST = 10; // s, of a window of all there is

const $ = (id) => document.getElementById(id);
const story = new Story();
const link = connection($("message"), $("daemon"));
const list = new EventList($("list"), choose);
const lanes = new Map();
let behind = 0; // of this browser's clock, against the daemon's
let stoppedAt = null; // the end of the window, while it does not follow
let chosen = null;

function now() {
  return Date.now() / 1000 + behind;
}

async function look() {
  const since = story.since === null ? "" : `?since=${story.since}`;
  const answer = await fetch(`look${since}`, { signal: AbortSignal.timeout(PATIENCE) });
  if (!answer.ok) throw new Error(`it answers ${answer.status}`);
  return answer.json();
}

// One answer after the other until all that happened is told.
async function catchUp() {
  for (;;) {
    const answer = await look();
    if (!answer.there) {
      link.away(now(), answer);
      return;
    }
    behind = answer.status.time_unix - Date.now() / 1000;
    link.there(now(), answer.status);
    if (story.take(answer)) {
      list.clear();
      choose(null);
    } else if (story.since >= answer.last || answer.events.length === 0) {
      return;
    }
  }
}

async function live() {
  try {
    await catchUp();
  } catch (problem) {
    link.lost(now(), problem.message);
  }
  draw();
  setTimeout(live, EVERY);
}

function view() {
  const wanted = $("window").value;
  const last = stoppedAt ?? now();
  const length = wanted === "all" ? Math.max(LEAST, (last - Math.min(story.first(), last)) * (1 + AHEAD)) : Number(wanted);
  const end = stoppedAt ?? last + length * AHEAD;
  return { begin: end - length, end, now: now(), width: Math.max(200, $("axis").clientWidth) };
}

function draw() {
  const shown = view();
  const focused = document.activeElement?.dataset?.number;
  const inLane = document.activeElement?.closest?.("#lanes") !== null;
  drawAxis($("axis"), shown, link.gaps);
  drawLanes(shown);
  list.show(story.events, $("everything").checked, chosen);
  if (focused !== undefined && inLane) $("lanes").querySelector(`.mark[data-number="${Number(focused)}"]`)?.focus();
}

function drawLanes(shown) {
  const there = [...story.jobs.values()].filter((job) => alive(job, shown));
  for (const [job, lane] of lanes) {
    if (there.includes(job)) continue;
    lane.remove();
    lanes.delete(job);
  }
  for (const job of there) {
    if (!lanes.has(job)) lanes.set(job, $("lanes").appendChild(newLane()));
    const lane = lanes.get(job);
    title(lane, job);
    drawLane(lane.querySelector("svg"), job, shown, link.gaps, chosen);
  }
  $("nothing").hidden = there.length > 0;
}

function newLane() {
  const lane = document.createElement("section");
  lane.className = "job";
  const heading = document.createElement("h3");
  for (const kind of ["name", "stands", "command"]) {
    const part = document.createElement("span");
    part.className = kind;
    heading.append(part);
  }
  lane.append(heading, document.createElementNS("http://www.w3.org/2000/svg", "svg"));
  return lane;
}

function title(lane, job) {
  lane.classList.toggle("ended", job.until !== null);
  lane.querySelector(".name").textContent = job.name;
  lane.querySelector(".stands").textContent = stands(job);
  const command = lane.querySelector(".command");
  command.title = job.command.join(" ");
  command.textContent = [program(job), ...job.command.slice(1)].join(" ");
  lane.querySelector("svg").setAttribute("aria-label", `Time line of job ${job.name}: ${stands(job)}`);
}

// Without the folders that it lies in.
function program(job) {
  return job.command[0]?.split("/").at(-1) ?? "";
}

function stands(job) {
  if (job.until !== null) return `ended at ${clock(job.until)}`;
  const { now: known } = job;
  if (known === null) return "";
  const next = known.next_io_unix === null ? "" : `, next I/O ${clock(known.next_io_unix)}`;
  const state = known.turn ?? (known.answers ? "computes" : "no message yet");
  return `${known.ranks} ${known.ranks === 1 ? "rank" : "ranks"}, iteration ${known.iteration}${pace(known)}, ${state}${next}`;
}

// How long its latest iterations took, of what, and how much they computed.
function pace(known) {
  const told = known.pace;
  if (!told) return "";
  const parts = [` of ${(told.iteration_seconds * 1000).toPrecision(3)} ms`];
  const share = (seconds) => Math.round(100 * Math.min(1, seconds / told.iteration_seconds));
  if (told.compute_seconds !== null) parts.push(`${share(told.compute_seconds)} % computation`);
  if (told.communication_seconds !== null) parts.push(`${share(told.communication_seconds)} % communication`);
  if (told.flops !== null) parts.push(`${(told.flops / 1e9).toPrecision(3)} Gflop/s`);
  return parts.join(", ");
}

function choose(event) {
  chosen = event;
  showDetails($("details"), event);
  draw();
}

function follow(at) {
  stoppedAt = at;
  $("follow").textContent = at === null ? "stop" : "follow";
  $("follow").setAttribute("aria-pressed", String(at === null));
  draw();
}

function shift(windows) {
  const { begin, end } = view();
  follow(end + (end - begin) * windows);
}

function numberOf(target) {
  const found = target.closest("[data-number]");
  return found === null ? null : story.events.find((event) => event.number === Number(found.dataset.number));
}

function drag(down) {
  const svg = down.target.closest(".job svg");
  if (svg === null || down.button !== 0) return;
  const from = view();
  const move = (at) => {
    if (Math.abs(at.clientX - down.clientX) < 4 && !svg.classList.contains("dragged")) return;
    svg.classList.add("dragged");
    follow(from.end - ((at.clientX - down.clientX) / from.width) * (from.end - from.begin));
  };
  const up = () => {
    removeEventListener("pointermove", move);
    svg.classList.remove("dragged");
  };
  addEventListener("pointermove", move);
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, up, { once: true });
}

function begin() {
  const wanted = new URLSearchParams(location.hash.slice(1)).get("window");
  if ([...$("window").options].some((option) => option.value === wanted)) $("window").value = wanted;
  $("window").addEventListener("change", () => {
    history.replaceState(null, "", `#window=${$("window").value}`);
    draw();
  });
  $("follow").addEventListener("click", () => follow(stoppedAt === null ? view().end : null));
  $("earlier").addEventListener("click", () => shift(-0.5));
  $("later").addEventListener("click", () => shift(0.5));
  $("everything").addEventListener("change", draw);
  $("lanes").addEventListener("click", ({ target }) => choose(numberOf(target)));
  $("lanes").addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(numberOf(event.target));
    }
  });
  $("lanes").addEventListener("pointerdown", drag);
  addEventListener("resize", draw);
  live();
}

begin();
