# SPDX-License-Identifier: BSD-3-Clause
"""Newcomers that die at the entry of collective calls: the job goes on intact, or soon ends with a message.

That nothing is left is looked at after every test, in conftest.py.
"""

import json
import os
import shlex
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from faulty_application import (
    LIMIT,
    Application,
    HungError,
    end_of,
    repeated_where_open_mpi_hangs,
    running,
    wait_until,
)

from nereus.launch import LaunchError, choose
from nereus.supervisor import NoAnswer, ask

LIMITS = {"NEREUS_ANSWER_TIMEOUT": "10", "NEREUS_CONNECT_TIMEOUT": "15"}
#: Limits that there are by themselves.
USUAL_LIMITS = 30.0
RMA = {"NEREUS_TRANSFER_METHOD": "rma-lock", "NEREUS_PROCESS_STRATEGIES": "join"}
BACKGROUND = {"NEREUS_TRANSFER_STRATEGY": "wait-drains", "NEREUS_PROCESS_STRATEGIES": "asynchronous+join"}


@contextmanager
def struck(site: Any, mpi: str, call: str, **settings: str) -> Iterator[Application]:
    """An application one newcomer of which dies at the entry of `call`, NAME:COUNT, when there is one."""
    orders = site.folder / "kill-at"
    orders.touch()
    preload = site.program(mpi, "libkill-at.so")
    own: dict[str, Any] = {"LD_PRELOAD": str(preload), "NEREUS_TEST_KILL_FILE": str(orders)}
    with running(site, mpi, **{**LIMITS, **settings, **own}) as application:
        members = " ".join(map(str, site.processes("resizable")))
        orders.write_text(f"1 newcomer {call} {members}\n")
        yield application


def ask_for(application: Application, ranks: int) -> str:
    """What became of a resize: the name of its code, or what was said when the job ended meanwhile."""
    question = {"kind": "resize", "ranks": ranks, "options": {}, "wait": True}
    try:
        answer = ask(application.control_socket, question, LIMIT)
    except (NoAnswer, LaunchError) as problem:
        if application.process.poll() is None and "in time" in str(problem):
            raise HungError(str(problem)) from problem
        return str(problem)
    return str(answer.get("name") or answer.get("message"))


def must_go_on_or_end_with_a_message(application: Application, answer: str) -> None:
    """Intact, or not with 0 and not in silence."""
    if answer == "NEREUS_ERR_PROCESS":
        with suppress(OSError):
            (application.folder / "stop").touch()
    try:
        out, err = application.process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise HungError("the job does not end") from None
    assert application.events_of("damaged") == []
    if application.process.returncode == 0:
        assert application.events_of("closes")[-1]["intact"], (answer, out, err)
    else:
        lines = [line for line in err.splitlines() if not line.startswith("nereus: job ")]
        assert any(line.startswith("nereus: ") for line in lines), (answer, out, err)


CALLS = [
    ("MPI_Comm_connect:1", {"NEREUS_PROCESS_STRATEGIES": "join"}),
    ("MPI_Comm_dup:2", {"NEREUS_PROCESS_STRATEGIES": "join"}),
    ("MPI_Win_create:1", RMA),
    ("MPI_Win_create:2", RMA | BACKGROUND),
    ("MPI_Win_free:1", RMA),
]


@pytest.mark.parametrize(("call", "settings"), CALLS, ids=[call for call, _ in CALLS])
@repeated_where_open_mpi_hangs
def test_newcomer_that_dies_in_a_collective_call_does_not_block_the_job(
    site: Any, mpi: str, call: str, settings: dict[str, str]
) -> None:
    if mpi == "openmpi" and "MPI_Win" in call:
        pytest.skip("Open MPI has no windows between jobs that joined without OMPI_MCA_osc=ucx")
    with struck(site, mpi, call, **settings) as application:
        answer = ask_for(application, 4)
        assert list(site.folder.glob("kill-at.done.*")), answer
        must_go_on_or_end_with_a_message(application, answer)


@pytest.mark.parametrize("call", ["MPI_Win_create:1", "MPI_Comm_dup:2"])
def test_death_seen_by_the_supervisor_ends_a_collective_call_before_its_limit(
    site: Any, mpich: str, call: str
) -> None:
    with struck(site, mpich, call, **RMA, NEREUS_ANSWER_TIMEOUT="100000") as application:
        ask_for(application, 4)
        _, err = application.process.communicate(timeout=LIMIT)
    assert application.process.returncode not in (0, None)
    assert "did not return within" in err
    assert "new processes ended: " in err


# --- newcomers that are stopped -----------------------------------------------------------------------------


@pytest.mark.parametrize("strategies", ["join", "asynchronous+join"])
def test_newcomer_stopped_before_it_connects_delays_the_job_within_limits(
    site: Any, mpich: str, strategies: str
) -> None:
    own: dict[str, Any] = {
        "NEREUS_ANSWER_TIMEOUT": "5",
        "NEREUS_CONNECT_TIMEOUT": "10",
        "LD_PRELOAD": str(site.program(mpich, "libstop-at.so")),
        "NEREUS_TEST_STOP_AT": "MPI_Comm_connect",
        "NEREUS_TEST_STOPPED": str(site.folder / "stopped"),
        "NEREUS_PROCESS_STRATEGIES": strategies,
    }
    with running(site, mpich, **own) as application:
        founders = site.processes("resizable")
        question = {"kind": "resize", "ranks": 3, "options": {}, "wait": True}
        answer = ask(application.control_socket, question, USUAL_LIMITS)
        assert (site.folder / "stopped").exists()
        assert answer["name"] in ("NEREUS_ERR_PROCESS", "NEREUS_ERR_TIMEOUT"), answer
        assert "The job continues with 2 processes" in answer["message"]
        wait_until(lambda: site.processes("resizable") == founders)
        application.must_end_well()


@pytest.fixture
def stopping_builds(site: Any, mpi: str) -> Path:
    """A folder with a build whose launcher stops before it starts anything, once there is a file `stop`."""
    real = choose(mpi).prefix
    build = site.folder / "builds" / mpi
    build.mkdir(parents=True)
    for path in real.iterdir():
        (build / path.name).symlink_to(path)
    about = json.loads((real / "mpi.json").read_text())
    launcher = site.folder / Path(about["mpiexec"]).name
    stop = shlex.quote(str(site.folder / "stop"))
    lines = ("#!/bin/sh", f"[ -e {stop} ] && kill -STOP $$", f'exec {shlex.quote(about["mpiexec"])} "$@"', "")
    launcher.write_text("\n".join(lines))
    launcher.chmod(0o755)
    (build / "mpi.json").unlink()
    (build / "mpi.json").write_text(json.dumps(about | {"mpiexec": str(launcher)}))
    return Path(build.parent)


def test_newcomers_with_a_stopped_launcher_delay_the_job_within_limits(
    site: Any, mpi: str, stopping_builds: Path
) -> None:
    own: dict[str, Any] = {
        "NEREUS_ANSWER_TIMEOUT": "3",
        "NEREUS_CONNECT_TIMEOUT": "3",
        "NEREUS_PROCESS_STRATEGIES": "join",
        "NEREUS_BUILDS": str(stopping_builds),
    }
    with running(site, mpi, **own) as application:
        founders = set(site.processes("resizable"))
        (site.folder / "stop").touch()
        assert ask_for(application, 4) in ("NEREUS_ERR_PROCESS", "NEREUS_ERR_TIMEOUT")
        wait_until(lambda: set(site.processes("resizable")) == founders)
        application.must_end_well()


# --- what cannot be -----------------------------------------------------------------------------------------


def test_unsupported_one_sided_transfers_are_refused_at_the_request(site: Any, openmpi: str) -> None:
    def must_be_refused(ranks: int, **options: Any) -> None:
        refused = application.resize(ranks, transfer_method="rma-lock", **options)
        assert refused["name"] == "NEREUS_ERR_UNSUPPORTED", refused
        assert "Open MPI has one-sided transfers only among processes" in refused["message"]

    with running(site, openmpi) as application:
        must_be_refused(3, process_strategies="join")
        must_be_refused(3, process_strategies="none")
        assert application.resize(3)["name"] == "NEREUS_RESIZED"
        must_be_refused(2)  # one of the three was made later
        assert application.events_of("undone") == []
        application.must_end_well()


# --- launchers that die -------------------------------------------------------------------------------------


def test_killed_launcher_proxy_fails_the_job_with_a_message(site: Any, mpich: str) -> None:
    with running(site, mpich) as application:
        (proxy,) = site.processes("hydra_pmi_proxy")
        os.kill(proxy, signal.SIGKILL)
        _, err = end_of(application.process)
    assert application.process.returncode not in (0, None)
    assert "the job failed: " in err
