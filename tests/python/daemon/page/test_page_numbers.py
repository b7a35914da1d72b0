# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: the way from a decision to its numbers, and to the events they come from."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from a_browser import Tab
from a_name import called
from a_page import A, B, House, Served, Told

from nereus.daemon.page.source import Source
from nereus.policy.prediction import IoPhase, predict

Document = dict[str, Any]
Serve = Callable[..., Served]
BEGIN = 0.5  # of the history; `_began_lately` sets it
WHY = f"its next I/O phase would meet that of {B} by 4.0 s: moved 6.0 s ahead"


def wrote(phase: int, start: float, wait: float, service: float, iteration: int, ranks: int) -> Document:
    about = {"phase": phase, "epoch": phase, "bytes": 1 << 20, "ranks": ranks, "iteration": iteration}
    return {**about, "start_unix": BEGIN + start, "wait_seconds": wait, "service_seconds": service}


def ended_phases(history: list[Document], job: str, ranks: int) -> list[IoPhase]:
    return [
        IoPhase(each["start_unix"], each["wait_seconds"], each["service_seconds"], each["iteration"], ranks)
        for each in history
        if each["event"] == "wrote" and each["job"] == job and each["ranks"] == ranks
    ]


def history() -> list[Document]:
    """A was resized to 2 ranks, and wrote three times; B writes with 3. Then A is to be moved."""
    came = {"iteration": 0, "places": {"h": 2}, "most": 8}
    resized = {"before": 1, "ranks": 2, "iteration": 3, "seconds": 0.1, "by": "fair", "why": "", "command": 1}
    decided = {"command": 2, "before": 2, "ranks": 4, "at": 40, "gives_back": False, "by": "phase-shifting"}
    told: list[tuple[float, str, str, Document]] = [
        (0, A, "came", {"ranks": 1, "command": ["./cg", "100"], **came}),
        (1, B, "came", {"ranks": 3, "command": ["./lu"], **came}),
        (4, A, "wrote", wrote(1, 2, 0, 2, 2, 1)),
        (5, A, "resized", resized),
        (14, A, "wrote", wrote(2, 10, 0, 4, 10, 2)),
        (15, B, "wrote", wrote(1, 8, 1, 6, 20, 3)),
        (35, A, "wrote", wrote(3, 30, 1, 4, 20, 2)),
        (35, B, "wrote", wrote(2, 28, 1, 6, 40, 3)),
        (54, A, "wrote", wrote(4, 50, 0, 4, 30, 2)),
        (55, B, "wrote", wrote(3, 48, 1, 6, 60, 3)),
        (60, A, "decided", {**decided, "why": WHY}),
        (64, A, "resized", {**decided, "iteration": 40, "seconds": 0.1, "why": WHY}),
        (75, A, "wrote", wrote(5, 66, 0, 4, 50, 4)),
    ]
    return [
        {"number": number, "time_unix": BEGIN + after, "job": job, "event": kind, **about}
        for number, (after, job, kind, about) in enumerate(told, start=1)
    ]


@pytest.fixture(autouse=True)
def _began_lately(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within the window of the page, whenever the test runs; half a second from where times of day change."""
    monkeypatch.setattr(sys.modules[__name__], "BEGIN", int(time.time()) - 100 + 0.5)


@pytest.fixture
def names(house: House) -> Iterator[None]:
    house.control_sockets.mkdir(mode=0o700)
    with ExitStack() as stack:
        for key, name in ((A, "plate"), (B, "waves")):
            stack.enter_context(called(key, name))
        yield
    house.control_sockets.rmdir()


@pytest.fixture
def page(tab: Tab, served: Serve, names: None) -> Tab:
    tab.look_as(1280)
    address = served(Source(Told(history()).ask)).address
    tab.go(address + "#window=300", "document.querySelector('.mark.decided[data-number]')")
    tab.click("#list [data-number='11']")
    return tab


def clock(page: Tab, after: float) -> str:
    text: str = page.js(f"new Date({(BEGIN + after) * 1000}).toTimeString().slice(0, 8)")
    return text


def numbers(page: Tab) -> dict[str, list[str]]:
    found: dict[str, list[str]] = page.js(
        """Object.fromEntries([...document.querySelectorAll("#details .grounds")].map((each) => [
          each.querySelector("h4").textContent,
          [...each.querySelectorAll("dt")].map((dt) => `${dt.textContent}: ${dt.nextSibling.textContent}`),
        ]))"""
    )
    return found


def test_decision_shows_the_numbers_of_both_jobs_at_that_time(page: Tab) -> None:
    found = numbers(page)
    assert list(found) == ["plate", "waves, named in the reason"]
    times = " ".join(clock(page, start) for start in (10, 30, 50))
    assert found["plate"] == [
        f"ranks: 2 since {clock(page, 5)}",
        f"writes: 4.00 s, mean of 3: {times}",
        "between: 15.5 s from the end of one to the next",
        f"next I/O: {clock(page, 69.5)}.0 to {clock(page, 73.5)}.0, then every 19.5 s",
        f"iteration: 1.55 s with 2 ranks, mean of 2, until {clock(page, 50)}",
    ]
    of_waves = f"next I/O: {clock(page, 68)}.5 to {clock(page, 74)}.5, then every 19.0 s"
    assert found["waves, named in the reason"][3] == of_waves
    text = page.js("document.querySelector('#details').textContent")
    assert "The event has no numbers of the policy" in text
    assert "outcome: " in text and "went from 2 to 4 ranks" in text


def test_numbers_are_those_of_the_daemons_prediction(page: Tab) -> None:
    shown = page.js(
        """Promise.all([import("./grounds.js"), import("./story.js"), fetch("look").then((a) => a.json())])
          .then(([{ groundsOf }, { Story }, answer]) => {
            const story = new Story();
            story.take(answer);
            const all = groundsOf(story.numbered(11), story);
            return all.map(({ io }) => [io.next, io.duration, io.between + io.duration]);
          })"""
    )
    for job, ranks, found in ((A, 2, shown[0]), (B, 3, shown[1])):
        expected = predict(ended_phases(history()[:10], job, ranks))
        assert expected is not None
        assert found == pytest.approx([expected.next_start, expected.duration, expected.period])


def test_links_of_numbers_choose_their_event_and_lead_back(page: Tab) -> None:
    page.click("#zoom-in")
    page.js("for (let i = 0; i < 6; i += 1) document.querySelector('#later').click()")
    page.click("#details [data-to='7']")
    assert page.js("document.querySelector('#details .top + p').textContent").endswith(
        "wrote 1.00 MiB in 4.00 s after 1.00 s of waiting"
    )
    assert page.js("document.querySelector('#list .chosen').dataset.number") == "7"
    assert page.js("document.querySelector('#lanes .bar.writing.chosen').dataset.number") == "7"
    assert page.js("document.activeElement.id") == "details"
    page.click("#details .back")
    assert list(numbers(page)) == ["plate", "waves, named in the reason"]
    assert not page.js("document.querySelector('#details .back')")
    page.click("#details .to")
    text = page.js("document.querySelector('#details').textContent")
    assert "decided: " in text and "Numbers it rests on" not in text
    page.click("#details .close")
    assert page.js("document.querySelector('#details').hidden")


def test_link_to_an_event_that_the_search_hides_ends_the_search(page: Tab) -> None:
    page.press("/")
    page.write("moved")
    page.until("document.querySelectorAll('#list button').length === 2")
    page.click("#details [data-to='10']")
    assert page.js("document.querySelector('#search').value") == ""
    assert page.js("document.querySelector('#list .chosen .of').textContent") == "waves"


def test_lanes_and_lists_show_names_and_reasons_say_them(page: Tab) -> None:
    lanes = page.js("[...document.querySelectorAll('#lanes .name')].map((each) => each.textContent)")
    assert lanes == ["plate", "waves"]
    text = page.js("document.querySelector('#list').textContent")
    assert "would meet that of waves by 4.0 s" in text
    assert A not in text and B not in text
    assert page.js("document.querySelector('#lanes .name').title") == A


def test_name_stays_known_when_the_job_has_ended(page: Tab) -> None:
    found = page.js(
        """import("./story.js").then(({ Story }) => {
          const story = new Story();
          const event = (number, about) => ({ number, time_unix: number, job: "j", ...about });
          const came = event(1, { event: "came", name: "cg-1", ranks: 1, command: ["./cg"] });
          const ended = event(2, { event: "ended", name: null });
          story.take({ since: 0, last: 2, events: [came, ended], status: { store: "/s", jobs: [] } });
          return story.nameOf(ended);
        })"""
    )
    assert found == "cg-1"


def test_outcome_of_a_chosen_decision_appears_when_it_is_there(tab: Tab, served: Serve) -> None:
    whole = history()
    told = Told(whole[:11])
    tab.go(served(Source(told.ask)).address, "document.querySelector('#list button')")
    tab.click("#list [data-number='11']")
    assert "outcome" not in tab.js("document.querySelector('#details').textContent")
    told.goes_on(whole)
    tab.until("document.querySelector('#details').textContent.includes('outcome: ')")


def test_decision_without_earlier_io_says_so(tab: Tab, served: Serve) -> None:
    events = [each for each in history() if each["event"] != "wrote"]
    renumbered = [{**each, "number": number} for number, each in enumerate(events, start=1)]
    tab.go(served(Source(Told(renumbered).ask)).address, "document.querySelector('#list button')")
    tab.click("#list [data-number='4']")
    text = tab.js("document.querySelector('#details').textContent")
    assert "no I/O phase before is known on this page" in text
