// SPDX-License-Identifier: BSD-3-Clause
// The window of time that a time line shows, and how pointers move it. Times are in seconds, of whatever clock.

export const SHORTEST = 1; // s
export const LONGEST = 30 * 86400; // s
const LEAST_OF_ALL = 10; // s, of a window of all there is
const AHEAD = 0.06; // share of a window that follows which lies in the future, for what is expected there

const DRAG_BEGINS = 4; // px: a hand that clicks trembles
const LINE = 16; // px, of a wheel that counts lines
const MOST_OF_A_TURN = 50; // px: a notch of a mouse's wheel is many times what a touchpad sends
const PER_PIXEL = 0.01; // doublings
const CLOSEST_FINGERS = 8; // px
const DOUBLE_CLICK = 2; // times as large

// Follows the present with a length, or stands where it was put.
export class TimeWindow {
  #length;
  #end = null; // null: it follows
  #whole = false;
  #now;
  #first;

  // `now()` is the present, `first()` the time at which all there is begins.
  constructor(length, { now, first = now }) {
    this.#length = limited(length);
    this.#now = now;
    this.#first = first;
  }

  get follows() {
    return this.#end === null;
  }

  // Whether all there is is shown.
  get whole() {
    return this.#whole;
  }

  get length() {
    if (!this.#whole) return this.#length;
    const all = (this.#now() - this.#first()) / (1 - AHEAD);
    return limited(Number.isFinite(all) ? Math.max(LEAST_OF_ALL, all) : LEAST_OF_ALL);
  }

  get end() {
    return this.#end ?? this.#now() + this.length * AHEAD;
  }

  get begin() {
    return this.end - this.length;
  }

  follow() {
    this.#end = null;
  }

  stop() {
    this.#put(this.length, this.end);
  }

  // Of all lengths; its end stays where it is.
  resize(length) {
    if (!Number.isFinite(length)) return;
    this.#length = limited(length);
    this.#whole = false;
    if (!this.follows) this.#put(this.#length, this.#end);
  }

  // From the beginning to the present, from now on.
  showAll() {
    this.#whole = true;
    this.follow();
  }

  show(begin, end) {
    if (!Number.isFinite(begin) || !Number.isFinite(end)) return;
    const length = limited(end - begin);
    this.#put(length, (begin + end + length) / 2);
  }

  // 2: half as much time, twice as large. That time stays where it is; null: a window that follows goes on following.
  zoom(factor, around = null) {
    if (!(factor > 0) || !Number.isFinite(factor)) return;
    const length = limited(this.length / factor);
    if (this.follows && !Number.isFinite(around)) {
      this.resize(length);
      return;
    }
    const { begin, end } = this;
    const fixed = Number.isFinite(around) ? around : (begin + end) / 2;
    this.#put(length, fixed + (length * (end - fixed)) / (end - begin));
  }

  pan(seconds) {
    if (Number.isFinite(seconds)) this.#put(this.length, this.end + seconds);
  }

  // Moves only where that time is not shown.
  bringIn(time) {
    if (time < this.begin || time > this.end) this.show(time - this.length / 2, time + this.length / 2);
  }

  #put(length, end) {
    this.#length = length;
    this.#whole = false;
    this.#end = Math.min(Math.max(end, length), this.#now() + LONGEST);
  }
}

function limited(length) {
  return Math.min(LONGEST, Math.max(SHORTEST, length));
}

// Wheel, drag, pinch and double-click on `surface`. `span()` says where the window lies on the screen: {left, right}
// in pixels of the browser's window. `changed()` is called after each move. The surface needs `touch-action: pan-y`.
export function bindPointers(shown, surface, span, changed) {
  const timeAt = (x) => {
    const { left, right } = span();
    return shown.begin + ((x - left) / (right - left)) * (shown.end - shown.begin);
  };
  const perPixel = () => (shown.end - shown.begin) / (span().right - span().left);

  surface.addEventListener("wheel", (event) => turned(shown, event, timeAt, perPixel) && changed(), { passive: false });
  surface.addEventListener("dblclick", (event) => {
    if (!isDrawn(event.target)) return;
    shown.zoom(DOUBLE_CLICK, timeAt(event.clientX));
    changed();
  });
  bindFingers(shown, surface, { timeAt, perPixel, changed });
}

// Texts beside the drawings can be marked with the mouse, and copied.
function isDrawn(target) {
  return target.closest("svg, canvas") !== null;
}

// As in other time lines: with Ctrl it zooms (touchpads send that for a pinch), sideways or with Shift it pans.
// Otherwise it scrolls the page, of which there may be more.
function turned(shown, event, timeAt, perPixel) {
  const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE;
  if (event.ctrlKey || event.metaKey) {
    const turn = Math.min(MOST_OF_A_TURN, Math.max(-MOST_OF_A_TURN, event.deltaY * pixels));
    shown.zoom(2 ** (-turn * PER_PIXEL), timeAt(event.clientX));
  } else {
    const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
    if (sideways === 0 || Math.abs(sideways) < Math.abs(event.deltaY) / 2) return false;
    shown.pan(sideways * pixels * perPixel());
  }
  event.preventDefault();
  return true;
}

// One finger, or the mouse, drags; the first two pinch, around their middle.
function bindFingers(shown, surface, { timeAt, perPixel, changed }) {
  const fingers = new Map(); // where each is, in the order in which they came
  let from = null; // what the fingers hold, since one of them came or went
  let moved = false;

  const places = () => [...fingers.values()].slice(0, 2);
  const grasp = () => {
    const at = places();
    from = { middle: mean(at), apart: distance(at), time: timeAt(mean(at)), begin: shown.begin, end: shown.end };
  };

  const down = (event) => {
    if (event.button !== 0 || !isDrawn(event.target)) return;
    if (fingers.size === 0) moved = false;
    fingers.set(event.pointerId, event.clientX);
    grasp();
  };
  const move = (event) => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, event.clientX);
    const at = places();
    if (!moved && at.length === 1 && Math.abs(at[0] - from.middle) < DRAG_BEGINS) return;
    if (!moved) begin(event);
    shown.show(from.begin, from.end);
    if (at.length === 2) shown.zoom(distance(at) / from.apart, from.time);
    shown.pan((from.middle - mean(at)) * perPixel());
    changed();
  };
  // The marks below the pointer are drawn anew while it moves: they cannot hold it.
  const begin = (event) => {
    moved = true;
    surface.classList.add("dragged");
    try {
      surface.setPointerCapture(event.pointerId);
    } catch {
      // The pointer has gone meanwhile.
    }
  };
  const up = (event) => {
    if (!fingers.delete(event.pointerId)) return;
    if (fingers.size > 0) grasp();
    else surface.classList.remove("dragged");
  };
  // What was dragged was not clicked at.
  const click = (event) => {
    if (moved) event.stopPropagation();
    moved = false;
  };

  surface.addEventListener("pointerdown", down);
  surface.addEventListener("click", click, { capture: true });
  addEventListener("pointermove", move);
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, up);
}

function mean(places) {
  return places.reduce((sum, each) => sum + each, 0) / places.length;
}

function distance(places) {
  return places.length < 2 ? 1 : Math.max(CLOSEST_FINGERS, Math.abs(places[0] - places[1]));
}
