// SPDX-License-Identifier: BSD-3-Clause
// The page: asks again and again what happened, keeps the window of time, and shows what was chosen and looked for.

import { connection } from "./connection.js";
import { Details } from "./details.js";
import { LEFT, alive, drawAxis } from "./drawing.js";
import { EventList } from "./events.js";
import { bindKeys } from "./keyboard.js";
import { Lanes } from "./lanes.js";
import { Search, foundInWords } from "./search.js";
import { Story } from "./story.js";
import { bindTheme } from "./theme.js";
import { TimeWindow, bindPointers } from "./time_window.js";
import { PAN_STEP, ZOOM_STEP, bindButtons, bindMenu, stopOrFollow } from "./window_controls.js";

const EVERY = 1000; // ms, between looks
const PATIENCE = 20000; // ms, for one answer
const LENGTH = 300; // s, of the window at first

const $ = (id) => document.getElementById(id);
const story = new Story();
const link = connection($("message"), $("daemon"));
const search = new Search(story);
const list = new EventList($("list"), story, choose);
const details = new Details($("details"), story, goTo);
const lanes = new Lanes($("lanes"));
const shown = new TimeWindow(LENGTH, { now, first: () => story.first() });
let behind = 0; // of this browser's clock, against the daemon's
let chosen = null;
let showButtons, showMenu;
let frame = null;

function now() {
  return Date.now() / 1000 + behind;
}

async function look() {
  const since = story.since === null ? "" : `?since=${story.since}`;
  const answer = await fetch(`look${since}`, { signal: AbortSignal.timeout(PATIENCE) });
  if (!answer.ok) throw new Error(`it answers ${answer.status}`);
  return answer.json();
}

// One answer after the other until all that happened is told.
async function catchUp() {
  for (;;) {
    const answer = await look();
    if (!answer.there) {
      link.away(now(), answer);
      return;
    }
    behind = answer.status.time_unix - Date.now() / 1000;
    link.there(now(), answer.status);
    if (story.take(answer)) {
      list.clear();
      choose(null);
    } else if (story.since >= answer.last || answer.events.length === 0) {
      return;
    }
  }
}

async function live() {
  try {
    await catchUp();
  } catch (problem) {
    link.lost(now(), problem.message);
  }
  draw();
  details.refresh();
  setTimeout(live, EVERY);
}

function view() {
  const { begin, end } = shown;
  return { begin, end, now: now(), width: Math.max(200, $("axis").clientWidth) };
}

// Where the window of time lies on the screen.
function span() {
  const { left, width } = $("axis").getBoundingClientRect();
  return { left: left + LEFT, right: left + Math.max(200, width) };
}

function draw() {
  const seen = view();
  const there = [...story.jobs.values()].filter((job) => alive(job, seen));
  const found = there.filter((job) => search.findsJob(job));
  drawAxis($("axis"), seen, link.gaps);
  lanes.show(found, seen, link.gaps, chosen);
  list.show($("everything").checked, search, chosen);
  showButtons();
  showMenu();
  $("nothing").hidden = found.length > 0;
  $("nothing").textContent =
    there.length > 0 ? "No job in this window of time matches." : "No job was there in this window of time.";
  const words = search.isOn ? foundInWords(search, found.length, listed().length) : "";
  // Said again it would be read aloud again.
  if ($("found").textContent !== words) $("found").textContent = words;
}

// Pointers move more often than a screen can show.
function drawSoon() {
  frame ??= requestAnimationFrame(() => {
    frame = null;
    draw();
  });
}

function listed() {
  return list.wanted(story.events, $("everything").checked, search);
}

function choose(event) {
  chosen = event;
  details.show(event);
  draw();
}

// Chooses it and brings it into view: in the window of time, in the list, and whatever is looked for.
function goTo(event) {
  if (event === null) {
    choose(null);
    return;
  }
  shown.bringIn(event.time_unix);
  if (!event.decision) $("everything").checked = true;
  if (!search.finds(event)) lookFor("");
  choose(event);
  list.bringIn(event);
}

function lookFor(query) {
  $("search").value = query;
  search.set(query);
}

// The one after (1) or before (-1) what is chosen, of those that are listed; the latest where nothing is.
function step(by) {
  const all = listed();
  const { number } = chosen ?? {};
  const next = by > 0 ? all.find((event) => event.number > number) : all.findLast((event) => event.number < number);
  const found = chosen === null ? all.at(-1) : next;
  if (found !== undefined) goTo(found);
}

// What is looked for first, then what is chosen.
function clear() {
  const inField = document.activeElement === $("search");
  if (search.isOn || inField) {
    lookFor("");
    $("search").blur();
    draw();
  } else {
    choose(null);
  }
}

// What stands there. Lanes are not drawn anew for the second click of a double one, which would get lost with the old.
function chooseDrawn(target) {
  const found = target.closest("[data-number]");
  const event = found === null ? null : story.numbered(Number(found.dataset.number));
  if (event !== chosen) choose(event);
}

function moving(act) {
  return () => {
    act();
    draw();
  };
}

const KEYS = [
  { keys: ["ArrowLeft"], told: "half a window earlier", act: moving(() => shown.pan(-PAN_STEP * shown.length)) },
  { keys: ["ArrowRight"], told: "half a window later", act: moving(() => shown.pan(PAN_STEP * shown.length)) },
  { keys: ["+", "="], told: "zoom in", act: moving(() => shown.zoom(ZOOM_STEP)) },
  { keys: ["-"], told: "zoom out", act: moving(() => shown.zoom(1 / ZOOM_STEP)) },
  { keys: ["f"], told: "follow the current time, or stop", act: moving(() => stopOrFollow(shown)) },
  { keys: ["n"], told: "next event of the list, in time", act: () => step(1) },
  { keys: ["p"], told: "previous event of the list", act: () => step(-1) },
  { keys: ["/"], told: "search", act: () => $("search").focus() },
  { keys: ["Escape"], told: "clear the search, then what is chosen", act: clear },
];

function bindWindow() {
  const buttons = { earlier: $("earlier"), later: $("later"), follow: $("follow") };
  showButtons = bindButtons(shown, { ...buttons, zoomIn: $("zoom-in"), zoomOut: $("zoom-out") }, draw);
  showMenu = bindMenu(shown, $("window"), draw);
  bindPointers(shown, $("time"), span, drawSoon);
}

function begin() {
  bindWindow();
  bindTheme($("colours"));
  bindKeys(KEYS, $("help"), $("keys"));
  $("close-help").addEventListener("click", () => $("help").close());
  $("everything").addEventListener("change", draw);
  $("search").addEventListener("input", () => {
    search.set($("search").value);
    draw();
  });
  $("lanes").addEventListener("click", ({ target }) => chooseDrawn(target));
  $("lanes").addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      chooseDrawn(event.target);
    }
  });
  addEventListener("resize", draw);
  live();
}

begin();
