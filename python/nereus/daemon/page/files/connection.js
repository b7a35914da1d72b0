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

  function gone(now, text) {
    const last = gaps.at(-1);
    if (last === undefined || last.until !== null) gaps.push({ from: now, until: null });
    const before = known ? " What is shown is from before; the page goes on asking." : " The page goes on asking.";
    say(`${text}, since ${clock(gaps.at(-1).from)}.${before}`);
  }

  function back(now) {
    const last = gaps.at(-1);
    if (last === undefined) return;
    last.until ??= now;
    const away = Math.max(1, Math.round(last.until - last.from));
    const text = known ? `The daemon is back since ${clock(last.until)}; it was away for ${away} s.` : "";
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
    away(now, why) {
      gone(now, `The daemon is gone (${why})`);
    },
    lost(now, why) {
      gone(now, `nereus page does not answer (${why})`);
    },
  };
}
