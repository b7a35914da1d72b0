# SPDX-License-Identifier: BSD-3-Clause
"""What happens to a resize while constant data is on its way and the application iterates.

The application (programs/resizable.cpp) looks at all of its data in each iteration. Its arrays lie in memory
of its processes, so that they have to be sent. That nothing is left is looked at after every test.
"""

import os
import signal
from typing import Any

import pytest
from faulty_application import Application, end_of, repeated_where_open_mpi_hangs, running

METHODS = ("p2p", "col", "rma-lockall")
DRAINS = 2  # newcomers of a resize from 2 to 4


def way(method: str, strategy: str = "wait-drains") -> dict[str, Any]:
    """Settings with which data goes by messages while the application iterates."""
    return {
        "NEREUS_MEMORY": "private",
        "NEREUS_TRANSFER_METHOD": method,
        "NEREUS_TRANSFER_STRATEGY": strategy,
        "OMPI_MCA_osc": "ucx",  # without it Open MPI has no windows between jobs
        "OMPI_MCA_osc_ucx_tls": "any",  # nor where there is no InfiniBand
    }


def hold_a_transfer(application: Application) -> None:
    """A resize to 4 whose newcomers have asked for their data and look at nothing more."""
    application.let_newcomers("holding")
    assert application.resize(2 + DRAINS, wait=False)["name"] == "NEREUS_OK"
    application.wait(lambda: application.marks("holding") == DRAINS)
    assert application.state()["state"] == "resizing"


def no_windows_with_open_mpi(mpi: str, method: str) -> None:
    """Its MPI_Finalize frees windows that are left, and waits for the drain that died (ompi_win_finalize)."""
    if mpi == "openmpi" and method == "rma-lockall":
        pytest.skip("Open MPI's MPI_Finalize waits for those who made a window, also for the dead")


def let_go(application: Application) -> None:
    """Newcomers that hold go on."""
    (application.folder / "go").touch()


@pytest.mark.parametrize("method", METHODS)
@repeated_where_open_mpi_hangs
def test_drains_killed_during_transfer_do_not_harm_the_job(site: Any, mpi: str, method: str) -> None:
    no_windows_with_open_mpi(mpi, method)
    with running(site, mpi, NEREUS_PROCESS_STRATEGIES="join", **way(method)) as application:
        application.let_newcomers("sending")
        answer = application.resize(4)
        assert answer["name"] == "NEREUS_ERR_PROCESS", answer
        assert answer["report"]["state"] == "sending", answer
        assert "The job continues with 2 processes" in answer["message"]
        application.let_newcomers("")
        application.must_resize_to(3)
        application.must_end_well()


@repeated_where_open_mpi_hangs
def test_drains_killed_before_windows_exist_do_not_block_a_single_threaded_job(site: Any, mpi: str) -> None:
    with running(
        site, mpi, ONE_THREAD="1", NEREUS_PROCESS_STRATEGIES="join", **way("rma-lockall")
    ) as application:
        application.let_newcomers("agreeing")
        answer = application.resize(4)
        assert answer["name"] == "NEREUS_ERR_PROCESS", answer
        assert answer["report"]["state"] == "sending", answer
        application.let_newcomers("")
        application.must_resize_to(3)
        application.must_end_well()


@pytest.mark.parametrize(
    ("method", "strategy"), [*((method, "wait-drains") for method in METHODS), ("p2p", "thread")]
)
@repeated_where_open_mpi_hangs
def test_source_killed_during_transfer_ends_the_job_with_a_message(
    site: Any, mpi: str, method: str, strategy: str
) -> None:
    with running(site, mpi, **way(method, strategy)) as application:
        founders = site.processes("resizable")
        hold_a_transfer(application)
        os.kill(max(founders), signal.SIGKILL)
        _, err = end_of(application.process)
    assert application.process.returncode != 0
    assert "the job failed: " in err


@pytest.mark.parametrize("method", METHODS)
@repeated_where_open_mpi_hangs
def test_job_closed_during_transfer_ends_normally(site: Any, mpi: str, method: str) -> None:
    with running(site, mpi, **way(method)) as application:
        hold_a_transfer(application)
        (application.folder / "stop").touch()
        application.wait(lambda: application.events_of("closes"))
        let_go(application)
        application.must_have_ended_well()
        assert application.events_of("resized") == []


@pytest.mark.parametrize("method", METHODS)
@repeated_where_open_mpi_hangs
def test_array_registered_during_transfer_rolls_back_the_resize_and_joins_the_next(
    site: Any, mpi: str, method: str
) -> None:
    with running(site, mpi, **way(method)) as application:
        hold_a_transfer(application)
        (application.folder / "register").touch()
        application.wait(lambda: application.events_of("registers"))
        let_go(application)
        application.wait(lambda: application.events_of("undone"))
        (undone,) = application.events_of("undone")
        assert undone["code"] == "NEREUS_ERR_STATE"
        assert undone["ranks"] == 2
        assert '"marks" was registered meanwhile' in undone["message"]
        application.let_newcomers("")
        application.must_resize_to(4)
        application.must_resize_to(3)
        application.must_end_well()


@pytest.mark.parametrize("method", ["p2p", "rma-lockall"])
@pytest.mark.parametrize("strategy", ["blocking", "wait-drains"])
@repeated_where_open_mpi_hangs
def test_changed_byte_rolls_back_the_resize_and_not_the_job(
    site: Any, mpi: str, method: str, strategy: str
) -> None:
    with running(site, mpi, NEREUS_VERIFY="on", **way(method, strategy)) as application:
        application.let_newcomers("flip")
        answer = application.resize(4)
        assert answer["name"] == "NEREUS_ERR_TRANSFER", answer
        assert '"shapes" arrived changed from source ' in answer["message"], answer
        assert "The job continues with 2 processes" in answer["message"]
        application.let_newcomers("")
        application.must_resize_to(3)
        application.must_end_well()
