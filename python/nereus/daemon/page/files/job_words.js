// SPDX-License-Identifier: BSD-3-Clause
// What the page of one job says in words: how it stands, and how to get what is not known.

import { clock } from "./drawing.js";
import { ranksText, secondsText } from "./job_numbers.js";

export function programText({ command }) {
  if (command === undefined) return "";
  return [command[0]?.split("/").at(-1) ?? "", ...command.slice(1)].join(" ");
}

export function standsText(story) {
  const { job } = story;
  if (job?.ranks === undefined) return "";
  const iteration = story.latest("iteration");
  const seconds = story.latest("seconds");
  const hosts = Object.keys(job.hosts).length;
  return [
    story.ended === null ? job.state : `ended at ${clock(story.ended, true)}`,
    `${ranksText(job.ranks)}${hosts > 1 ? ` on ${hosts} hosts` : ""}`,
    ...(iteration === null ? [] : [`iteration ${iteration}`]),
    ...(seconds === null ? [] : [`${secondsText(seconds)} each`]),
    `generation ${job.generation}`,
    ...(job.pace?.flops ? [`${(job.pace.flops / 1e9).toPrecision(3)} Gflop/s`] : []),
    job.mpi,
    `since ${clock(job.started_unix, true)}`,
  ].join(" · ");
}

export function messageOf(answer, since) {
  if (answer.ended_unix !== null) return "The job has ended. What is shown stays until nereus page ends.";
  if (answer.there) return "";
  return `Nothing is known of the job since ${clock(since)}: ${answer.why}. The page goes on asking.`;
}

export function noIterationsText(job) {
  if (job === null || job.tells_iterations) return "";
  if (job.results_trouble) return `Iterations are not known: ${job.results_trouble}.`;
  return (
    "Iterations are not known here: a supervisor is not told of them. A job tells them to a daemon " +
    "(nereus daemon, before it starts); an emulation writes them to its results."
  );
}

export function noStagesText(job) {
  if (job?.results) return "No stage is known yet: the job writes them when a generation ends, at a resize or at its end.";
  return (
    "Stages are not known. A program that marks them tells the daemon, or writes them where the setting results " +
    "says; then --results FILE shows them here. An emulation always writes them."
  );
}

export const NO_TRAFFIC =
  "The job is not monitored on this host. One that is started by “nereus monitor -- nereus run ...” shows here how much " +
  "each rank sends to each other.";
