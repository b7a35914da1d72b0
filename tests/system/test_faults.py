# SPDX-License-Identifier: BSD-3-Clause
"""Resizes that go wrong: the job goes on at its size with its data, says why, and leaves nothing behind.

The application (programs/resizable.cpp) looks at all of its data in each iteration. That nothing is left is
looked at after every test, in conftest.py.
"""

import os
import shutil
import signal
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from faulty_application import (
    LIMIT,
    Application,
    end_of,
    repeated_where_open_mpi_hangs,
    running,
    wait_until,
)

from nereus.launch import choose, command
from nereus.launch.shared_memory import Snapshot

STEPS = ("opening", "up", "connected", "merged", "transferring")
STATES = {"merged": {"ready"}, "transferring": {"ready", "sending", "committing"}}
HERE = socket.gethostname()


# --- newcomers that do not come -----------------------------------------------------------------------------


@pytest.mark.parametrize("strategies", ["auto", "join"])  # connected in a thread, and while all wait
@pytest.mark.parametrize("step", STEPS)
@repeated_where_open_mpi_hangs
def test_newcomers_that_die_do_not_harm_the_job(site: Any, mpi: str, step: str, strategies: str) -> None:
    with running(site, mpi, NEREUS_PROCESS_STRATEGIES=strategies) as application:
        application.let_newcomers(step)
        answer = application.resize(4)
        assert answer["name"] == "NEREUS_ERR_PROCESS", answer
        assert answer["report"]["state"] in STATES.get(step, {"making"}), answer
        assert "The job continues with 2 processes" in answer["message"]
        application.wait(lambda: application.events_of("undone"))
        (undone,) = application.events_of("undone")
        assert undone["ranks"] == 2
        assert undone["code"] == "NEREUS_ERR_PROCESS"
        assert undone["message"] == answer["message"]
        application.let_newcomers("")
        application.must_resize_to(3)
        application.must_end_well()


@repeated_where_open_mpi_hangs
def test_job_ends_normally_after_processes_left_one_by_one(site: Any, mpi: str) -> None:
    with running(site, mpi) as application:
        for ranks in (4, 3, 2) * 3:
            application.must_resize_to(ranks)
        application.must_end_well()


def test_parked_processes_are_parked_again_when_their_newcomers_die(site: Any, mpich: str) -> None:
    with running(site, mpich) as application:
        application.must_resize_to(1)
        application.let_newcomers("opening")
        answer = application.resize(4)
        assert answer["name"] == "NEREUS_ERR_PROCESS", answer
        assert "The job continues with 1 processes" in answer["message"]
        application.let_newcomers("")
        answer = application.resize(3)
        assert answer["name"] == "NEREUS_RESIZED", answer
        assert answer["report"]["woken"] == 1
        application.must_end_well()


@repeated_where_open_mpi_hangs
def test_newcomers_that_never_connect_time_out_as_set(site: Any, mpi: str) -> None:
    with running(site, mpi, NEREUS_CONNECT_TIMEOUT="2") as application:
        application.let_newcomers("never")
        answer = application.resize(4)
        assert answer["name"] == "NEREUS_ERR_TIMEOUT", answer
        assert answer["report"]["state"] == "making"
        assert "The job continues with 2 processes" in answer["message"]
        application.must_end_well()


@repeated_where_open_mpi_hangs
def test_removed_program_fails_the_resize_and_is_reported(site: Any, mpi: str) -> None:
    copy = Path(shutil.copy(site.program(mpi, "resizable"), site.folder / "gone"))
    with running(site, mpi, path=copy) as application:
        away = copy.rename(site.folder / "away")
        answer = application.resize(3)
        assert answer["name"] == "NEREUS_ERR_PROCESS", answer
        assert "The job continues with 2 processes" in answer["message"]
        away.rename(copy)
        application.must_resize_to(3)
        application.must_end_well()


# --- wishes that cannot be ----------------------------------------------------------------------------------


def test_impossible_sizes_are_refused_with_reason(site: Any, mpich: str) -> None:
    with running(site, mpich, "--max-ranks", "6") as application:
        assert application.resize(2)["name"] == "NEREUS_UNCHANGED"
        for ranks in (0, -3):
            refused = application.resize(ranks)
            assert refused["kind"] == "refused" or refused["name"] == "NEREUS_ERR_RANGE", refused
        for ranks in (7, 2**31 - 1):
            refused = application.resize(ranks)
            assert refused["name"] == "NEREUS_ERR_RANGE", refused
            assert (
                f"cannot have {ranks} processes: allowed is 1 .. 6 (setting max-ranks)" in refused["message"]
            )
        exclusive = application.resize(3, process_strategies="single+parallel")
        assert exclusive["name"] == "NEREUS_ERR_SETTING"
        assert "exclude one another" in exclusive["message"]
        assert application.events_of("undone") == application.events_of("resized") == []
        application.must_end_well()


def test_resize_command_refuses_impossible_sizes_without_asking_the_job(site: Any, mpich: str) -> None:
    with running(site, mpich) as application:
        job = application.control_socket.stem
        for wish in (("0",), ("-2",), ("3", "--process-strategies", "single+parallel")):
            refused = site.nereus("resize", job, *wish)
            assert refused.code == 2, refused
            assert refused.out == ""
            assert refused.err
        assert application.state()["ranks"] == 2
        application.must_end_well()


def test_more_processes_than_slots_are_refused_reduced_or_allowed_as_requested(site: Any, mpich: str) -> None:
    with running(site, mpich, "--hosts", f"{HERE}:3") as application:
        refused = application.resize(4)
        assert refused["name"] == "NEREUS_ERR_RANGE", refused
        assert f"its hosts {HERE}:3 have 3 slots" in refused["message"]
        assert application.events_of("resized") == []
        noted = application.resize(4, wait=False, allow_fewer="on")
        assert noted["name"] == "NEREUS_REDUCED", noted
        application.wait(lambda: application.events_of("resized"))
        assert application.events_of("resized")[-1]["ranks"] == 3
        crowded = application.resize(4, oversubscribe="on")
        assert crowded["name"] == "NEREUS_RESIZED", crowded
        application.must_end_well()


@repeated_where_open_mpi_hangs
def test_join_without_supervisor_is_refused_with_remedy(site: Any, mpi: str) -> None:
    start = command(choose(mpi), 2, site.program(mpi, "resizable"), (str(site.folder), "3", "20"))
    environment = site.environment | start.environment | {"NEREUS_PROCESS_STRATEGIES": "join"}
    result = subprocess.run(
        start.arguments, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert result.returncode == 0, result
    application = Application(site, None, site.folder)  # type: ignore[arg-type]
    (asked,) = application.events_of("asked")
    assert asked["code"] == "NEREUS_ERR_UNSUPPORTED"
    assert asked["message"] == "join needs a supervisor: start the job with `nereus run`"
    assert application.events_of("closes")[-1] == application.events_of("closes")[-1] | {
        "ranks": 2,
        "intact": True,
    }


# --- two wishes at once -------------------------------------------------------------------------------------


@repeated_where_open_mpi_hangs
def test_request_during_a_resize_waits_and_is_carried_out(site: Any, mpi: str) -> None:
    with running(site, mpi) as application:
        founders = site.processes("resizable")
        application.begin_to_resize_to(4)
        application.let_newcomers("")
        assert application.state()["state"] == "resizing"
        assert application.resize(3, wait=False)["name"] == "NEREUS_PENDING"
        for newcomer in set(site.processes("resizable")) - set(founders):
            with suppress(ProcessLookupError):  # its launcher ends it when it has seen the first one die
                os.kill(newcomer, signal.SIGKILL)
        application.wait(lambda: application.events_of("resized"))
        assert application.events_of("resized")[-1]["ranks"] == 3
        assert application.events_of("undone")[-1]["code"] == "NEREUS_ERR_PROCESS"
        application.must_end_well()


@repeated_where_open_mpi_hangs
def test_two_simultaneous_requests_are_both_carried_out(site: Any, mpi: str) -> None:
    with running(site, mpi) as application, ThreadPoolExecutor(2) as people:
        job = application.control_socket.stem
        wishes = [people.submit(site.nereus, "resize", job, size, "--json") for size in ("3", "4")]
        for answer in [wish.result() for wish in wishes]:
            assert answer.code == 0, answer
            assert answer.document["name"] == "NEREUS_RESIZED"
        application.wait(lambda: {event["ranks"] for event in application.events_of("resized")} == {3, 4})
        application.must_end_well()


# --- ends ---------------------------------------------------------------------------------------------------


def all_ended(site: Any) -> None:
    """Until no process of the job is left."""
    wait_until(lambda: site.processes() == [])


@pytest.mark.parametrize("resizing", [False, True])
@repeated_where_open_mpi_hangs
def test_job_asked_to_end_ends_completely(site: Any, mpi: str, resizing: bool) -> None:
    with running(site, mpi) as application:
        if resizing:
            application.begin_to_resize_to(4)
        application.process.send_signal(signal.SIGTERM)
        _, err = end_of(application.process)
    assert application.process.returncode == 143
    assert "stopped by SIGTERM" in err


@repeated_where_open_mpi_hangs
def test_killed_founder_ends_the_job_completely_during_a_resize(site: Any, mpi: str) -> None:
    with running(site, mpi) as application:
        founders = site.processes("resizable")
        application.begin_to_resize_to(4)
        os.kill(max(founders), signal.SIGKILL)
        _, err = end_of(application.process)
    assert application.process.returncode != 0
    assert "the job failed: " in err


@repeated_where_open_mpi_hangs
def test_killed_supervisor_ends_its_ranks_and_frees_control_socket_and_name(site: Any, mpi: str) -> None:
    before = Snapshot.take()
    with running(site, mpi) as application:
        application.begin_to_resize_to(4)
        application.process.kill()
        end_of(application.process)
    all_ended(site)
    assert site.nereus("run", "-q", "--mpi", mpi, "--name", "resizable-1", "--", "true").code == 0
    folder = site.runtime / "nereus"

    def control_socket_is_removed() -> bool:
        # One that was just made may not listen yet: the first look may leave it.
        assert site.nereus("jobs", "--json").document == {"jobs": []}
        return not list(folder.glob("*"))

    wait_until(control_socket_is_removed)
    folder.rmdir()
    # Who is killed cannot remove its folder in TMPDIR, nor what the MPI of killed ranks left in /dev/shm.
    before.remove_leftovers()
    for folder in site.temporary.glob("nereus-*"):
        shutil.rmtree(folder)


@pytest.mark.parametrize(
    "strategies",
    ["join", "asynchronous", "single+asynchronous", "parallel+asynchronous", "asynchronous+join"],
)
@pytest.mark.parametrize("after", ["3", "40"])
def test_job_that_ends_during_a_resize_does_not_hang(
    site: Any, mpich: str, strategies: str, after: str
) -> None:
    with running(site, mpich, plan=("4", after), NEREUS_PROCESS_STRATEGIES=strategies) as application:
        application.must_have_ended_well()
        assert application.events_of("asked")[0]["code"] == "NEREUS_OK"
