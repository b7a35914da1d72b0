# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of which something was killed continue from their latest epoch."""

import os
import random
import signal
import time
from typing import Any

import pytest
from commands import COMMAND
from test_saved_jobs import Runs

from conftest import wait_until
from nereus.analysis.trace.run import read_run

SAVING = ("--save", "saved", "--save-every", "0.2", "--recoveries", "10")


@pytest.fixture
def runs(site: Any, mpi: str) -> Runs:
    return Runs(site, mpi)


def ranks_of(runs: Runs, number: int) -> list[int]:
    """Processes of the program once there are as many."""
    wait_until(lambda: len(runs.site.processes("resizable")) == number)
    return sorted(runs.site.processes("resizable"))


def wait_for_epoch(runs: Runs) -> None:
    folder = runs.site.folder / "saved"
    wait_until(lambda: any(path.name.startswith("epoch-") for path in folder.iterdir()))


def times_come_in(runs: Runs) -> int:
    return sum(event["event"] == "came in" for event in runs.events())


def ends_well(runs: Runs, process: Any) -> str:
    (runs.site.folder / "stop").touch()
    errors = runs.end_of(process)
    assert process.returncode == 0, errors
    assert runs.events()[-1]["event"] == "closes" and runs.events()[-1]["intact"]
    return errors


@pytest.mark.parametrize("which", ["first", "last", "launcher"])
def test_job_continues_after_a_process_was_killed(runs: Runs, mpi: str, which: str) -> None:
    with runs.started("-n", "3", "--name", "one", *SAVING) as process:
        wait_for_epoch(runs)
        launchers = runs.site.processes("orterun" if mpi == "openmpi" else "mpiexec")
        ranks = ranks_of(runs, 3)
        os.kill({"first": ranks[0], "last": ranks[-1], "launcher": launchers[0]}[which], signal.SIGKILL)
        wait_until(lambda: times_come_in(runs) == 1)
        errors = ends_well(runs, process)
    assert "it continues from epoch" in errors and "(recovery 1)" in errors
    came = next(event for event in runs.events() if event["event"] == "came in")
    assert (came["ranks"], came["step"] > 0) == (3, True)


def test_recovery_is_in_the_trace(site: Any, mpi: str) -> None:
    runs = Runs(site, mpi, ("trace", "--mpi", mpi, "-o", "traced", "--", *COMMAND))
    with runs.started("-n", "2", *SAVING) as process:
        wait_for_epoch(runs)
        os.kill(ranks_of(runs, 2)[1], signal.SIGKILL)
        wait_until(lambda: times_come_in(runs) == 1)
        ends_well(runs, process)
    run = read_run(site.folder / "traced")
    lost, new = run.tracks[:2], run.tracks[2:]
    assert {(track.rank, track.is_ended) for track in new} == {(0, True), (1, True)}
    spans = [span for span in run.states if span.activity == "recovery"]
    assert sorted((span.track, span.state) for span in spans) == [(2, "restarting"), (3, "restarting")]
    assert {(each.before.track < 2, each.after.track >= 2) for each in run.successions} == {(True, True)}
    for span in spans:
        resumed = next(state for state in run.states_of(span.track, "epoch") if state.state == "resuming")
        assert max(track.last for track in lost) == span.begin < resumed.begin < resumed.end <= span.end


def test_job_continues_with_the_size_that_it_had(site: Any, mpich: str) -> None:
    runs = Runs(site, mpich)
    with runs.started("-n", "2", "--name", "one", *SAVING) as process:
        for ranks in (3, 4):
            assert site.nereus("resize", "one", str(ranks)).code == 0
            assert site.nereus("save", "one").code == 0
            seen = times_come_in(runs)
            os.kill(ranks_of(runs, ranks)[0], signal.SIGKILL)
            wait_until(lambda seen=seen: times_come_in(runs) > seen)  # type: ignore[misc]
            assert runs.events()[-1]["ranks"] == ranks
        ends_well(runs, process)


def test_job_survives_kills_at_any_moment_of_saving(site: Any, mpich: str) -> None:
    runs = Runs(site, mpich)
    options = ("--save", "saved", "--save-every", "0.01", "--recoveries", "100", "--name", "one")
    chance = random.Random(20261128)
    with runs.started("-n", "2", *options) as process:
        wait_for_epoch(runs)
        for _ in range(8):
            time.sleep(chance.random() * 0.2)
            seen = times_come_in(runs)
            os.kill(chance.choice(ranks_of(runs, 2)), signal.SIGKILL)
            wait_until(lambda seen=seen: times_come_in(runs) > seen)  # type: ignore[misc]
        ends_well(runs, process)


def test_job_that_fails_again_and_again_ends_with_its_own_code(site: Any, mpich: str) -> None:
    """Its data is found damaged by itself each time: the program ends with 1."""
    runs = Runs(site, mpich)
    options = ("--save", "saved", "--save-every", "0.1", "--recoveries", "2", "--name", "one")
    with runs.started("-n", "2", *options) as process:
        wait_for_epoch(runs)
        for time_killed in range(3):
            seen = times_come_in(runs)
            os.kill(ranks_of(runs, 2)[0], signal.SIGKILL)
            if time_killed < 2:
                wait_until(lambda seen=seen: times_come_in(runs) > seen)  # type: ignore[misc]
        errors = runs.end_of(process)
    assert process.returncode not in (0, 75)
    assert "it is not started again: it was 2 times in the last 600 s" in errors


def test_program_that_opens_no_job_is_not_started_again(site: Any, mpich: str) -> None:
    words = ("run", "--mpi", mpich, *SAVING, "--", "sh", "-c", "echo once >> runs; exit 3")
    result = site.nereus(*words)
    assert (result.code, (site.folder / "runs").read_text()) == (3, "once\n")
    assert "its program never opened a job" in result.err


def test_job_whose_supervisor_was_asked_to_end_is_not_started_again(site: Any, mpich: str) -> None:
    runs = Runs(site, mpich)
    with runs.started("-n", "2", "--name", "one", *SAVING) as process:
        wait_for_epoch(runs)
        process.send_signal(signal.SIGINT)
        runs.end_of(process)
    assert process.returncode == 130
    assert times_come_in(runs) == 0
