# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a time line that shows what happened, in a browser, and runs nobody's texts."""

import html
import json
import re
import shutil
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from a_page import HOSTILE, A, B, Served, Told, complaint, dom, history

from nereus.daemon.page.server import FILES
from nereus.daemon.page.source import Source

Serve = Callable[..., Served]


@pytest.fixture(autouse=True)
def _with_a_browser() -> None:
    if why := complaint():
        pytest.skip(why)


class Elements(HTMLParser):
    """Names, classes and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.classes: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.classes += [found for name, found in attrs if name == "class" and found]

    def handle_data(self, data: str) -> None:
        self.text += data


def answers(page: Served, seconds: float) -> dict[str, Any]:
    """What the script of the test put into the page."""
    text = dom(page.address + "#window=60", seconds)
    found = re.search(r'<pre id="answers">(.*?)</pre>', text, re.DOTALL)
    assert found is not None, text[-2000:]
    made: dict[str, Any] = json.loads(html.unescape(found[1]))
    return made


BEFORE = """const answers = {};
const $ = (id) => document.getElementById(id);
"""
AFTER = """
const at = document.createElement("pre");
at.id = "answers";
at.textContent = JSON.stringify(answers);
document.body.append(at);
"""


def with_script(script: str, folder: Path) -> Path:
    """The page, and in it a script of the test, which fills `answers`."""
    files = folder / "files"
    shutil.copytree(FILES, files)
    (files / "test.js").write_text(script.replace("\n//\n", BEFORE) + AFTER)
    page = files / "index.html"
    tag = '<script type="module" src="test.js"></script>'
    page.write_text(page.read_text().replace("</body>", f"{tag}</body>"))
    return files


def test_events_are_drawn_and_foreign_text_is_escaped(served: Serve) -> None:
    page = served(Source(Told(history(HOSTILE, HOSTILE)).ask))
    found = Elements(dom(page.address + "#window=60", 3))
    assert found.classes.count("job") == 1 and found.classes.count("job ended") == 1
    assert found.classes.count("bar waiting") == 2 and found.classes.count("bar writing") == 1
    assert {"mark decided", "mark resized", "mark refused", "expected", "now"} <= set(found.classes)
    assert "policy phase-shifting · 3 of 8 cores free · jobs: 1" in found.text
    assert "went from 2 to 4 ranks at iteration 20" in found.text
    assert re.search(r"\d\d:\d\d:[0-5]0", found.text)
    assert found.text.count(HOSTILE) >= 3 and "<title>Nereus" not in found.text
    assert found.tags.count("script") == 1 and "img" not in found.tags


USES_IT = """
//
const tick = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));
await tick(1.5);
const press = (element) => element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
answers.listed = [...$("list").querySelectorAll("button")].map((each) => each.textContent);
press(document.querySelector(".mark.resized[data-number]"));
answers.mark = $("details").textContent;
answers.chosen = $("list").querySelector(".chosen").dataset.number;
press(document.querySelector(".bar.writing"));
answers.bar = $("details").textContent;
$("everything").click();
answers.everything = $("list").children.length;
press($("list").lastElementChild.querySelector("button"));
answers.first = $("details").textContent;
const times = () => $("axis").getAttribute("aria-label");
await tick(2.5);
const moving = times();
await tick(2.5);
answers.follows = times() !== moving;
press($("follow"));
const stopped = times();
await tick(2.5);
answers.stops = times() === stopped && $("follow").textContent === "follow";
press($("earlier"));
answers.earlier = times() !== stopped;
press($("later"));
answers.later = times() === stopped;
$("window").value = "30";
$("window").dispatchEvent(new Event("change"));
answers.narrow = [times() !== stopped, location.hash];
press($("follow"));
answers.again = $("follow").textContent;
$("window").value = "all";
$("window").dispatchEvent(new Event("change"));
answers.lanes = [...document.querySelectorAll("#lanes .name")].map((each) => each.textContent);
"""


def test_marks_bars_and_lists_show_details_and_the_window_can_be_moved(served: Serve, tmp_path: Path) -> None:
    page = served(Source(Told(history()).ask), files=with_script(USES_IT, tmp_path))
    found = answers(page, 20)
    assert ["refused" in found["listed"][0], len(found["listed"])] == [True, 3]
    assert "phase-shifting: the phases would meet" in found["mark"]
    assert found["chosen"] == "7"
    assert "after 3.00 s of waiting" in found["bar"]
    assert found["everything"] == 10 and "came with 2 ranks" in found["first"]
    assert found["follows"] and found["stops"] and found["earlier"] and found["later"]
    assert found["narrow"] == [True, "#window=30"]
    assert (found["again"], found["lanes"]) == ("stop", [A, B])


LISTENS = """
//
answers.said = [];
for (let look = 0; look < 70; look += 1) {
  const text = $("message").hidden ? "" : $("message").textContent;
  if (answers.said.at(-1) !== text) answers.said.push(text);
  await new Promise((done) => setTimeout(done, 100));
}
answers.bands = document.querySelectorAll("#lanes rect.away").length;
answers.lanes = document.querySelectorAll("#lanes .job").length;
"""


def test_missing_and_returned_daemon_are_reported(served: Serve, tmp_path: Path) -> None:
    now = history()
    told = Told(now, None, None, None, now)
    found = answers(served(Source(told.ask), files=with_script(LISTENS, tmp_path)), 12)
    before, gone, back = found["said"]
    assert before == ""
    assert re.match(r"The daemon has been gone since [\d:]{8} \(no daemon of yours runs on this host", gone)
    assert "What is shown is from before" in gone
    assert re.match(r"The daemon is back since [\d:]{8}; it was away for \d+ s", back)
    assert (found["bands"], found["lanes"]) == (2, 2)


def test_daemon_that_never_was_is_not_called_gone(served: Serve, tmp_path: Path) -> None:
    told = Told(None, None, history())
    found = answers(served(Source(told.ask), files=with_script(LISTENS, tmp_path)), 12)
    (missing,) = [text for text in found["said"] if text]
    assert re.match(r"No daemon has been started since [\d:]{8} \(.*; nereus daemon starts one\)", missing)
    assert "from before" not in missing and found["said"][-1] == ""


# A Chromium without a screen has no window below 500 pixels: the page is made narrower inside it.
LIES_BESIDE = """
//
const wait = () => new Promise((done) => setTimeout(done, 1500));
const width = 390;
document.body.style.width = `${width}px`;
await wait();
const mark = document.querySelector(".mark.resized[data-number]");
mark.dispatchEvent(new MouseEvent("click", { bubbles: true }));
$("everything").click();
await wait();
answers.details = $("details").querySelectorAll("dt").length;
answers.scrolls = document.body.scrollWidth;
answers.beside = [...document.querySelectorAll("body *")]
  .filter((each) => each.getBoundingClientRect().right > width && !each.closest("svg"))
  .map((each) => each.className || each.id || each.tagName);
"""


@pytest.mark.parametrize("daemon", ["there", "missing"])
def test_page_as_wide_as_a_telephone_does_not_scroll_sideways(
    served: Serve, tmp_path: Path, daemon: str
) -> None:
    told = history("./" + "a-long-name-" * 12 + " --option value", "because" * 20)
    looks = [told] if daemon == "there" else [told, None]
    found = answers(served(Source(Told(*looks).ask), files=with_script(LIES_BESIDE, tmp_path)), 6)
    assert found["details"] > 0
    assert (found["scrolls"], found["beside"]) == (390, [])


DRAWS_AN_AXIS = """
import { drawAxis } from "./drawing.js";
//
const axis = $("axis");
answers.labels = [];
for (const over of [0.1, 2, 10]) {
  drawAxis(axis, { begin: 0, end: 120 + over, now: 60, width: axis.clientWidth }, []);
  const texts = [...axis.querySelectorAll("text")];
  const cut = texts.filter((each) => each.getBoundingClientRect().right > axis.getBoundingClientRect().right);
  answers.labels.push([texts.length > 2, cut.map((each) => each.textContent)]);
}
"""


def test_times_on_the_axis_are_shown_whole(served: Serve, tmp_path: Path) -> None:
    page = served(Source(Told(history()).ask), files=with_script(DRAWS_AN_AXIS, tmp_path))
    assert answers(page, 2)["labels"] == [[True, []]] * 3


TELLS_STORIES = """
import { Story, spans } from "./story.js";
//
const status = (jobs = [], store = "/s") => ({ jobs, store });
const answer = (since, events, last, jobs, store) => ({ since, events, last, status: status(jobs, store) });
const event = (number, at, kind, about = {}) => ({ number, time_unix: at, job: "j", event: kind, ...about });
const came = (number, time, ranks) => event(number, time, "came", { ranks, command: ["./j"] });
const drawn = (job, now) => spans(job, now).map(({ kind, from, until }) => [kind, from, until]);
function told(...events) {
  const story = new Story();
  story.take(answer(events[0].number - 1, events, events.at(-1).number));
  return story;
}
const asked = event(2, 10, "asked", { phase: 1 });
const granted = event(3, 14, "granted", { phase: 1 });
answers.waits = drawn(told(came(1, 0, 2), asked).jobs.get("j"), 12);
answers.writes = drawn(told(came(1, 0, 2), asked, granted).jobs.get("j"), 20);
const lost = event(4, 18, "turn_lost", { phase: 1, decision: true });
answers.lost = drawn(told(came(1, 0, 2), asked, granted, lost).jobs.get("j"), 30);
const next = event(4, 17, "asked", { phase: 2 });
answers.next = drawn(told(came(1, 0, 2), asked, granted, next).jobs.get("j"), 20);
const died = told(came(1, 0, 2), asked, event(3, 13, "ended"));
answers.died = [drawn(died.jobs.get("j"), 20), died.jobs.get("j").until];
died.happened(came(4, 50, 3));
answers.lives = [...died.jobs.values()].map((job) => [job.from, job.until]);
const grew = event(7, 100, "resized", { before: 2, ranks: 3 });
const late = told(grew, event(8, 110, "resized", { before: 3, ranks: 5 }));
late.take(answer(8, [], 8, [{ job: "j", came_unix: 40, ranks: 5, command: ["./j"] }]));
answers.late = [late.jobs.get("j").from, late.jobs.get("j").steps.map((step) => step.ranks)];
const silent = new Story();
silent.take(answer(5, [], 5, [{ job: "j", came_unix: 40, ranks: 4, command: ["./j"] }]));
answers.silent = silent.jobs.get("j").steps;
const named = { job: "j", name: "cg-1", came_unix: 40, ranks: 5, command: ["./j"] };
late.take(answer(8, [], 8, [named]));
answers.named = [late.jobs.get("j").name];
late.take(answer(8, [], 8, [{ ...named, name: null }]));
answers.named.push(late.jobs.get("j").name, silent.jobs.get("j").name);
answers.known = [late.take(answer(8, [], 9)), late.jobs.size];
answers.other = [late.take(answer(8, [], 3)), late.jobs.size, late.since];
const moved = told(came(1, 0, 2));
answers.moved = [moved.take(answer(1, [], 1, [], "/t")), moved.jobs.size];
"""


def test_history_with_gaps_is_drawn_as_far_as_known(served: Serve, tmp_path: Path) -> None:
    page = served(Source(Told(history()).ask), files=with_script(TELLS_STORIES, tmp_path))
    found = answers(page, 2)
    assert found["waits"] == [["waiting", 10, 12]]
    assert found["writes"] == [["waiting", 10, 14], ["writing", 14, 20]]
    assert found["lost"] == [["waiting", 10, 14], ["writing", 14, 18]]
    assert found["next"] == [["waiting", 10, 14], ["writing", 14, 17], ["waiting", 17, 20]]
    assert found["died"] == [[["waiting", 10, 13]], 13]
    assert found["lives"] == [[0, 13], [50, None]]
    assert found["late"] == [40, [2, 3, 5]]
    assert found["silent"] == [{"at": 40, "ranks": 4}]
    assert found["named"] == ["cg-1", "cg-1", "j"]
    assert found["known"] == [False, 1]
    assert found["other"] == [True, 0, None]
    assert found["moved"] == [True, 0]
