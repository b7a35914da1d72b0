# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a page that shows what one job does, in a browser, and runs nobody's texts."""

import html
import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from a_job_page import (
    DaemonSays,
    Says,
    ServedJob,
    committed,
    emulation,
    iteration,
    progress,
    record,
    source,
    status,
)
from a_page import HOSTILE, complaint, dom

from nereus.daemon.page.job.source import JobSource
from nereus.daemon.page.server import FILES

Serve = Callable[..., ServedJob]


@pytest.fixture(autouse=True)
def _with_a_browser() -> None:
    if why := complaint():
        pytest.skip(why)


@pytest.fixture
def served() -> Iterator[Serve]:
    made: list[ServedJob] = []

    def begin(source: JobSource, files: Path = FILES) -> ServedJob:
        made.append(ServedJob(source, files))
        return made[-1]

    yield begin
    for each in made:
        each.close()


BEFORE = """const answers = {};
const $ = (id) => document.getElementById(id);
const tick = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));
const press = (element) => element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
const key = (element, name) =>
  element.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
await tick(1.5);
"""
AFTER = """
const at = document.createElement("pre");
at.id = "answers";
at.textContent = JSON.stringify(answers);
document.body.append(at);
"""


@pytest.fixture
def asked(served: Serve, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """What a script in the page of that source finds there."""

    def ask(of: JobSource, script: str, seconds: float = 6) -> dict[str, Any]:
        files = tmp_path / "files"
        shutil.copytree(FILES, files)
        (files / "test.js").write_text(BEFORE + script + AFTER)
        page = files / "job.html"
        tag = '<script type="module" src="test.js"></script>'
        page.write_text(page.read_text().replace("</body>", f"{tag}</body>"))
        text = dom(served(of, files).address, seconds)
        found = re.search(r'<pre id="answers">(.*?)</pre>', text, re.DOTALL)
        assert found is not None, text[-2000:]
        made: dict[str, Any] = json.loads(html.unescape(found[1]))
        return made

    return ask


def emulated(folder: Path) -> Path:
    """Of the last minute: iterations on 2 ranks, then on 4."""
    points = [progress(at / 2, at, 0.02 if at < 60 else 0.01, 2 if at < 60 else 4) for at in range(1, 118)]
    begun = {"event": "generation_started", "time": 0.0, "generation": 0, "group": 0, "ranks": 2}
    stages = [iteration(0, number, 0.015, 0.005) for number in range(4)]
    file = folder / "run.jsonl"
    file.write_text(emulation(begun, *points, *stages, committed(30.0, 2, 4, 1)))
    return file


def known(folder: Path, **changes: Any) -> JobSource:
    """All that a page can show."""
    lines = [line for rank in range(4) for line in record(rank, 4, {(rank + 1) % 4: 1000 * (rank + 1)}, 1)]
    now = status(ranks=4, generation=1, hosts=["h"] * 4, resizes=1, **changes)
    made = source(Says(now), records=lines, results=emulated(folder))
    made.sample(time.time() - 1)
    made.sample(time.time())
    return made


SHOWS = """
answers.title = document.title;
answers.about = [$("name").textContent, $("program").textContent, $("stands").textContent];
answers.line = $("iterations").querySelector(".seconds").getAttribute("d").split("L").length;
answers.iterations = $("iterations").getAttribute("aria-label");
const area = $("ranks").querySelector(".ranks").getAttribute("d");
answers.levels = [...area.matchAll(/L[\\d.]+ ([\\d.]+)H/g)].map(([, level]) => Number(level));
answers.marks = [...$("ranks").querySelectorAll(".mark")].map((each) => each.getAttribute("class"));
press($("ranks").querySelector(".mark"));
answers.details = $("details").textContent;
answers.chosen = $("list").querySelector(".chosen").textContent;
answers.stages = [...document.querySelectorAll(".stages td")].map((each) => each.textContent).filter(Boolean);
answers.bars = [...document.querySelectorAll(".stage-bar")].map((each) => each.getAttribute("aria-label"));
$("iterations").focus();
key($("iterations"), "ArrowLeft");
key($("iterations"), "ArrowLeft");
answers.reading = $("reading").textContent;
const place = $("iterations").getBoundingClientRect();
const from = { clientX: place.left + place.width * 0.85, clientY: place.top + 20, bubbles: true };
$("iterations").dispatchEvent(new PointerEvent("pointermove", from));
answers.pointed = $("reading").textContent;
answers.missing = ["no-iterations", "no-stages", "no-traffic", "no-resizes"].filter((id) => !$(id).hidden);
"""


def test_iterations_ranks_resizes_and_stages_are_drawn_and_told(asked: Any, tmp_path: Path) -> None:
    found = asked(known(tmp_path), SHOWS)
    assert found["title"] == "cg-1 - Nereus"
    assert found["about"][:2] == ["cg-1", "cg 100"]
    assert re.match(
        r"running · 4 ranks · iteration 117 · 10 ms each · generation 1 · mpich", found["about"][2]
    )
    assert found["line"] > 40
    assert re.search(r"10 ms at the end of this window, 20 ms at most", found["iterations"])
    assert (found["levels"], found["marks"]) == ([50, 20], ["mark resized"])
    assert "from 2 to 4 ranks" in found["details"] and "pause250 ms" in found["details"]
    assert "from 2 to 4 ranks" in found["chosen"]
    assert found["stages"] == [
        *("pi", "computation", "15 ms", "75 %"),
        *("allreduce", "communication", "5 ms", "25 %"),
    ]
    assert found["bars"] == ["generation 0 with 2 ranks, mean of 4 iterations: pi 75 %, allreduce 25 %"]
    assert re.match(
        r"[\d:]{8}: \d+ iterations done, 10 ms each \(10 ms to 10 ms\), 4 ranks", found["reading"]
    )
    assert re.match(r"[\d:]{8}: \d+ iterations done, [12]0 ms each", found["pointed"])
    assert found["missing"] == []


HEATS = """
const canvas = $("heat");
const cell = () => $("cell").textContent;
const size = Number.parseFloat(canvas.style.width) / 4;
const place = canvas.getBoundingClientRect();
const over = (row, column) =>
  canvas.dispatchEvent(new PointerEvent("pointermove", {
    clientX: place.left + 1 + (column + 0.5) * size,
    clientY: place.top + 1 + (row + 0.5) * size,
    bubbles: true,
  }));
over(1, 2);
answers.pointed = cell();
over(2, 1);
answers.empty = cell();
over(0, 0);
key(canvas, "ArrowRight");
answers.right = cell();
key(canvas, "ArrowDown");
key(canvas, "ArrowDown");
for (let each = 0; each < 9; each += 1) key(canvas, "ArrowRight");
answers.corner = cell();
const on = canvas.getContext("2d");
const sharp = devicePixelRatio;
const middle = (index) => (index + 0.5) * size * sharp;
const colour = (row, column) => [...on.getImageData(middle(column), middle(row), 1, 1).data];
answers.colours = [colour(0, 1), colour(1, 2), colour(2, 3), colour(3, 0), colour(1, 1)];
$("scale").value = "linear";
$("scale").dispatchEvent(new Event("change"));
answers.linear = [$("least").textContent, $("most").textContent, colour(2, 3)];
$("amount").value = "recent";
$("amount").dispatchEvent(new Event("change"));
answers.recent = [$("most").textContent, colour(0, 1)];
answers.label = canvas.getAttribute("aria-label");
answers.beside = $("beside").textContent;
"""


def test_heat_map_tells_bytes_of_each_pair_to_pointer_and_keys(asked: Any, tmp_path: Path) -> None:
    found = asked(known(tmp_path), HEATS)
    assert found["pointed"] == "rank 1 → rank 2: 1.95 KiB in generation 1, 0 B/s just now"
    assert found["empty"] == "rank 2 → rank 1: 0 B in generation 1, 0 B/s just now"
    assert found["right"].startswith("rank 0 → rank 1: 1000 B in generation 1")
    assert found["corner"].startswith("rank 2 → rank 3: 2.93 KiB")
    least, second, third, most, empty = found["colours"]
    assert most == [240, 205, 30, 255] and least == [70, 50, 126, 255] and empty[3] == 0
    assert sum(least) < sum(second) < sum(third) < sum(most)
    assert found["linear"][:2] == ["0 B", "3.91 KiB"] and found["linear"][2] != third
    assert found["recent"] == ["", [0, 0, 0, 0]], "nothing was sent between the two looks"
    assert found["label"] == "Heat map of 4 rows and columns; most from one to another: nothing"
    assert found["beside"] == ""


BINNED = """
const canvas = $("heat");
canvas.focus();
key(canvas, "ArrowDown");
answers.cell = $("cell").textContent;
answers.label = canvas.getAttribute("aria-label");
answers.beside = $("beside").textContent;
"""


def test_heat_map_of_many_ranks_has_at_most_128_rows(asked: Any) -> None:
    lines = [line for rank in range(290) for line in record(rank, 300, {(rank + 1) % 300: 2048})]
    made = source(Says(status(ranks=300)), records=lines)
    made.sample(time.time())
    found = asked(made, BINNED)
    assert found["label"].startswith("Heat map of 100 rows and columns")
    assert found["cell"] == "ranks 3 to 5 → ranks 0 to 2: 0 B in generation 0"
    assert found["beside"].startswith("There are records of 290 of 300 processes")


MISSES = """
const told = (id) => ($(id).hidden ? "" : $(id).textContent);
answers.missing = ["no-iterations", "no-stages", "no-traffic", "no-resizes"].map(told);
answers.message = told("message");
answers.drawn = document.querySelectorAll(".seconds, .stage-bar, .mark").length;
answers.traffic = !$("traffic").hidden;
answers.ranks = $("ranks").querySelectorAll(".ranks").length;
"""


def test_what_is_not_known_is_said_with_how_to_get_it(asked: Any) -> None:
    made = source(Says(status()))
    made.sample(time.time())
    found = asked(made, MISSES)
    iterations, stages, traffic, resizes = found["missing"]
    assert "nereus daemon" in iterations and "setting results" in stages and "nereus monitor" in traffic
    assert resizes == "None is known."
    assert (found["message"], found["drawn"], found["traffic"], found["ranks"]) == ("", 0, False, 1)


PACES = """
answers.stages = [...document.querySelectorAll(".stages td")].map((each) => each.textContent).filter(Boolean);
answers.stands = $("stands").textContent;
"""


def test_stages_of_now_come_from_the_daemon(asked: Any) -> None:
    pace = {"iteration_seconds": 0.02, "compute_seconds": 0.012, "communication_seconds": 0.005, "flops": 2e9}
    made = source(Says(status()), DaemonSays({"iteration": 120, "turn": None, "pace": pace}))
    made.sample(time.time())
    found = asked(made, PACES)
    assert found["stages"][:4] == ["computation", "computation", "12 ms", "60 %"]
    assert found["stages"][-4:] == ["other", "other", "3 ms", "15 %"]
    assert "iteration 120 · 20 ms each" in found["stands"] and "2.00 Gflop/s" in found["stands"]


def test_ended_job_is_said_to_have_ended_and_stays_drawn(asked: Any) -> None:
    made = source(Says(status(), None))
    made.sample(time.time() - 1)
    made.sample(time.time())
    found = asked(made, MISSES + PACES)
    assert found["message"].startswith("The job has ended.") and found["ranks"] == 1
    assert found["stands"].startswith("ended at ")


def test_silent_supervisor_is_told_and_the_page_goes_on(asked: Any) -> None:
    says = Says(status(), status(ranks=0), status(ranks=5))
    made = source(says)
    made.sample(time.time() - 2)
    made.sample(time.time() - 1)
    found = asked(made, MISSES + 'answers.away = $("ranks").querySelectorAll(".away").length;')
    assert re.match(r"Nothing is known of the job since [\d:]{8}: its supervisor's answer", found["message"])
    assert "goes on asking" in found["message"] and found["away"] == 1


READS = """
answers.text = document.body.innerText;
answers.tags = [...document.querySelectorAll("*")].map((each) => each.tagName.toLowerCase());
answers.title = document.title;
"""


def test_texts_of_a_job_are_shown_as_text_only(asked: Any) -> None:
    event = {
        **{"number": 1, "time_unix": time.time() - 5, "job": "a" * 16, "event": "resized", "before": 2},
        **{"ranks": 4, "iteration": 20, "seconds": None, "by": HOSTILE, "why": HOSTILE},
    }
    strange = status(
        command=[HOSTILE, HOSTILE], name=HOSTILE, mpi=HOSTILE, state=HOSTILE, hosts=[HOSTILE] * 2
    )
    made = source(Says(strange), DaemonSays({"iteration": 1}, event), name=HOSTILE)
    made.sample(time.time())
    found = asked(made, 'press($("list").querySelector("button"));' + READS)
    assert found["title"] == f"{HOSTILE} - Nereus"
    assert found["text"].count(HOSTILE) >= 5
    assert found["tags"].count("script") == 2 and "img" not in found["tags"]


# A Chromium without a screen has no window below 500 pixels: the page is made narrower inside it.
LIES_BESIDE = """
const width = 390;
document.body.style.width = `${width}px`;
dispatchEvent(new Event("resize"));
press($("ranks").querySelector(".mark"));
await tick(1.5);
$("heat").focus();
answers.details = $("details").querySelectorAll("dt").length;
answers.scrolls = document.body.scrollWidth;
answers.beside = [...document.querySelectorAll("body *")]
  .filter((each) => each.getBoundingClientRect().right > width && !each.closest("svg"))
  .map((each) => each.className || each.id || each.tagName);
"""


def test_page_as_wide_as_a_telephone_does_not_scroll_sideways(asked: Any, tmp_path: Path) -> None:
    made = known(tmp_path, command=["./" + "a-long-name-" * 12, "--option"])
    found = asked(made, LIES_BESIDE, 8)
    assert found["details"] > 0
    assert (found["scrolls"], found["beside"]) == (390, [])


CONTRASTS = """
const channels = (text) => text.match(/[\\d.]+/g).map(Number);
const light = (text) => {
  const linear = (each) => (each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
  const [red, green, blue] = channels(text).map((each) => linear(each / 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const ground = (element) => {
  for (let at = element; at !== null; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (channels(colour)[3] !== 0) return colour;
  }
  return "rgb(255, 255, 255)";
};
const contrast = (one, other) => {
  const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};
while ($("theme").textContent !== "colours: THEME") press($("theme"));
press($("ranks").querySelector(".mark"));
$("heat").focus();
await tick(1.2);
answers.ground = light(getComputedStyle(document.body).backgroundColor);
const named = "#about *, .told, h2, .stages td, .stages th, #details *, #list span, #legend span";
const texts = [...document.querySelectorAll(named)].filter((each) => each.innerText && !each.closest("svg"));
answers.seen = texts.length;
answers.faint = texts
  .map((each) => [each.innerText, contrast(getComputedStyle(each).color, ground(each))])
  .filter(([, found]) => found < 4.5);
const shapes = [
  ["#iterations .seconds", "stroke"],
  ["#ranks .ranks", "stroke"],
  ["#ranks .mark", "fill"],
  [".computation", "fill"],
];
const colourOf = ([name, key]) => getComputedStyle(document.querySelector(name))[key];
answers.pale = shapes
  .map((shape) => [shape[0], contrast(colourOf(shape), getComputedStyle(document.body).backgroundColor)])
  .filter(([, found]) => found < 3);
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_texts_and_shapes_are_readable_on_light_and_dark(asked: Any, tmp_path: Path, theme: str) -> None:
    found = asked(known(tmp_path), CONTRASTS.replace("THEME", theme))
    assert found["seen"] > 15
    assert (found["ground"] > 0.5) == (theme == "light")
    assert (found["faint"], found["pale"]) == ([], [])


COLOURS = """
const { colourAt } = await import("./job_colours.js");
const { bytesText, secondsText } = await import("./job_numbers.js");
answers.colours = Array.from({ length: 101 }, (_, at) => colourAt(at / 100).match(/\\d+/g).map(Number));
answers.numbers = [...[0, 999, 1536, 2 ** 40].map(bytesText), ...[0, 0.0123, 75].map(secondsText)];
"""


def test_colours_of_amounts_rise_in_lightness(asked: Any) -> None:
    found = asked(source(Says(status())), COLOURS)
    lightness = [0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in found["colours"]]
    assert lightness == sorted(lightness) and lightness[-1] - lightness[0] > 100
    assert found["numbers"] == ["0 B", "999 B", "1.5 KiB", "1 TiB", "0 s", "12.3 ms", "75 s"]
