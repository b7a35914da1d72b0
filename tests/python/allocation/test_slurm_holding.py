# SPDX-License-Identifier: BSD-3-Clause
"""Jobs beside the first: they end with us whatever happens, and what Slurm does with them is told."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from a_slurm import FakeSlurm, until
from a_stand import FIRST, MORE, SlurmStand

from nereus.allocation import EventKind, Growth, GrowthState, Wish

BUSY = "Job update not available right now, the DB index is being set, try again in a bit"
HOLDER = """\
import sys, time
from pathlib import Path
from nereus.allocation import GrowthState, Wish
from nereus.allocation.slurm import slurm
manager = slurm()
allocation = manager.open("fedcba9876543210", Path(sys.argv[1]))
growth = allocation.grow(Wish(2))
while True:
    allocation.turn()
    if growth.state is GrowthState.USABLE:
        Path(sys.argv[1], "usable").touch()
    time.sleep(0.01)
"""


def grown(stand: SlurmStand, hosts: int) -> list[str]:
    growth = stand.allocation.grow(Wish(hosts))
    stand.turn_until(GrowthState.USABLE, growth)
    return [host.name for host in growth.hosts]


def queued(stand: SlurmStand) -> Growth:
    growth = stand.allocation.grow(Wish(len(MORE)))

    def is_there() -> bool:
        stand.turn()
        return bool(stand.slurm.jobs("PENDING"))

    stand.slurm.occupy()
    until(is_there)
    return growth


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_job_cancelled_by_somebody_is_told_with_its_hosts(in_slurm: SlurmStand) -> None:
    names = grown(in_slurm, 2)
    in_slurm.slurm.cancel()
    event = in_slurm.turn_until_told()
    assert (event.kind, event.hosts) == (EventKind.HOST_LOST, tuple(names))
    assert "Slurm job" in event.reason
    assert {line.split()[0] for line in hosts_file(in_slurm).splitlines()} == set(FIRST)


def hosts_file(stand: SlurmStand) -> str:
    return Path(stand.allocation.environment["NEREUS_SLURM_HOSTS"]).read_text()


def test_file_of_hosts_names_the_job_of_each(in_slurm: SlurmStand) -> None:
    names = grown(in_slurm, 2)
    [job] = in_slurm.slurm.jobs("RUNNING")
    lines = [f"{name} 101" for name in FIRST] + [f"{name} {job['id']}" for name in names]
    assert hosts_file(in_slurm).splitlines() == lines
    in_slurm.allocation.release(names[:1])
    in_slurm.turn_until_idle(names[0])
    in_slurm.turn()
    assert names[0] not in hosts_file(in_slurm)
    assert names[1] in hosts_file(in_slurm)


def test_file_of_hosts_keeps_those_under_trial_when_others_are_given_back(in_slurm: SlurmStand) -> None:
    [name] = grown(in_slurm, 1)
    in_slurm.slurm.hang("srun")
    growth = in_slurm.allocation.grow(Wish(1))
    in_slurm.turn_until(GrowthState.ACCEPTED, growth)
    in_slurm.allocation.release([name], clean=True)
    in_slurm.turn_until_idle(name)
    in_slurm.turn()
    assert name not in hosts_file(in_slurm)
    assert growth.hosts[0].name in hosts_file(in_slurm)
    in_slurm.slurm.mend()
    in_slurm.turn_until(GrowthState.USABLE, growth)


@pytest.mark.parametrize(("clean", "sweeps"), [(True, 0), (False, 1)])
def test_only_hosts_with_leftovers_are_swept(in_slurm: SlurmStand, clean: bool, sweeps: int) -> None:
    [name] = grown(in_slurm, 1)
    before = len(in_slurm.slurm.calls("srun"))
    in_slurm.allocation.release([name], clean)
    in_slurm.turn_until_idle(name)
    assert len(in_slurm.slurm.calls("srun")) - before == sweeps


def test_job_whose_salloc_was_killed_is_cancelled(in_slurm: SlurmStand) -> None:
    names = grown(in_slurm, 2)
    in_slurm.slurm.kill_salloc()
    assert in_slurm.turn_until_told().hosts == tuple(names)
    in_slurm.turn_until_idle(*names)


def test_job_whose_salloc_is_killed_before_the_end_is_cancelled_at_the_end(in_slurm: SlurmStand) -> None:
    grown(in_slurm, 2)
    in_slurm.slurm.kill_salloc()
    in_slurm.allocation.close()
    assert (in_slurm.left(), in_slurm.idle()) == ([], list(MORE))
    assert in_slurm.slurm.calls("scancel") == [["--quiet", "--me", "--name", "nereus-0123456789abcdef-1"]]


def test_queued_job_whose_salloc_was_killed_is_cancelled(in_slurm: SlurmStand) -> None:
    growth = queued(in_slurm)
    in_slurm.slurm.kill_salloc()
    in_slurm.turn_until(GrowthState.FAILED, growth)
    in_slurm.turn_until_nothing_is_left()


def test_job_that_is_held_until_the_end_needs_no_scancel(in_slurm: SlurmStand) -> None:
    grown(in_slurm, 1)
    in_slurm.allocation.close()
    assert in_slurm.slurm.calls("scancel") == []


def test_salloc_that_does_not_end_is_killed_and_its_job_cancelled(
    in_slurm: SlurmStand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nereus.allocation.slurm.allocation._LETS_GO_WITHIN", 0.2)
    grown(in_slurm, 1)
    [pid] = in_slurm.slurm.salloc_processes()
    os.kill(pid, signal.SIGSTOP)
    in_slurm.allocation.close()
    assert (in_slurm.left(), in_slurm.idle()) == ([], list(MORE))


def test_job_keeps_the_hosts_that_were_not_released(in_slurm: SlurmStand) -> None:
    gone, *kept = grown(in_slurm, 3)
    in_slurm.allocation.release([gone])
    in_slurm.turn_until_idle(gone)
    [job] = in_slurm.slurm.jobs("RUNNING")
    assert job["nodes"] == kept
    number = job["id"]
    assert in_slurm.slurm.calls("scontrol")[-1] == [
        "-Q",
        "update",
        f"JobId={number}",
        f"NodeList={','.join(kept)}",
    ]


def test_first_job_shrinks_to_the_hosts_that_stay(in_slurm: SlurmStand) -> None:
    in_slurm.allocation.release([FIRST[1]])
    in_slurm.turn_until_idle(FIRST[1])
    assert (in_slurm.slurm.nodes_of_first(), in_slurm.names) == ([FIRST[0]], (FIRST[0],))


def test_release_is_repeated_while_slurm_is_not_ready_for_it(in_slurm: SlurmStand) -> None:
    gone, *_ = grown(in_slurm, 3)
    in_slurm.slurm.refuse("scontrol", BUSY, times=2)
    in_slurm.allocation.release([gone])
    in_slurm.turn_until_idle(gone)
    updates = [words for words in in_slurm.slurm.calls("scontrol") if "update" in words]
    assert len(updates) == 3


def test_release_is_finished_before_the_end(in_slurm: SlurmStand) -> None:
    in_slurm.slurm.refuse("scontrol", BUSY, times=2)
    in_slurm.allocation.release([FIRST[1]])

    def is_asked() -> bool:
        in_slurm.turn()
        return any("update" in words for words in in_slurm.slurm.calls("scontrol"))

    until(is_asked)
    in_slurm.allocation.close()
    assert in_slurm.slurm.nodes_of_first() == [FIRST[0]]


def test_drained_host_is_told_of_once(in_slurm: SlurmStand) -> None:
    names = grown(in_slurm, 1)
    in_slurm.slurm.drain(names[0], "broken fan")

    def is_told() -> bool:
        in_slurm.clock.ahead += 1.0
        in_slurm.turn()
        return bool(in_slurm.events)

    until(is_told)
    [event] = in_slurm.events
    assert (event.kind, event.hosts) == (EventKind.HOST_DRAINS, tuple(names))
    assert "broken fan" in event.reason
    looks = len(in_slurm.slurm.calls("sinfo"))

    def has_looked_again() -> bool:
        in_slurm.clock.ahead += 1.0
        in_slurm.turn()
        return len(in_slurm.slurm.calls("sinfo")) > looks + 2

    until(has_looked_again)
    assert len(in_slurm.events) == 1


def test_drained_hosts_of_others_are_not_told_of(in_slurm: SlurmStand) -> None:
    in_slurm.slurm.drain("n5", "broken fan")

    def has_looked() -> bool:
        in_slurm.clock.ahead += 1.0
        in_slurm.turn()
        return len(in_slurm.slurm.calls("sinfo")) > 2

    until(has_looked)
    assert in_slurm.events == []


def test_hosts_that_were_lost_while_they_were_given_back_are_no_news(in_slurm: SlurmStand) -> None:
    names = grown(in_slurm, 2)
    in_slurm.slurm.hang("srun")
    in_slurm.allocation.release(names)
    in_slurm.turn()
    in_slurm.slurm.cancel()
    in_slurm.turn_until_nothing_is_left()
    in_slurm.slurm.mend()
    in_slurm.turn()
    assert (in_slurm.events, in_slurm.names) == ([], FIRST)


def test_growing_again_and_again_takes_no_files(in_slurm: SlurmStand) -> None:
    def once() -> None:
        in_slurm.allocation.release(grown(in_slurm, 1))
        in_slurm.turn_until_nothing_is_left()
        in_slurm.turn()

    once()
    before = open_files()
    for _ in range(8):
        once()
    # A command that is just ending has some open; two for each growth would be more.
    assert open_files() < before + 8


@contextmanager
def holder(slurm: FakeSlurm, folder: Path) -> "Iterator[subprocess.Popen[bytes]]":
    """A process in the first job that grows it."""
    folder.mkdir()
    environment = os.environ | slurm.first_job("n1")
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], env=environment) as process:
        try:
            yield process
        finally:
            process.kill()


def test_hosts_are_free_when_who_holds_them_is_killed(slurm: FakeSlurm, tmp_path: Path) -> None:
    with holder(slurm, tmp_path / "job") as process:
        until((tmp_path / "job" / "usable").exists)
        assert len(slurm.idle()) == 1
        process.kill()
        until(lambda: slurm.idle() == ["n2", "n3", "n4"])
    assert slurm.jobs() == []


def test_queue_is_left_when_who_waits_in_it_is_killed(slurm: FakeSlurm, tmp_path: Path) -> None:
    slurm.wait_for("Priority")
    with holder(slurm, tmp_path / "job") as process:
        until(lambda: slurm.jobs("PENDING"))
        process.kill()
        until(lambda: not slurm.jobs())
    assert slurm.jobs("CANCELLED")
