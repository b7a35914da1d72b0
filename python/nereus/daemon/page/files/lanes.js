// SPDX-License-Identifier: BSD-3-Clause
// A lane for each job that is to be seen: what it is called, how it stands, and its time line.

import { clock, drawLane } from "./drawing.js";
import { program } from "./search.js";

export class Lanes {
  constructor(place) {
    this.place = place;
    this.lanes = new Map();
  }

  show(jobs, view, gaps, chosen) {
    for (const [job, lane] of this.lanes) {
      if (jobs.includes(job)) continue;
      lane.remove();
      this.lanes.delete(job);
    }
    const focused = this.focused();
    for (const job of jobs) this.showJob(job, view, gaps, chosen);
    // In the order of the jobs, also of those that a search had taken away.
    const order = jobs.map((job) => this.lanes.get(job));
    if (order.some((lane, index) => this.place.children[index] !== lane)) this.place.replaceChildren(...order);
    if (focused !== null) this.place.querySelector(`.mark[data-number="${focused}"]`)?.focus();
  }

  showJob(job, view, gaps, chosen) {
    if (!this.lanes.has(job)) this.lanes.set(job, this.place.appendChild(newLane()));
    const lane = this.lanes.get(job);
    title(lane, job);
    drawLane(lane.querySelector("svg"), job, view, gaps, chosen);
  }

  // The event whose mark has the focus: marks are drawn anew.
  focused() {
    const { activeElement } = document;
    return this.place.contains(activeElement) ? Number(activeElement.dataset.number) : null;
  }
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
  const name = lane.querySelector(".name");
  say(name, job.name);
  // The key is what commands and reasons may say.
  name.title = job.key;
  say(lane.querySelector(".stands"), stands(job));
  const command = lane.querySelector(".command");
  command.title = job.command.join(" ");
  say(command, [program(job), ...job.command.slice(1)].join(" "));
  lane.querySelector("svg").setAttribute("aria-label", `Time line of job ${job.name}: ${stands(job)}`);
}

// What stays the same stays selected, if it is.
function say(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

function stands(job) {
  if (job.until !== null) return `ended at ${clock(job.until)}`;
  const { now: known } = job;
  if (known === null) return "";
  const next = known.next_io_unix === null ? "" : `, next I/O ${clock(known.next_io_unix)}`;
  const state = known.turn ?? (known.answers ? "computes" : "no message yet");
  const ranks = `${known.ranks} ${known.ranks === 1 ? "rank" : "ranks"}`;
  return `${ranks}, iteration ${known.iteration}${pace(known)}, ${state}${next}`;
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
