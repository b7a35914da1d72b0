# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a job's history, also while no browser looked, and what is not known of it."""

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from a_job_page import (
    KEY,
    NOBODY,
    DaemonSays,
    Says,
    Supervisor,
    committed,
    emulation,
    iteration,
    progress,
    record,
    source,
    status,
)
from a_page import House, until

from nereus.daemon.page.job import source as job_source
from nereus.daemon.page.job.source import JobSource, sampled
from nereus.daemon.page.job.status import JobStatus
from nereus.daemon.page.job.successor import Successors
from nereus.supervisor import FoundJob, NoAnswer, find

RESIZED = {
    **{"number": 1, "time_unix": 50.0, "job": KEY, "event": "resized", "before": 2, "ranks": 4},
    **{"iteration": 20, "seconds": 0.1, "by": "fair", "why": "free cores", "command": 1},
}
PACE = {"iteration_seconds": 0.02, "compute_seconds": 0.012, "communication_seconds": 0.005, "flops": 1e9}


def test_samples_are_told_once_in_order_with_ranks_and_state() -> None:
    asked = source(Says(status(), status(ranks=3, generation=1, hosts=["h"] * 3)))
    asked.sample(10.0)
    first = asked.look(None)
    asked.sample(11.0)
    later = asked.look(first["last"])
    assert [(one["time_unix"], one["ranks"], one["state"]) for one in first["samples"]] == [
        (10.0, 2, "running")
    ]
    assert [one["ranks"] for one in later["samples"]] == [3]
    assert later["job"]["hosts"] == {"h": 3} and later["there"]
    assert asked.look(later["last"])["samples"] == []


def test_iterations_come_from_the_daemon() -> None:
    asked = source(Says(status()), DaemonSays({"iteration": 120, "turn": None, "pace": PACE}))
    asked.sample(10.0)
    found = asked.look(None)
    (sample,) = found["samples"]
    assert (sample["iteration"], sample["seconds"]) == (120, 0.02)
    assert found["job"]["pace"]["communication_seconds"] == 0.005 and found["job"]["tells_iterations"]


def test_iterations_that_nobody_knows_are_not_made_up() -> None:
    asked = source(Says(status()))
    asked.sample(10.0)
    found = asked.look(None)
    assert [(one["iteration"], one["seconds"]) for one in found["samples"]] == [(None, None)]
    assert not found["job"]["tells_iterations"] and found["stages"] == [] and found["traffic"] is None


def test_resize_is_known_from_the_daemon_with_who_decided_it() -> None:
    daemon = DaemonSays({"iteration": 30, "pace": None}, RESIZED, {**RESIZED, "number": 2, "job": "b" * 16})
    asked = source(Says(status(), status(ranks=4, generation=1)), daemon)
    asked.sample(49.0)
    asked.sample(51.0)
    (resize,) = asked.look(None)["resizes"]
    assert (resize["time_unix"], resize["from"], resize["to"], resize["source"]) == (50.0, 2, 4, "daemon")
    assert resize["facts"] == {"iteration": "20", "pause": "100 ms", "decided by": "fair: free cores"}


def test_resizes_without_daemon_are_seen_between_two_looks() -> None:
    asked = source(Says(status(), status(ranks=5, generation=3, resizes=3)))
    asked.sample(10.0)
    asked.sample(11.0)
    (resize,) = asked.look(None)["resizes"]
    assert (resize["from"], resize["to"], resize["time_unix"], resize["source"]) == (2, 5, 11.0, "status")
    assert resize["facts"]["resizes"] == "3, one after the other"


def test_job_that_opens_in_a_later_generation_was_not_resized() -> None:
    asked = source(Says(status(state="starting"), status(ranks=5, generation=3)))
    asked.sample(10.0)
    asked.sample(11.0)
    assert asked.look(None)["resizes"] == []


def test_what_did_not_change_is_not_told_again() -> None:
    asked = source(Says(status(), status(ranks=4, generation=1), status(ranks=4, generation=1)))
    asked.sample(10.0)
    first = asked.look(None)
    asked.sample(11.0)
    second = asked.look(first["last"])
    asked.sample(12.0)
    third = asked.look(second["last"])
    assert "resizes" in second and "stages" not in second
    assert "resizes" not in third and len(third["samples"]) == 1


def test_emulation_written_before_the_page_was_opened_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    points = [progress(at / 2, at, 0.1 + at / 100) for at in range(1, 7)]
    done = [iteration(0, 0, 0.03, 0.01), iteration(0, 1, 0.05, 0.01)]
    file.write_text(emulation(*points, *done, committed(3.2, 2, 4, 1), began=1000.0))
    asked = source(Says(status(command=["/bin/nereus-emulator", "run.json", "--results", str(file)])))
    asked.sample(1010.0)
    found = asked.look(None)
    iterations = [one["iteration"] for one in found["samples"]]
    assert iterations == sorted(iterations) and iterations[-1] == 6 and len(iterations) > 2
    assert [one["time_unix"] for one in found["samples"]][-1] == 1010.0
    assert found["samples"][0]["least"] < found["samples"][0]["most"]
    (resize,) = found["resizes"]
    assert (resize["time_unix"], resize["source"], resize["facts"]["pause"]) == (1003.2, "results", "250 ms")
    (stages,) = found["stages"]
    assert (stages["generation"], stages["iterations"]) == (0, 2)
    parts = [(part["name"], part["kind"], round(part["seconds"], 6)) for part in stages["parts"]]
    assert parts == [("pi", "computation", 0.04), ("allreduce", "communication", 0.01)]
    with file.open("a") as more:
        more.write(emulation(progress(20.0, 7, 0.5)).split("\n")[1] + "\n")
    asked.sample(1020.0)
    (new,) = asked.look(found["last"])["samples"]
    assert (new["iteration"], new["seconds"]) == (7, 0.5)


def test_slow_iterations_are_those_that_the_job_wrote_not_those_of_the_daemon(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.write_text(emulation(progress(1.0, 3, 0.5)))
    asked = source(Says(status()), DaemonSays({"iteration": 120, "pace": PACE}), results=file)
    asked.sample(10.0)
    asked.sample(11.0)
    assert [one["iteration"] for one in asked.look(None)["samples"]] == [3, None]


def test_history_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = source(Says(status()))
    for at in range(job_source.MOST_SAMPLES + 10):
        asked._add({"ranks": 1, "state": "running"}, float(at))
    found = asked.look(None)["samples"]
    assert len(found) == job_source.MOST_SAMPLES and found[0]["time_unix"] == 10.0


def test_job_that_has_ended_is_told_so_and_keeps_what_is_known() -> None:
    asked = source(Says(status(), None), records=record(0, 2, {1: 100}))
    asked.sample(10.0)
    asked.sample(11.0)
    found = asked.look(None)
    assert asked.has_ended and (found["ended_unix"], found["there"], found["why"]) == (11.0, False, "")
    assert found["job"]["ranks"] == 2 and len(found["samples"]) == 1
    assert found["traffic"]["cells"] == [[0, 1, 100, 0]]


def test_job_that_was_lost_is_followed_to_the_one_that_continues_it(tmp_path: Path) -> None:
    supervisor = process(tmp_path, "S")
    other, next_key = "c" * 16, "b" * 16
    jobs = [FoundJob(key, "cg-1", "h", Path(key)) for key in (other, next_key)]
    found: list[FoundJob] = []
    answers = {
        other: Says(status(job=other)),
        next_key: Says(status(job=next_key, continues=KEY, ranks=3, recovers=True), None),
    }

    def ask(where: Any, question: Any, seconds: float) -> Any:
        return answers[where.name].ask(where, question, seconds)

    says = Says(status(generation=1, recovers=True), None)
    asked = source(says, successors=Successors(lambda: found, ask, tmp_path))
    asked.sample(10.0)
    asked.sample(11.0)
    lost = asked.look(None)
    assert not asked.has_ended and not lost["there"] and "may start it again" in lost["why"]
    found += jobs
    asked.sample(12.0)
    back = asked.look(lost["last"])
    assert back["there"] and back["job"]["job"] == next_key and back["gaps"] == [[11.0, 12.0]]
    assert asked.look(None)["resizes"] == []
    assert [(one["ranks"], one["time_unix"]) for one in asked.look(None)["samples"]] == [(2, 10.0), (3, 12.0)]
    supervisor.unlink()
    asked.sample(13.0)
    assert asked.has_ended and asked.look(None)["ended_unix"] == 13.0


def test_job_is_followed_past_one_that_never_began(tmp_path: Path) -> None:
    """The second one is lost before it is opened: the third one continues the first one."""
    process(tmp_path, "S")
    answers = {
        "b" * 16: Says(status(job="b" * 16, continues=KEY, state="starting", recovers=True), None),
        "c" * 16: Says(status(job="c" * 16, continues=KEY, recovers=True)),
    }
    found: list[FoundJob] = []

    def ask(where: Any, question: Any, seconds: float) -> Any:
        return answers[where.name].ask(where, question, seconds)

    asked = source(Says(status(recovers=True), None), successors=Successors(lambda: found, ask, tmp_path))
    asked.sample(10.0)
    for number, key in enumerate(answers):
        found[:] = [FoundJob(key, "cg-1", "h", Path(key))]
        asked.sample(11.0 + 2 * number)
        assert asked.look(None)["job"]["job"] == key
        asked.sample(12.0 + 2 * number)


@pytest.mark.parametrize(
    ("recovers", "state", "after", "has_ended"),
    [
        (True, "S", 59.0, False),
        (True, "S", 61.0, True),
        (True, "Z", 1.0, True),
        (True, "", 1.0, True),
        (False, "S", 1.0, True),
    ],
)
def test_job_has_ended_where_nothing_will_continue_it(
    tmp_path: Path, recovers: bool, state: str, after: float, has_ended: bool
) -> None:
    """`after`: seconds since it was lost."""
    supervisor = process(tmp_path, "S")
    asked = source(
        Says(status(recovers=recovers), None), successors=Successors(lambda: [], processes=tmp_path)
    )
    asked.sample(10.0)
    asked.sample(11.0)
    assert asked.has_ended != recovers
    supervisor.unlink()
    if state:
        process(tmp_path, state)
    asked.sample(11.0 + after)
    assert asked.has_ended == has_ended


def process(folder: Path, state: str) -> Path:
    """The supervisor's, in that state, as the kernel tells it."""
    (folder / str(NOBODY)).mkdir(exist_ok=True)
    stat = folder / str(NOBODY) / "stat"
    stat.write_text(f"{NOBODY} (nereus) run) {state} 1")
    return stat


def test_killed_supervisor_is_told_and_asked_again(tmp_path: Path) -> None:
    left = tmp_path / "a.control"
    left.touch()
    says = Says(status(), None, status(ranks=3))
    asked = source(says)
    asked._status = JobStatus(left, says.ask)
    asked.sample(10.0)
    asked.sample(11.0)
    gone = asked.look(None)
    assert not gone["there"] and gone["ended_unix"] is None and "was killed" in gone["why"]
    assert gone["gaps"] == [[11.0, None]]
    asked.sample(12.0)
    back = asked.look(gone["last"])
    assert back["there"] and back["gaps"] == [[11.0, 12.0]] and back["samples"][0]["ranks"] == 3


@pytest.mark.parametrize(
    "answer",
    [NoAnswer("it did not answer in time"), status(ranks=0), status(command="x"), status(hosts=None), {}],
)
def test_silent_or_damaged_answers_are_told_and_asked_again(answer: Any) -> None:
    asked = source(Says(answer, status()))
    asked.sample(10.0)
    silent = asked.look(None)
    assert not silent["there"] and silent["why"] and silent["samples"] == [] and not asked.has_ended
    asked.sample(11.0)
    assert asked.look(None)["there"]


def test_job_that_said_goodbye_to_the_daemon_has_ended_where_its_supervisor_is_silent() -> None:
    ended = {"number": 1, "time_unix": 9.0, "job": KEY, "event": "ended", "why": "goodbye"}
    asked = source(Says(NoAnswer("it did not answer in time")), DaemonSays(None, ended))
    asked.sample(10.0)
    assert asked.has_ended


@pytest.mark.parametrize("known", [{"iteration": -1}, {"iteration": "x"}, {"iteration": 1, "pace": {}}, {}])
def test_damaged_answers_of_the_daemon_are_as_none(known: dict[str, Any]) -> None:
    asked = source(Says(status()), DaemonSays(known, {"number": 1, "job": KEY, "event": "resized"}))
    asked.sample(10.0)
    found = asked.look(None)
    assert found["there"] and not found["job"]["in_daemon"] and found["resizes"] == []


def test_real_supervisor_is_sampled_without_a_browser_until_it_ends(house: House) -> None:
    with Supervisor(status()) as supervisor:
        with sampled(JobSource(find(KEY)), every=0.02) as asked:
            until(lambda: asked.look(None)["last"] > 2)
            supervisor.answer = status(ranks=7, generation=1)
            until(lambda: asked.look(None)["job"].get("ranks") == 7)
        threads = threading.active_count()
        last = asked.look(None)["last"]
        time.sleep(0.1)
        assert (asked.look(None)["last"], threading.active_count()) == (last, threads)
    with sampled(asked, every=0.02):
        until(lambda: asked.has_ended)
    assert asked.look(None)["job"]["ranks"] == 7
