// SPDX-License-Identifier: BSD-3-Clause
// Bytes from rank to rank as a heat map: a canvas, whose cells a pointer and the arrow keys tell in words.
// Of many ranks several are one row and column: `bin` says how many.

import { colourAt, share } from "./job_colours.js";
import { bytesText } from "./job_numbers.js";

const LARGEST = 480; // px
const LEAST_CELL = 2; // px
const LARGEST_CELL = 48; // px
const LEAST_OUTLINED = 8; // px
const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export class HeatMap {
  // `parts`: {canvas, cell, least, most}: the last three are told in words. `choices()`: {amount, scale}.
  constructor(parts, choices) {
    Object.assign(this, parts);
    this.choices = choices;
    this.traffic = null;
    this.at = null; // [row, column]
    this.canvas.addEventListener("pointermove", (event) => this.pointAt(event));
    this.canvas.addEventListener("keydown", (event) => this.move(event));
    this.canvas.addEventListener("focus", () => this.choose(this.at ?? [0, 0]));
  }

  show(traffic) {
    this.traffic = traffic;
    this.rows = Math.ceil(traffic.ranks / traffic.bin);
    this.values = new Map(traffic.cells.map(([from, to, total, recent]) => [from * this.rows + to, { total, recent }]));
    if (this.at !== null) this.at = this.at.map((each) => Math.min(each, this.rows - 1));
    this.draw();
  }

  draw() {
    if (this.traffic === null) return;
    const amounts = [...this.values.keys()].map((key) => this.amountOf(key)).filter((amount) => amount > 0);
    this.range = amounts.length === 0 ? null : { least: Math.min(...amounts), most: Math.max(...amounts) };
    this.paint();
    this.least.textContent = this.range === null ? "" : this.text(this.choices().scale === "log" ? this.range.least : 0);
    this.most.textContent = this.range === null ? "" : this.text(this.range.most);
    this.tell();
  }

  paint() {
    const { canvas, rows } = this;
    const wide = Math.min(LARGEST, canvas.parentElement.clientWidth - 2);
    const size = Math.min(LARGEST_CELL, Math.max(LEAST_CELL, Math.floor(wide / rows)));
    const sharp = devicePixelRatio || 1;
    this.size = size;
    canvas.width = canvas.height = Math.round(size * rows * sharp);
    // Without its border.
    canvas.style.width = canvas.style.height = `${size * rows}px`;
    canvas.style.boxSizing = "content-box";
    const on = canvas.getContext("2d");
    on.scale(sharp, sharp);
    const gap = size > LEAST_OUTLINED ? 1 : 0;
    on.strokeStyle = getComputedStyle(canvas).color;
    for (const key of this.values.keys()) {
      const amount = this.amountOf(key);
      if (amount <= 0) continue;
      on.fillStyle = colourAt(share(amount, this.range, this.choices().scale));
      on.fillRect((key % rows) * size, Math.floor(key / rows) * size, size - gap, size - gap);
      if (gap > 0) on.strokeRect((key % rows) * size + 0.5, Math.floor(key / rows) * size + 0.5, size - 1, size - 1);
    }
    this.mark(on);
    const most = this.range === null ? "nothing" : this.text(this.range.most);
    canvas.setAttribute("aria-label", `Heat map of ${rows} rows and columns; most from one to another: ${most}`);
  }

  // Seen on every colour.
  mark(on) {
    if (this.at === null) return;
    const [row, column] = this.at;
    const { size } = this;
    for (const [colour, wide] of [["#000", 3], ["#fff", 1]]) {
      on.strokeStyle = colour;
      on.lineWidth = wide;
      on.strokeRect(column * size + 0.5, row * size + 0.5, size - 1, size - 1);
    }
  }

  pointAt(event) {
    if (this.traffic === null) return;
    const place = this.canvas.getBoundingClientRect();
    const [row, column] = [event.clientY - place.top, event.clientX - place.left].map((at) => Math.floor((at - 1) / this.size));
    if (Math.min(row, column) >= 0 && Math.max(row, column) < this.rows) this.choose([row, column]);
  }

  move(event) {
    const way = MOVES[event.key];
    if (way === undefined || this.traffic === null || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const inside = (each) => Math.min(this.rows - 1, Math.max(0, each));
    const from = this.at ?? [0, 0];
    this.choose(from.map((each, index) => inside(each + way[index])));
  }

  choose(at) {
    if (this.traffic === null) return;
    this.at = at;
    this.paint();
    this.tell();
  }

  tell() {
    const text = this.at === null ? "" : this.sentence(...this.at);
    // Said again it would be read aloud again.
    if (this.cell.textContent !== text) this.cell.textContent = text;
  }

  sentence(row, column) {
    const { total, recent } = this.values.get(row * this.rows + column) ?? { total: 0, recent: 0 };
    const { generation, seconds } = this.traffic;
    const now = seconds === null ? "" : `, ${bytesText(recent / seconds)}/s just now`;
    return `${this.ranksOf(row)} → ${this.ranksOf(column)}: ${bytesText(total)} in generation ${generation}${now}`;
  }

  ranksOf(row) {
    const { bin, ranks } = this.traffic;
    const [first, last] = [row * bin, Math.min(ranks, (row + 1) * bin) - 1];
    return first === last ? `rank ${first}` : `ranks ${first} to ${last}`;
  }

  amountOf(key) {
    const { total, recent } = this.values.get(key);
    if (this.choices().amount === "total") return total;
    return this.traffic.seconds === null ? 0 : recent / this.traffic.seconds;
  }

  text(amount) {
    return this.choices().amount === "total" ? bytesText(amount) : `${bytesText(amount)}/s`;
  }
}

// What there is beside the cells, in words.
export function besideText({ seen, ranks, to_all: toAll, elsewhere }) {
  const said = [];
  if (seen < ranks) said.push(`There are records of ${seen} of ${ranks} processes: others run on other hosts, or are not monitored.`);
  if (toAll > 0) said.push(`${bytesText(toAll)} were given to collective calls of which it is not known yet who takes part; they are not in the map.`);
  if (elsewhere > 0) said.push(`${bytesText(elsewhere)} went to processes that are not of this generation.`);
  return said.join(" ");
}
