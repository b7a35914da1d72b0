# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a terminal to the name of a job or a host, and commands to a traceback."""

import asyncio
import io
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from a_page import House, Served
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from textual.widgets import Static

from nereus import printable, printable_lines
from nereus.analysis.report.console import PlainConsole
from nereus.cli import messages
from nereus.cli.top_screen import TopScreen
from nereus.daemon.page.source import Source
from nereus.daemon.watch import Look, Watch

# A byte that is no UTF-8, a command to the terminal in its two ways to begin, a title, brackets of styles.
HOSTILE = "\udcff\x1b[31m\x9b2J\x1b]0;taken\x07[/bold][red]\u202e\r"


def is_harmless(text: str) -> bool:
    return all(line.isprintable() for line in text.split("\n")) and bool(text.encode() or True)


@given(st.text(st.characters(exclude_categories=())))
def test_printable_text_is_encodable_and_has_no_control_characters(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable()
    assert shown.encode().decode() == shown
    assert printable(shown) == shown
    if text.isprintable():
        assert shown == text


def test_command_output_has_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("a")
    table.add_row(HOSTILE)
    for say in (messages.complain, messages.note, messages.say, messages.show):
        say(HOSTILE)
    messages.warn([HOSTILE])
    messages.show(table)
    messages.show_json({HOSTILE: HOSTILE})
    messages.show_json_line({HOSTILE: HOSTILE})
    said = capsys.readouterr()
    assert is_harmless(said.out) and is_harmless(said.err)
    assert "[/bold][red]" in said.out, "brackets were taken for styles"


def test_json_keeps_the_original_text(capsys: pytest.CaptureFixture[str]) -> None:
    messages.show_json([HOSTILE, "ü"])
    out = capsys.readouterr().out
    assert json.loads(out) == [HOSTILE, "ü"] and "ü" in out


def test_terminal_gets_only_our_own_styles() -> None:
    terminal = io.StringIO()
    console = PlainConsole(file=terminal, force_terminal=True, width=200)
    table = Table("a", header_style="bold")
    table.add_row(HOSTILE)
    console.print(table)
    plain = terminal.getvalue().replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert "\x1b[1m" in terminal.getvalue() and is_harmless(plain)


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    # Names of sockets are short.
    with tempfile.TemporaryDirectory(prefix="nht-") as runtime:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
        made = House(tmp_path)
        yield made
        made.close()


def test_job_with_control_characters_is_listed_by_every_command(
    house: House, nereus: Callable[..., tuple[int, str, str]]
) -> None:
    house.begin("--policy", "fair")
    with house.job(
        "one", command=["./" + HOSTILE, HOSTILE], mpi=HOSTILE, hosts=["localhost", HOSTILE]
    ) as job:
        job.say("refused", id=1, command=0, code=-1, message=HOSTILE)
        for words in (
            ["jobs"],
            ["daemon", "status"],
            ["daemon", "events"],
            ["top", "--jobs", "--samples", "1"],
        ):
            for form in ([], ["--json"]):
                code, out, err = nereus(*words, *form)
                assert (code, err) == (0, "")
                assert is_harmless(out), words
                assert job.name in out
        served = Served(Source())
        try:
            found = served.look()
        finally:
            served.close()
    (known,) = found["status"]["jobs"]
    # Of half a character nothing can be kept.
    whole = HOSTILE.replace("\udcff", "?")
    assert known["command"] == [printable("./" + whole), printable(whole)]


def test_screen_shows_control_characters_as_text() -> None:
    strange = {
        **{"job": "a" * 16, "ranks": 2, "iteration": 7, "turn": None, "answers": True, "next_io_unix": None},
        **{"next_io_iteration": None, "period_seconds": None, "io_seconds": None, "confidence": None},
        **{"commands": [], "command": [HOSTILE]},
    }
    told = {"number": 1, "time_unix": 0.0, "job": "a" * 16, "event": "trouble", "text": HOSTILE}
    status = {"policy": HOSTILE, "cores": {"h": 8}, "cores_free": 3, "jobs": [strange], "last_event": 0}
    found = Look(0.0, status, (told,), ())

    async def look() -> list[str]:
        app = TopScreen(Watch(), found, 3600.0, None)
        async with app.run_test() as pilot:
            await pilot.pause()
            row = app._table.get_row_at(0)
            statics = [str(app.query_one(name, Static).render()) for name in ("#daemon", "#decisions")]
            return [*map(str, row), *statics]

    shown = asyncio.run(look())
    assert all(map(is_harmless, shown))
    assert any("[/bold]" in each for each in shown)


def test_commands_print_through_one_module(tracked: dict[str, str]) -> None:
    """Which makes text of what comes from outside."""
    places = {"python/nereus/cli/messages.py", "python/nereus/analysis/report/console.py"}
    own: dict[str, Any] = {
        path: [word for word in (" print(", " Console(", "typer.echo(", "stdout.write(") if word in text]
        for path, text in tracked.items()
        if path.startswith("python/nereus/") and path.endswith(".py") and path not in places
    }
    # Their lines are made harmless beside it, or have nothing from outside.
    for path in (
        "analysis/report/progress.py",
        "supervisor/sockets.py",
        "supervisor/supervisor.py",
        "daemon/page/server.py",
    ):
        own.pop(f"python/nereus/{path}")
    assert {path: words for path, words in own.items() if words} == {}


def test_newlines_are_kept() -> None:
    assert printable_lines("a\nb\x1b") == "a\nb\\u001b"
