// SPDX-License-Identifier: BSD-3-Clause
// The list beside the time line, the latest first.

import { clock } from "./drawing.js";

const MOST = 300;
const BAD = new Set(["refused", "cancelled", "turn_lost", "trouble"]);

export class EventList {
  constructor(list, story, choose) {
    this.list = list;
    this.story = story;
    this.choose = choose;
    this.everything = false;
    this.query = "";
    this.events = new WeakMap(); // of the buttons
    this.clear();
  }

  clear() {
    this.last = 0;
    this.list.replaceChildren();
  }

  // Those that are to be listed, the latest last.
  wanted(events, everything, search) {
    return events.filter((event) => (everything || event.decision) && search.finds(event));
  }

  // Only what is new is added, so that whoever reads or steps through the list is not disturbed.
  show(everything, search, chosen) {
    if (everything !== this.everything || search.query !== this.query) this.clear();
    this.everything = everything;
    this.query = search.query;
    const { events } = this.story;
    const fresh = this.wanted(events.slice(after(events, this.last)), everything, search);
    this.last = events.at(-1)?.number ?? this.last;
    this.list.prepend(...fresh.slice(-MOST).reverse().map((event) => this.item(event)));
    while (this.list.children.length > MOST) this.list.lastElementChild.remove();
    for (const button of this.list.querySelectorAll("button")) this.update(button, chosen);
  }

  // A job's name may become known later than its first events.
  update(button, chosen) {
    const event = this.events.get(button);
    const isChosen = event.number === chosen?.number;
    button.classList.toggle("chosen", isChosen);
    button.setAttribute("aria-current", String(isChosen));
    const name = button.querySelector(".of");
    const known = this.story.nameOf(event);
    if (name.textContent !== known) name.textContent = known;
  }

  bringIn(event) {
    this.list.querySelector(`[data-number="${event.number}"]`)?.scrollIntoView({ block: "nearest" });
  }

  item(event) {
    const button = document.createElement("button");
    button.dataset.number = event.number;
    button.append(...words(event, this.story.nameOf(event)));
    button.addEventListener("click", () => this.choose(event));
    this.events.set(button, event);
    const item = document.createElement("li");
    item.append(button);
    return item;
  }
}

export function words(event, name) {
  return [
    element("span", "when", clock(event.time_unix)),
    element("span", "of", name),
    element("span", BAD.has(event.event) ? "bad" : "", event.sentence),
    ...(event.reason ? [element("span", "why", event.reason)] : []),
  ];
}

export function element(tag, kind, text) {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  made.textContent = text;
  return made;
}

// How many of them are up to that number.
function after(events, number) {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle].number <= number) low = middle + 1;
    else high = middle;
  }
  return low;
}
