// SPDX-License-Identifier: BSD-3-Clause
// Which jobs and events a reader looks for: those that have all of the words, in any order, in capitals or not.

export class Search {
  #texts = new WeakMap(); // of events, which do not change

  constructor(story) {
    this.story = story;
    this.query = "";
    this.words = [];
  }

  set(query) {
    this.query = query.trim().toLowerCase();
    this.words = this.query.split(/\s+/).filter((word) => word !== "");
  }

  get isOn() {
    return this.words.length > 0;
  }

  // By its name, key or program.
  findsJob(job) {
    return this.#in(ofJob(job));
  }

  // By what is told of it, or by its job.
  finds(event) {
    if (!this.isOn) return true;
    if (!this.#texts.has(event)) this.#texts.set(event, `${event.sentence} ${event.reason}`.toLowerCase());
    const job = this.story.jobs.get(event.job);
    const of = job === undefined ? `${event.name ?? ""} ${event.job}`.toLowerCase() : ofJob(job);
    return this.#in(`${this.#texts.get(event)} ${of}`);
  }

  #in(text) {
    return this.words.every((word) => text.includes(word));
  }
}

function ofJob(job) {
  return `${job.name} ${job.key} ${program(job)}`.toLowerCase();
}

// Without the folders that it lies in.
export function program(job) {
  return job.command[0]?.split("/").at(-1) ?? "";
}

// How much was found, in words; "" where nothing is looked for.
export function foundInWords(search, lanes, events) {
  if (!search.isOn) return "";
  if (lanes + events === 0) return "nothing matches";
  return `${several(lanes, "job")} in this window and ${several(events, "event")} match`;
}

function several(number, word) {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
