// SPDX-License-Identifier: BSD-3-Clause
// All that is known of the event that was chosen, and, of a decision, the numbers it rests on with the way to the
// events that they come from. Texts go in as texts, never as markup.

import { clock } from "./drawing.js";
import { element, words } from "./events.js";
import { belongingTo, groundsOf } from "./grounds.js";

const OWN_WORDS = new Set([
  ...["number", "time_unix", "job", "name", "event"],
  ...["sentence", "reason", "decision", "text"],
]);

const WHENCE =
  "The event has no numbers of the policy. These are computed from earlier events on this page, " +
  "as the daemon predicts by default.";

export class Details {
  // `goTo(event)`: chooses an event that is linked to.
  constructor(place, story, goTo) {
    this.place = place;
    this.story = story;
    this.goTo = goTo;
    this.event = null;
    this.known = 0; // events that belong to it
    this.trail = []; // events from which a link led here
  }

  show(event) {
    this.trail = [];
    this.draw(event);
  }

  // Its outcome may come later than the decision was chosen.
  refresh() {
    if (this.event !== null && belongingTo(this.event, this.story).length !== this.known) this.draw(this.event);
  }

  draw(event) {
    this.event = event;
    this.place.hidden = event === null;
    if (event === null) return;
    const others = belongingTo(event, this.story);
    this.known = others.length;
    const told = document.createElement("p");
    told.append(...words(event, this.story.nameOf(event)));
    this.place.replaceChildren(
      this.top(),
      told,
      ...others.map((other) => paragraph(other.event === "decided" ? "decided: " : "outcome: ", this.link(other))),
      ...(event.event === "decided" ? this.numbers(event) : []),
      data(event),
    );
  }

  // The links of this panel lead away from what is read: there is a way back.
  follow(event) {
    if (this.event !== null) this.trail.push(this.event);
    this.arrive(event);
  }

  arrive(event) {
    const { trail } = this;
    this.goTo(event);
    this.trail = trail;
    this.draw(event);
    this.place.focus();
  }

  top() {
    const close = element("button", "close", "close");
    close.addEventListener("click", () => this.goTo(null));
    const made = element("div", "top", "");
    made.append(...this.back(), close);
    return made;
  }

  back() {
    const former = this.trail.at(-1);
    if (former === undefined) return [];
    const button = element("button", "back", `back to ${clock(former.time_unix)}: ${former.sentence}`);
    button.addEventListener("click", () => this.arrive(this.trail.pop()));
    return [button];
  }

  link(event, text = `${clock(event.time_unix)}: ${event.sentence}`) {
    const button = element("button", "to", text);
    button.dataset.to = event.number;
    button.title = event.sentence;
    button.addEventListener("click", () => this.follow(event));
    return button;
  }

  numbers(decision) {
    const all = groundsOf(decision, this.story);
    return [
      element("h3", "", "Numbers it rests on"),
      element("p", "note", WHENCE),
      ...all.map((grounds) => this.ofJob(grounds)),
    ];
  }

  ofJob({ job, own, sized, io, paces }) {
    const rows = element("dl", "numbers", "");
    const row = (term, ...parts) => {
      const value = document.createElement("dd");
      value.append(...parts);
      rows.append(element("dt", "", term), value);
    };
    if (sized !== null) row("ranks", `${sized.ranks} since `, this.link(sized, clock(sized.time_unix)));
    if (io !== null) this.ioRows(row, io);
    for (const pace of paces) {
      const from = `, mean of ${pace.of}, until `;
      row("iteration", `${inTime(pace.seconds)} with ${ranks(pace.ranks)}${from}`, this.phase(pace.last));
    }
    if (io === null) row("I/O", "no I/O phase before is known on this page");
    const made = element("section", "grounds", "");
    made.append(element("h4", "", own ? job.name : `${job.name}, named in the reason`), rows);
    return made;
  }

  ioRows(row, { phases, duration, between, next }) {
    row("writes", `${inTime(duration)}, mean of ${phases.length}: `, ...this.each(phases));
    if (between === null) {
      row("next I/O", "not predictable: no two I/O phases in a row at this size");
      return;
    }
    row("between", `${inTime(between)} from the end of one to the next`);
    row("next I/O", `${exact(next)} to ${exact(next + duration)}, then every ${inTime(between + duration)}`);
  }

  each(phases) {
    return phases.flatMap((phase, index) => [...(index > 0 ? [" "] : []), this.phase(phase)]);
  }

  phase(wrote) {
    return this.link(wrote, clock(wrote.start_unix));
  }
}

function data(event) {
  const all = element("dl", "data", "");
  for (const [key, value] of Object.entries(event)) {
    if (OWN_WORDS.has(key) || value === null) continue;
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    all.append(element("dt", "", key), element("dd", "", text));
  }
  return all;
}

function paragraph(...parts) {
  const made = document.createElement("p");
  made.append(...parts);
  return made;
}

// Phases meet by less than a second, too.
function exact(time) {
  const tenths = Math.round(time * 10);
  return `${clock(tenths / 10)}.${tenths % 10}`;
}

function inTime(seconds) {
  if (seconds >= 100) return `${Math.round(seconds)} s`;
  return seconds >= 1 ? `${seconds.toPrecision(3)} s` : `${Number((seconds * 1000).toPrecision(3))} ms`;
}

function ranks(number) {
  return number === 1 ? "1 rank" : `${number} ranks`;
}
