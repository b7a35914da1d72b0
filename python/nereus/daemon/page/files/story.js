// SPDX-License-Identifier: BSD-3-Clause
// What happened, made of the daemon's events, as it is drawn: of each job its life, ranks, I/O phases and marks.
// Knows nothing of the page. Times are in seconds of the daemon's clock.

const MOST_PHASES = 20000; // of one job
const MOST_EVENTS = 20000;
const MOST_ENDED = 300;

export class Story {
  constructor() {
    this.clear();
  }

  clear() {
    this.jobs = new Map();
    this.events = [];
    this.since = null;
  }

  // Takes what `look` answered; true where that is another history than the one told so far.
  take(answer) {
    const other = this.since !== null && (answer.last < this.since || answer.status.store !== this.store);
    if (other) {
      this.clear();
      return true;
    }
    this.store = answer.status.store;
    this.since ??= answer.since;
    for (const event of answer.events) this.happened(event);
    if (this.since >= answer.last) this.know(answer.status);
    this.forget();
    return false;
  }

  happened(event) {
    this.since = event.number;
    this.events.push(event);
    if (!event.job) return;
    const change = CHANGES[event.event];
    if (change === undefined && !this.jobs.has(event.job)) return;
    const job = this.of(event);
    job.name = event.name ?? job.name;
    change?.(job, event);
    if (event.decision) job.marks.push(event);
  }

  // How each job stands: of those that came before the first event that we know this is all there is.
  know(status) {
    for (const now of status.jobs) {
      const job = this.jobs.get(now.job) ?? this.begin(now.job, now.came_unix);
      job.now = now;
      job.name = now.name ?? job.name;
      job.command = now.command;
      job.from = Math.min(job.from, now.came_unix);
      if (job.steps.length === 0) job.steps.push({ at: job.from, ranks: now.ranks });
    }
  }

  of(event) {
    const known = this.jobs.get(event.job);
    if (known !== undefined && (known.until === null || event.event !== "came")) return known;
    const job = this.begin(event.job, event.time_unix);
    const before = event.before ?? event.ranks;
    if (before !== undefined) job.steps.push({ at: job.from, ranks: before });
    return job;
  }

  begin(key, from) {
    const life = { from, until: null, now: null };
    const job = { key, name: key, command: [], steps: [], phases: [], marks: [], ...life };
    const former = this.jobs.get(key);
    this.jobs.delete(key);
    // One that fell silent and came again has a lane for each of its lives.
    if (former !== undefined) this.jobs.set(`${key} ${former.until}`, former);
    this.jobs.set(key, job);
    return job;
  }

  forget() {
    if (this.events.length > MOST_EVENTS) this.events.splice(0, this.events.length - MOST_EVENTS);
    const ended = [...this.jobs.values()].filter((job) => job.until !== null);
    const old = new Set(ended.slice(0, Math.max(0, ended.length - MOST_ENDED)));
    for (const [key, job] of this.jobs) if (old.has(job)) this.jobs.delete(key);
    for (const job of this.jobs.values()) {
      if (job.phases.length > MOST_PHASES) job.phases.splice(0, job.phases.length - MOST_PHASES);
    }
  }

  // What people call the job of an event: the daemon knows names only while a job runs.
  nameOf(event) {
    return event.name ?? this.jobs.get(event.job)?.name ?? event.job;
  }

  numbered(number) {
    return this.events.find((event) => event.number === number) ?? null;
  }

  first() {
    return Math.min(...[...this.jobs.values()].map((job) => job.from));
  }
}

const CHANGES = {
  came(job, event) {
    job.command = event.command;
    step(job, event.time_unix, event.ranks);
  },
  asked(job, event) {
    closeOpen(job, event.time_unix);
    job.phases.push({ phase: event.phase, asked: event.time_unix, granted: null, end: null, event });
  },
  granted(job, event) {
    const phase = phaseOf(job, event);
    phase.granted ??= event.time_unix;
    phase.event = event;
  },
  // What the job says of the phase is exact: it replaces what was seen of it from outside.
  wrote(job, event) {
    const phase = phaseOf(job, event);
    phase.asked = event.start_unix;
    phase.granted = event.start_unix + event.wait_seconds;
    phase.end = phase.granted + event.service_seconds;
    phase.event = event;
  },
  turn_lost(job, event) {
    const phase = phaseOf(job, event);
    phase.end = event.time_unix;
    phase.event = event;
  },
  decided() {},
  cancelled() {},
  refused() {},
  resized(job, event) {
    step(job, event.time_unix, event.ranks);
  },
  ended(job, event) {
    closeOpen(job, event.time_unix);
    job.until = event.time_unix;
    job.now = null;
  },
};

function step(job, at, ranks) {
  if (job.steps.at(-1)?.ranks !== ranks) job.steps.push({ at, ranks });
}

// The one under way is over, whatever became of it.
function closeOpen(job, at) {
  const last = job.phases.at(-1);
  if (last !== undefined && last.end === null) last.end = at;
}

function phaseOf(job, event) {
  const found = job.phases.findLast((phase) => phase.phase === event.phase);
  if (found !== undefined) return found;
  job.phases.push({ phase: event.phase, asked: event.time_unix, granted: null, end: null, event });
  return job.phases.at(-1);
}

// The spans of time in which a job waits and writes, those that are under way until `now`.
export function spans(job, now) {
  return job.phases.flatMap((phase) => {
    const end = phase.end ?? now;
    const begin = phase.granted ?? end;
    const all = [
      { kind: "waiting", from: phase.asked, until: Math.min(begin, end), event: phase.event },
      { kind: "writing", from: begin, until: end, event: phase.event },
    ];
    return all.filter((span) => span.until > span.from);
  });
}
