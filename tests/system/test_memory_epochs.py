# SPDX-License-Identifier: BSD-3-Clause
"""Jobs continue from epochs in memory that outlive their processes (`nereus run --protect memory`)."""

import os
import random
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from test_recoveries import ends_well, ranks_of, times_come_in
from test_saved_jobs import Runs

from conftest import wait_until

EPOCHS = "nereus-*-epochs/epoch-*"
PROTECTED = ("--protect", "memory", "--protect-every", "0.05", "--recoveries", "100", "--name", "one")


@pytest.fixture
def runs(site: Any, mpi: str) -> Runs:
    return Runs(site, mpi)


def folders() -> set[Path]:
    return set(Path("/dev/shm").glob("nereus-*-epochs"))


def newest_number() -> int:
    """Of epochs in memory; tests have a /dev/shm of their own, or are alone. 0: there is none."""
    return max((int(path.name.rpartition("-")[2]) for path in Path("/dev/shm").glob(EPOCHS)), default=0)


def wait_for_epochs(number: int = 1) -> None:
    wait_until(lambda: newest_number() >= number)


def remove(folder: Path) -> None:
    """At once, as seen by a job that makes and removes epochs in it."""
    aside = folder.with_name(f"removed-{folder.name}")
    folder.rename(aside)

    def is_gone() -> bool:
        shutil.rmtree(aside, ignore_errors=True)
        return not aside.exists()

    wait_until(is_gone)


def kill_and_wait(runs: Runs, pid: int) -> None:
    seen = times_come_in(runs)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: times_come_in(runs) > seen)


@pytest.mark.parametrize("which", ["first", "last", "launcher"])
def test_job_continues_from_memory_after_a_process_was_killed(runs: Runs, mpi: str, which: str) -> None:
    with runs.started("-n", "3", *PROTECTED) as process:
        wait_for_epochs()
        launchers = runs.site.processes("orterun" if mpi == "openmpi" else "mpiexec")
        ranks = ranks_of(runs, 3)
        kill_and_wait(runs, {"first": ranks[0], "last": ranks[-1], "launcher": launchers[0]}[which])
        errors = ends_well(runs, process)
    assert "in memory (recovery 1)" in errors
    came = next(event for event in runs.events() if event["event"] == "came in")
    assert (came["ranks"], came["step"] > 0) == (3, True)
    assert folders() == set()


def test_job_survives_kills_at_any_moment_of_an_epoch_in_memory(site: Any, mpich: str) -> None:
    """One is made all the time."""
    runs = Runs(site, mpich)
    chance = random.Random(20261128)
    often = ("--protect-every", "0.001")
    with runs.started("-n", "2", *PROTECTED[:2], *often, *PROTECTED[4:]) as process:
        wait_for_epochs()
        for _ in range(8):
            time.sleep(chance.random() * 0.2)
            kill_and_wait(runs, chance.choice(ranks_of(runs, 2)))
        ends_well(runs, process)


@pytest.mark.parametrize("memory", ["shared", "private"])
def test_job_continues_from_memory_with_the_size_that_it_had(site: Any, mpich: str, memory: str) -> None:
    runs = Runs(site, mpich)
    words = ("run", "--mpi", mpich, "-n", "2", *PROTECTED, "--", runs.program, site.folder)
    with site.started(*words, NEREUS_MEMORY=memory) as process:
        wait_until(lambda: runs.says("opened"))
        for ranks, options in ((3, ()), (4, ()), (2, ("--process-method", "restart"))):
            assert site.nereus("resize", "one", str(ranks), *options).code == 0
            wait_for_epochs(newest_number() + 2)
            kill_and_wait(runs, ranks_of(runs, ranks)[-1])
            assert runs.events()[-1]["ranks"] == ranks
        ends_well(runs, process)


def test_job_continues_from_memory_twice_in_a_row(site: Any, mpich: str) -> None:
    """The second time before it has made another epoch."""
    runs = Runs(site, mpich)
    with runs.started("-n", "2", *PROTECTED[:2], "--protect-every", "2", *PROTECTED[4:]) as process:
        wait_for_epochs()
        for _ in range(3):
            kill_and_wait(runs, ranks_of(runs, 2)[0])
        ends_well(runs, process)
    steps = [event["step"] for event in runs.events() if event["event"] == "came in"]
    assert len(set(steps)) < 3, "the same epoch was continued from more than once"


def test_job_continues_from_the_newest_of_disk_and_memory(site: Any, mpich: str) -> None:
    runs = Runs(site, mpich)
    with runs.started("-n", "2", "--save", "saved", *PROTECTED) as process:
        wait_for_epochs()
        assert site.nereus("save", "one").code == 0
        wait_for_epochs(newest_number() + 1)
        kill_and_wait(runs, ranks_of(runs, 2)[0])
        (folder,) = folders()
        remove(folder)
        assert site.nereus("save", "one").code == 0
        kill_and_wait(runs, ranks_of(runs, 2)[1])
        errors = ends_well(runs, process)
    assert "in memory (recovery 1)" in errors
    assert "it continues from epoch" in errors and "(recovery 2)" in errors


def test_job_without_an_epoch_in_memory_yet_says_so(site: Any, mpich: str) -> None:
    runs = Runs(site, mpich)
    with runs.started("-n", "1", "--protect", "memory", "--protect-every", "1h") as process:
        os.kill(ranks_of(runs, 1)[0], signal.SIGKILL)
        errors = runs.end_of(process)
    assert process.returncode not in (0, 75)
    assert "it is not started again: it had kept no epoch in memory yet" in errors


def test_nothing_is_left_of_epochs_in_memory_whose_supervisor_was_killed(site: Any, mpich: str) -> None:
    runs = Runs(site, mpich)
    with runs.started("-n", "2", *PROTECTED) as process:
        wait_for_epochs()
        process.kill()
        process.wait()
        wait_until(lambda: site.processes() == [])
        wait_until(lambda: folders() == set())
        for left in site.temporary.glob("nereus-*"):
            wait_until(lambda left=left: not left.exists())  # type: ignore[misc]
    shutil.rmtree(site.runtime / "nereus")  # the next command would remove what is in there


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--protect", "disk"), "one of memory, buddy is allowed"),
        (("--protect-every", "10"), "--protect-every = 10: needs --protect"),
        (("--protect", "memory", "--protect-every", "never"), "--protect-every = never:"),
        (("--protect", "memory", "--recoveries", "0"), "are for recoveries alone"),
        (("--protect", "memory", "--release-unit", "rank"), "--release-unit = rank: does not go together"),
        (("--protect", "memory", "--hosts", "elsewhere:2"), "allowed for jobs on this host alone"),
        (("--protect", "buddy"), "--protect = buddy: needs two hosts at least"),
        (("--protect", "buddy", "--hosts", "localhost:2"), "--protect = buddy: needs two hosts at least"),
    ],
)
def test_protection_that_cannot_be_is_refused(
    site: Any, mpich: str, options: tuple[str, ...], why: str
) -> None:
    result = site.nereus("run", "--mpi", mpich, *options, "--", "true")
    assert result.code == 2, result.err
    assert why in result.err
