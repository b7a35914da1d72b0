# SPDX-License-Identifier: BSD-3-Clause
"""nereus top --jobs: what a user would lose is a screen that shows the daemon's jobs, and resizes one."""

import asyncio
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from a_far_supervisor import far_supervisor
from a_name import called
from a_page import House, received
from textual.pilot import Pilot
from textual.widgets import DataTable, Input, Label, Static

from nereus.cli.main import run
from nereus.cli.top_screen import AskRanks, TopScreen
from nereus.daemon.watch import Look, Watch
from nereus.launch.parts_folder import made_for
from nereus.supervisor import RESIZED
from nereus.supervisor.control_socket import ControlSocket
from nereus.supervisor.sockets import Sockets

LIMIT = 120.0
A, B = "a" * 16, "b" * 16
EVERY = 0.05


@pytest.fixture
def house(tmp_path: Path, shell: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", shell.environment["XDG_RUNTIME_DIR"])
    made = House(tmp_path)
    yield made
    made.close()


def job(key: str, **about: Any) -> dict[str, Any]:
    usual = {
        **{"job": key, "name": None, "ranks": 2, "iteration": 7, "turn": None, "answers": True},
        **{"next_io_unix": None, "next_io_iteration": None, "period_seconds": None, "io_seconds": None},
        **{"confidence": None, "commands": [], "command": ["./cg", "[bold]"]},
    }
    return {**usual, **about}


def decided(key: str) -> dict[str, Any]:
    about = {"before": 2, "ranks": 4, "at": 30, "gives_back": False, "by": "fair", "why": "[b]free cores"}
    return {"number": 1, "time_unix": 0.0, "job": key, "event": "decided", **about}


def look(*jobs: dict[str, Any], why: str = "") -> Look:
    status = {"policy": "fair", "cores": {"h": 8}, "cores_free": 3, "jobs": list(jobs), "last_event": 0}
    return Look(time.time(), None if why else status, (decided(A),), (), why)


class Scripted(Watch):
    """Sees what a test says."""

    def __init__(self, found: Look) -> None:
        super().__init__()
        self.found = found
        self.looks = 0

    def look(self) -> Look:
        self.looks += 1
        return self.found

    async def seen(self, found: Look, pilot: Pilot[None]) -> None:
        """Until the screen shows it."""
        self.found, before = found, self.looks
        await until(lambda: self.looks > before + 1, pilot)


async def until(condition: Callable[[], bool], pilot: Pilot[None]) -> None:
    deadline = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        await pilot.pause(0.02)


def shown(screen: TopScreen, name: str) -> str:
    return str(screen.screen_stack[0].query_one(name, Static).render())


def rows(screen: TopScreen) -> list[list[str]]:
    table = screen.screen_stack[0].query_one(DataTable)
    return [[str(cell) for cell in table.get_row_at(index)] for index in range(table.row_count)]


def on(screen: TopScreen, steps: Callable[[Pilot[None]], Any]) -> None:
    async def live() -> None:
        async with screen.run_test() as pilot:
            await steps(pilot)

    asyncio.run(live())


def test_jobs_and_decisions_are_shown_and_updated() -> None:
    watch = Scripted(look())
    told = job(B, turn="writes", commands=[{"kind": "resize", "ranks": 4, "at": 30}])
    screen = TopScreen(watch, look(job(A), told), EVERY, None)

    async def steps(pilot: Pilot[None]) -> None:
        assert shown(screen, "#daemon") == f"policy fair, 3 of 8 cores free, jobs: 2, turn: {B}"
        assert rows(screen)[0] == [A, "2", "7", "", "computes", "", "", "./cg [bold]"]
        assert rows(screen)[1][4:7] == ["writes", "", "4 ranks at 30"]
        assert "will be resized from 2 to 4 ranks at iteration 30 (fair: [b]free cores)" in shown(
            screen, "#decisions"
        )
        await watch.seen(look(job(A, turn="waits", ranks=5)), pilot)
        assert [row[:5] for row in rows(screen)] == [[A, "5", "7", "", "waits"]]

    on(screen, steps)


def test_jobs_are_shown_by_name_where_known() -> None:
    one, other = job(A, name="cg-1", turn="writes"), job(B)
    found = replace(look(one, other), decisions=(decided(A) | {"name": "cg-1"}, decided(B)))
    screen = TopScreen(Scripted(found), found, EVERY, None)

    async def steps(pilot: Pilot[None]) -> None:
        assert shown(screen, "#daemon").endswith("turn: cg-1")
        assert [row[0] for row in rows(screen)] == ["cg-1", B]
        assert [line.split()[1] for line in shown(screen, "#decisions").splitlines()] == ["cg-1", B]
        await pilot.press("r")
        assert "ranks for cg-1, which has 2" in str(screen.screen.query_one(Label).render())
        await pilot.press("3", "enter")
        await until(lambda: any(text.startswith("cg-1: ") for text in notices(screen)), pilot)

    on(screen, steps)


def test_cursor_stays_on_its_job() -> None:
    watch = Scripted(look(job(A), job(B)))
    screen = TopScreen(watch, watch.found, EVERY, None)

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press("down")
        await watch.seen(look(job("c" * 16), job("d" * 16), job(B)), pilot)
        assert screen._chosen == B
        await watch.seen(look(job(A)), pilot)
        assert screen._chosen == A
        await watch.seen(look(), pilot)
        await pilot.press("r")
        assert not isinstance(screen.screen, AskRanks)

    on(screen, steps)


def test_missing_daemon_is_reported_and_its_jobs_stay_visible() -> None:
    watch = Scripted(look(job(A)))
    screen = TopScreen(watch, watch.found, EVERY, None)

    async def steps(pilot: Pilot[None]) -> None:
        await watch.seen(look(why="no daemon of yours"), pilot)
        assert shown(screen, "#daemon").startswith("no daemon of yours; last asked at ")
        assert len(rows(screen)) == 1
        await watch.seen(look(job(A), job(B)), pilot)
        assert shown(screen, "#daemon").startswith("policy fair") and len(rows(screen)) == 2

    on(screen, steps)


@pytest.mark.parametrize(("keys", "samples"), [(["q"], None), ([], 3)])
def test_screen_ends_by_key_or_after_given_samples(keys: list[str], samples: int | None) -> None:
    watch = Scripted(look(job(A)))
    screen = TopScreen(watch, watch.found, EVERY, samples)

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*keys)
        await until(lambda: not screen.is_running or screen._exit, pilot)

    on(screen, steps)
    assert samples is None or watch.looks == samples - 1


def test_samples_during_shutdown_are_ignored() -> None:
    watch = Scripted(look(job(A)))
    screen = TopScreen(watch, watch.found, EVERY, None)

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press("q")

    on(screen, steps)
    screen._take(look(job(B)))  # as by a thread that looked until the screen was closed
    assert screen._shown.jobs[0]["job"] == A
    screen.notify("resized")


class Supervisor:
    """Answers on the control socket of a job that it was resized."""

    def __init__(self, name: str) -> None:
        self.asked: list[dict[str, Any]] = []
        self._over = threading.Event()
        self._sockets = Sockets()
        self._control_socket = ControlSocket(self._sockets, name)
        self._thread = threading.Thread(target=self._live)
        self._thread.start()

    def _live(self) -> None:
        while not self._over.wait(0.01):
            for envelope, question in self._control_socket.received():
                assert question is not None
                self.asked.append(question)
                report = {"from": 2, "to": question["ranks"]}
                envelope.answer({"kind": "resized", "code": RESIZED, "report": report})

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        self._control_socket.close()
        self._sockets.close()


def test_r_resizes_the_selected_job_like_nereus_resize(house: House) -> None:
    watch = Scripted(look(job(A), job(B)))
    screen = TopScreen(watch, watch.found, EVERY, None)
    supervisor = Supervisor(B)

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press("down", "r", "0", "enter")
        assert isinstance(screen.screen, AskRanks), "0 ranks were taken"
        await watch.seen(watch.found, pilot)
        screen.screen.query_one(Input).value = ""
        await pilot.press("6", "enter")
        await until(lambda: any("resized 2 → 6 ranks" in text for text in notices(screen)), pilot)
        await pilot.press("r", "escape")
        assert not isinstance(screen.screen, AskRanks)

    try:
        on(screen, steps)
    finally:
        supervisor.close()
    assert supervisor.asked == [{"kind": "resize", "ranks": 6, "options": {}, "wait": True, "version": 1}]


def test_job_of_another_host_is_shown_and_resized(house: House, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("NEREUS_KEY_FOLDER", str(tmp_path / "keys"))
    silent = {"job": B, "name": None, "host": "n3", "state": "silent", "reason": "it did not answer in time"}
    with far_supervisor(tmp_path / "keys", A) as far:
        first = Watch().look()
        found = replace(first, supervised=(*first.supervised, silent))
        watch = Scripted(found)
        screen = TopScreen(watch, found, EVERY, None)

        async def steps(pilot: Pilot[None]) -> None:
            assert rows(screen) == [
                ["far-1", "2", "", "", "running on n2", "", "", "./far"],
                [B, "", "", "", "silent on n3", "", "", ""],
            ]
            assert shown(screen, "#daemon").startswith("jobs: 2; no daemon of yours runs on this host")
            await pilot.press("r", "5", "enter")
            await until(lambda: any("resized 2 → 5 ranks" in text for text in notices(screen)), pilot)
            await pilot.press("down", "r")
            assert not isinstance(screen.screen, AskRanks), "one that is silent cannot be resized"

        on(screen, steps)
    assert [question["kind"] for question in far.asked] == ["status", "resize"]


def test_reason_for_a_refused_resize_is_shown(house: House) -> None:
    watch = Scripted(look(job(A)))
    screen = TopScreen(watch, watch.found, EVERY, None)

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press("r", "3", "enter")
        await until(lambda: any("no such job of yours is known" in text for text in notices(screen)), pilot)

    on(screen, steps)


def notices(screen: TopScreen) -> list[str]:
    return [notice.message for notice in screen._notifications]


def test_samples_are_json_lines_or_a_table_in_a_pipe(house: House, shell: Any) -> None:
    house.begin("--policy", "fair")
    with house.job("one", command=["./cg", "[bold]"]) as one, called(one.name, "cg-1"):
        received(one, "resize")
        lines = shell.nereus("top", "--jobs", "--json", "--samples", "2", "--interval", "0.1").stdout
        table = shell.nereus("top", "--jobs", "--samples", "1").stdout
    first, second = map(json.loads, lines.splitlines())
    (known,) = first["jobs"]
    assert (known["job"], known["name"], known["ranks"]) == (one.name, "cg-1", 1)
    assert (first["policy"], first["writing"]) == ("fair", [])
    assert [(event["event"], event["name"]) for event in first["decisions"]] == [("decided", "cg-1")]
    assert second["decisions"] == []
    assert all(text in table for text in ("turn: nobody", "\ncg-1 ", "./cg [bold]"))


def test_jobs_option_is_refused_without_daemon_or_with_a_job(
    house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["top", "--jobs"]) == 2
    assert "nereus daemon starts one" in capsys.readouterr().err
    assert run(["top", "--jobs", "cg"]) == 2
    assert "one of them is allowed" in capsys.readouterr().err


def test_folders_of_other_users_are_not_monitored_runs(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shm = tmp_path / "shm"
    shm.mkdir()
    monkeypatch.setattr("nereus.launch.parts_folder.FOLDER", shm)
    open_to_all = shm / "nereus-1f-monitor-x"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    os.mkfifo(open_to_all / "1.part")  # whoever opens it waits for ever
    (shm / "nereus-2e-monitor-x").symlink_to(open_to_all)
    assert run(["top", "--samples", "1"]) == 2
    assert "no such run is monitored" in capsys.readouterr().err


def test_invalid_records_are_ignored_and_names_escaped(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shm = tmp_path / "shm"
    shm.mkdir()
    monkeypatch.setattr("nereus.launch.parts_folder.FOLDER", shm)
    with made_for("1f") as one, made_for("\x1b[31mred") as other:
        os.mkfifo(one / "1.part")
        os.mkfifo(other / "1.part")
        assert run(["top", "--samples", "1"]) == 2
    told = capsys.readouterr().err
    assert "monitored on this host are:" in told and "\\u001b[31mred" in told and "\x1b" not in told


def test_without_monitored_run_the_jobs_of_the_daemon_are_shown(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("nereus.launch.parts_folder.FOLDER", tmp_path)
    assert run(["top", "--samples", "1"]) == 2
    assert "`nereus monitor` begins one" in capsys.readouterr().err
    house.begin()
    assert run(["top", "--samples", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["jobs"] == []
