// SPDX-License-Identifier: BSD-3-Clause
// Whether there is a daemon, and one to ask for it: says so in words, and keeps the times when there was none.

import { clock } from "./drawing.js";

const NEWS = 60; // s, for which it is told that the daemon is back

export function connection(message, about) {
  const gaps = [];
  let known = false;

  function say(text, good = false) {
    // Said again it would be read aloud again.
    if (message.textContent !== text) message.textContent = text;
    message.classList.toggle("good", good);
    message.hidden = text === "";
  }

  // Since when.
  function gone(now) {
    const last = gaps.at(-1);
    if (last === undefined || last.until !== null) gaps.push({ from: now, until: null, known });
    return clock(gaps.at(-1).from);
  }

  // One that this page never heard of cannot be gone.
  function missing(runs) {
    if (runs) return "The daemon has told nothing";
    return known ? "The daemon has been gone" : "No daemon has been started";
  }

  function goesOn() {
    return known ? "What is shown is from before; the page goes on asking." : "The page goes on asking.";
  }

  function back(now) {
    const last = gaps.at(-1);
    if (last === undefined) return;
    last.until ??= now;
    const away = Math.max(1, Math.round(last.until - last.from));
    const text = last.known ? `The daemon is back since ${clock(last.until)}; it was away for ${away} s.` : "";
    say(now - last.until < NEWS ? text : "", true);
  }

  return {
    gaps,
    there(now, status) {
      back(now);
      known = true;
      const cores = Object.values(status.cores).reduce((sum, each) => sum + each, 0);
      const free = status.budget
        ? `${status.budget.nodes} of ${status.budget.max_nodes} more nodes held`
        : `${status.cores_free} of ${cores} cores free`;
      const trouble = status.store_trouble ? ` · the store cannot be written: ${status.store_trouble}` : "";
      const waiting = status.waiting_for_cores.length;
      const wait = waiting > 0 ? ` · ${waiting} jobs wait for cores` : "";
      about.textContent =
        `policy ${status.policy} · ${free} · jobs: ${status.jobs.length}` +
        `${wait}${trouble}`;
    },
    away(now, { runs, why }) {
      const since = gone(now);
      if (!known && !runs) about.textContent = "no daemon";
      say(`${missing(runs)} since ${since} (${why}). ${goesOn()}`);
    },
    lost(now, why) {
      say(`nereus page has not answered since ${gone(now)} (${why}). ${goesOn()}`);
    },
  };
}
