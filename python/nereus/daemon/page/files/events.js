// SPDX-License-Identifier: BSD-3-Clause
// The list beside the time line, the latest first, and all that is known of the event that was chosen.

import { clock } from "./drawing.js";

const MOST = 300;
const BAD = new Set(["refused", "cancelled", "turn_lost", "trouble"]);
const OWN_WORDS = new Set([
  ...["number", "time_unix", "job", "name", "event"],
  ...["sentence", "reason", "decision", "text"],
]);

export class EventList {
  constructor(list, choose) {
    this.list = list;
    this.choose = choose;
    this.everything = false;
    this.clear();
  }

  clear() {
    this.last = 0;
    this.list.replaceChildren();
  }

  // Only what is new is added, so that whoever reads or steps through the list is not disturbed.
  show(events, everything, chosen) {
    if (everything !== this.everything) this.clear();
    this.everything = everything;
    const fresh = events.slice(after(events, this.last)).filter((event) => everything || event.decision);
    this.last = events.at(-1)?.number ?? this.last;
    this.list.prepend(...fresh.slice(-MOST).reverse().map((event) => this.item(event)));
    while (this.list.children.length > MOST) this.list.lastElementChild.remove();
    for (const button of this.list.querySelectorAll("button")) {
      button.classList.toggle("chosen", Number(button.dataset.number) === chosen?.number);
    }
  }

  item(event) {
    const button = document.createElement("button");
    button.dataset.number = event.number;
    button.append(...words(event));
    button.addEventListener("click", () => this.choose(event));
    const item = document.createElement("li");
    item.append(button);
    return item;
  }
}

export function showDetails(place, event) {
  place.hidden = event === null;
  if (event === null) return;
  const told = document.createElement("p");
  told.append(...words(event));
  const keys = document.createElement("dl");
  for (const [key, value] of Object.entries(event)) {
    if (OWN_WORDS.has(key) || value === null) continue;
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    keys.append(element("dt", "", key), element("dd", "", text));
  }
  place.replaceChildren(told, keys);
}

function words(event) {
  return [
    element("span", "when", clock(event.time_unix)),
    element("span", "of", event.name ?? event.job),
    element("span", BAD.has(event.event) ? "bad" : "", event.sentence),
    ...(event.reason ? [element("span", "why", event.reason)] : []),
  ];
}

function element(tag, kind, text) {
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
