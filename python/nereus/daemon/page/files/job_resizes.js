// SPDX-License-Identifier: BSD-3-Clause
// The list of a job's resizes, the latest first, and all that is known of the one that was chosen.

import { clock } from "./drawing.js";

const SOURCES = {
  results: "the job itself, in its file",
  daemon: "the daemon",
  status: "the supervisor, which was asked again and again",
};

// Made anew only where something changed, so that whoever steps through it is not disturbed.
export function showResizes(list, resizes, chosen, choose) {
  if (list.resizes !== resizes) {
    list.resizes = resizes;
    list.replaceChildren(...resizes.toReversed().map((resize) => item(resize, choose)));
  }
  for (const button of list.querySelectorAll("button")) {
    button.classList.toggle("chosen", Number(button.dataset.time) === chosen);
  }
}

export function showResize(place, resize) {
  place.hidden = resize === null;
  if (resize === null) return;
  const told = document.createElement("p");
  told.append(...words(resize));
  const facts = document.createElement("dl");
  const rows = [...Object.entries(resize.facts), ["told by", SOURCES[resize.source] ?? resize.source]];
  facts.append(...rows.flatMap(([key, value]) => [element("dt", "", key), element("dd", "", value)]));
  place.replaceChildren(told, facts);
}

function item(resize, choose) {
  const button = document.createElement("button");
  button.dataset.time = resize.time_unix;
  button.append(...words(resize));
  button.addEventListener("click", () => choose(resize));
  const made = document.createElement("li");
  made.append(button);
  return made;
}

function words(resize) {
  return [element("span", "when", clock(resize.time_unix)), element("span", resize.done ? "" : "bad", resize.sentence)];
}

function element(tag, kind, text) {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  made.textContent = text;
  return made;
}
