// SPDX-License-Identifier: BSD-3-Clause
// What is known of one job, made of what `look` answered. Knows nothing of the page. Times are in seconds of the clock
// of `nereus page`.

const MOST_SAMPLES = 20000;

export class JobStory {
  constructor() {
    this.since = null;
    this.samples = [];
    this.resizes = [];
    this.stages = [];
    this.traffic = null;
    this.job = null;
    this.gaps = [];
    this.ended = null;
  }

  take(answer) {
    if (this.since !== null && answer.since < this.since) this.samples = [];
    this.samples.push(...answer.samples);
    if (this.samples.length > MOST_SAMPLES) this.samples.splice(0, this.samples.length - MOST_SAMPLES);
    this.since = answer.last;
    this.job = answer.job;
    this.ended = answer.ended_unix;
    this.gaps = answer.gaps.map(([from, until]) => ({ from, until }));
    for (const key of ["resizes", "stages", "traffic"]) if (key in answer) this[key] = answer[key];
  }

  first() {
    return Math.min(...[this.samples[0], this.resizes[0]].filter(Boolean).map((each) => each.time_unix));
  }

  latest(key) {
    return this.samples.findLast((sample) => sample[key] !== null)?.[key] ?? null;
  }

  // The one whose time is nearest, of those that tell something of iterations.
  nearest(time) {
    let best = null;
    for (const sample of this.iterations) {
      if (best === null || Math.abs(sample.time_unix - time) < Math.abs(best.time_unix - time)) best = sample;
    }
    return best;
  }

  get iterations() {
    return this.samples.filter((sample) => sample.seconds !== null);
  }

  // Numbers of ranks, each from when it was seen.
  get steps() {
    const found = [];
    for (const { time_unix: at, ranks } of this.samples) {
      if (found.at(-1)?.ranks !== ranks) found.push({ at, ranks });
    }
    return found;
  }
}
