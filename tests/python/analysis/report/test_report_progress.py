# SPDX-License-Identifier: BSD-3-Clause
"""What a user sees while a run goes on."""

import io
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from nereus.analysis.report import Progress
from nereus.analysis.report.progress import PLAIN_LINE_EVERY_SECONDS, Bar, Plain, State, Tail, _events


def alive_during(steps: list[Callable[[], object]]) -> Callable[[], bool]:
    """Alive until every step was made, one at each look."""
    todo: Iterator[Callable[[], object]] = iter(steps)

    def alive() -> bool:
        step = next(todo, None)
        if step is not None:
            step()
        return step is not None

    return alive


def state_of(lines: list[str]) -> State:
    state = State(0)
    for event in _events([line.encode() for line in lines]):
        state.take(event)
    return state


def follow(run: Any, **options: Any) -> str:
    """What is shown while the recording's lines are appended in two parts; the first look finds no file."""
    stream = io.StringIO()
    path = run.folder / "run.jsonl"
    run.folder.mkdir()

    def append(text: str) -> Callable[[], object]:
        def step() -> None:
            with path.open("a", encoding="utf-8") as file:
                file.write(text)

        return step

    text = "".join(f"{line}\n" for line in run.lines)
    middle = len(text) // 2
    steps = [lambda: None, append(text[:middle]), append(text[middle:])]
    Progress(run.run, stream=stream, **options).follow(path, alive_during(steps))
    return stream.getvalue()


def test_resizes_are_printed_as_lines_without_terminal(complete: Any) -> None:
    assert follow(complete).splitlines() == [
        "resized 2 → 4 ranks: pause 12.0 ms (processes 6.00 ms)",
        "resized 4 → 1 ranks: pause 200 ms (processes 100 ms)",
    ]


def test_quiet_prints_nothing(complete: Any) -> None:
    assert follow(complete, quiet=True) == ""


def test_rolled_back_resize_is_reported_with_reason(begin: Any) -> None:
    run = begin([2, 8])
    run.starts()
    run.iterates([0.1])
    run.undoes(8, "host [n3] is down")
    assert follow(run) == "resize 2 → 8 ranks rolled back while making: host [n3] is down\n"


def test_follow_ends_when_run_dies_without_result_file(begin: Any, tmp_path: Path) -> None:
    done = threading.Event()
    progress = Progress(begin([2]).run, stream=io.StringIO())

    def follow_nothing() -> None:
        progress.follow(tmp_path / "absent", lambda: False)
        done.set()

    threading.Thread(target=follow_nothing, daemon=True).start()
    assert done.wait(timeout=30)


def test_plain_progress_lines_are_rate_limited(complete: Any) -> None:
    now = [0.0]
    stream = io.StringIO()
    plain = Plain(stream, clock=lambda: now[0])
    state = state_of(complete.lines[:5])
    for _ in range(100):
        now[0] += PLAIN_LINE_EVERY_SECONDS / 40
        plain.update(state)
    assert stream.getvalue().count("\n") == 2


def test_line_shows_iteration_ranks_last_time_and_eta(begin: Any) -> None:
    run = begin([2, 4], iterations=50)
    run.starts()
    run.iterates([0.5] * 10)
    run.resizes(4)
    run.iterates([0.25] * 9)
    # 101 iterations in all; 82 of them to come, at the pace of the present generation.
    assert state_of(run.lines).text() == "iteration 19/101 · 4 ranks · last 250 ms · ETA 0:20"


def test_eta_is_known_after_one_iteration(begin: Any) -> None:
    run = begin([1], iterations=9)
    run.starts()
    run.iterates([0.5])
    assert state_of(run.lines).seconds_left == pytest.approx(4.5)


def test_line_can_be_shown_after_each_event(complete: Any) -> None:
    """Between the start of a generation and its first iteration there are no recent ones."""
    state = State(1)
    for event in _events([line.encode() for line in complete.lines]):
        state.take(event)
        assert re.fullmatch(r"starting|iteration \d+/\d+ · \d ranks? · last .+ · ETA \d+:\d\d", state.text())


def test_terminal_shows_bar_with_resizes_above(complete: Any) -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=120, legacy_windows=False)
    bar = Bar(console)
    with bar.opened():
        bar.update(state_of(complete.lines))
        bar.tell("resized [2] → 4")
        bar.update(state_of(complete.lines))
    shown = stream.getvalue()
    assert "iteration 16/16 · 1 rank · last 400 ms · ETA 0:00" in shown
    assert "resized [2] → 4" in shown


def test_partial_line_is_held_back_until_complete(tmp_path: Path) -> None:
    path = tmp_path / "file"
    tail = Tail(path)
    assert tail.lines() == []
    with path.open("ab") as file:
        for written, expected in ((b"on", []), (b"e\ntw", [b"one"]), (b"o\n", [b"two"])):
            file.write(written)
            file.flush()
            assert tail.lines() == expected
    tail.close()


def test_damaged_lines_do_not_stop_progress(complete: Any) -> None:
    damage = ["{", "[]", '{"event": []}', '{"event": "progress"}', "\x00"]
    assert state_of([*damage, *complete.lines, *damage]).done == 16
