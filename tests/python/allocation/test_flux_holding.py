# SPDX-License-Identifier: BSD-3-Clause
"""Jobs beside the first: they end with us whatever happens, and what Flux does with them is told."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from a_flux import FakeFlux
from a_slurm import until
from a_stand import FIRST, MORE, FluxStand

from nereus.allocation import EventKind, GrowthState, Wish

HOLDER = """\
import sys, time
from pathlib import Path
from nereus.allocation import GrowthState, Wish
from nereus.allocation.flux import flux
manager = flux()
allocation = manager.open("fedcba9876543210", Path(sys.argv[1]))
growth = allocation.grow(Wish(2))
while True:
    allocation.turn()
    if growth.state is GrowthState.USABLE:
        Path(sys.argv[1], "usable").touch()
    time.sleep(0.01)
"""


def grown(stand: FluxStand, hosts: int) -> list[str]:
    growth = stand.allocation.grow(Wish(hosts))
    stand.turn_until(GrowthState.USABLE, growth)
    return [host.name for host in growth.hosts]


def hosts_file(stand: FluxStand) -> list[str]:
    return Path(stand.allocation.environment["NEREUS_FLUX_HOSTS"]).read_text().splitlines()


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_job_cancelled_by_somebody_is_told_with_its_host(in_flux: FluxStand) -> None:
    names = grown(in_flux, 1)
    in_flux.flux.cancel("by administrator")
    event = in_flux.turn_until_told()
    assert (event.kind, event.hosts) == (EventKind.HOST_LOST, tuple(names))
    assert "the Flux job f" in event.reason
    assert event.reason.endswith("has ended: cancel: by administrator")
    assert {line.split()[0] for line in hosts_file(in_flux)} == set(FIRST)


def test_file_of_hosts_names_the_job_of_each(in_flux: FluxStand) -> None:
    first = hosts_file(in_flux)
    assert [line.split()[0] for line in first] == list(FIRST)
    assert [line.split()[2] for line in first] == ["0", "1"]
    names = grown(in_flux, 2)
    more = [line.split() for line in hosts_file(in_flux)[2:]]
    assert ([words[0] for words in more], {words[2] for words in more}) == (names, {"0"})
    assert len({words[1] for words in more}) == 2
    in_flux.allocation.release(names[:1])
    in_flux.turn_until_idle(names[0])
    assert not [line for line in hosts_file(in_flux) if line.startswith(names[0])]


def test_hosts_of_the_start_are_left_but_stay_with_the_job(in_flux: FluxStand) -> None:
    in_flux.allocation.release([FIRST[1]])
    event = in_flux.turn_until_told()
    assert (event.kind, event.hosts) == (EventKind.HOST_KEPT, (FIRST[1],))
    assert in_flux.names == FIRST[:1]


def test_job_whose_holder_was_killed_is_cancelled(in_flux: FluxStand) -> None:
    names = grown(in_flux, 2)
    in_flux.flux.kill_holders()
    in_flux.turn_until_idle(*names)
    assert {name for event in in_flux.events for name in event.hosts} == set(names)


def test_job_whose_holder_is_killed_before_the_end_is_cancelled_at_the_end(in_flux: FluxStand) -> None:
    grown(in_flux, 2)
    in_flux.flux.kill_holders()
    in_flux.allocation.close()
    until(lambda: in_flux.idle() == list(MORE))


def test_jobs_of_flux_that_hangs_end_when_it_is_back(
    in_flux: FluxStand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nereus.allocation.flux.allocation._ENDS_WITHIN", 0.2)
    grown(in_flux, 2)
    in_flux.flux.hang()
    in_flux.allocation.close()
    in_flux.flux.mend()
    until(lambda: not in_flux.left())
    assert in_flux.idle() == list(MORE)


def test_release_is_repeated_while_flux_does_not_answer(in_flux: FluxStand) -> None:
    names = grown(in_flux, 1)
    in_flux.flux.refuse("job raise", "flux-job: Connection refused", times=2)
    in_flux.allocation.release(names)
    in_flux.turn_until_idle(*names)


def test_drained_host_is_told_of_once(in_flux: FluxStand) -> None:
    names = grown(in_flux, 1)
    in_flux.flux.drain(names[0], "broken fan")

    def is_told() -> bool:
        in_flux.clock.ahead += 6.0
        in_flux.turn()
        return bool(in_flux.events)

    until(is_told)
    looks = len(in_flux.flux.calls("resource drain"))

    def has_looked_again() -> bool:
        in_flux.clock.ahead += 6.0
        in_flux.turn()
        return len(in_flux.flux.calls("resource drain")) > looks + 2

    until(has_looked_again)
    [event] = in_flux.events
    assert (event.kind, event.hosts) == (EventKind.HOST_DRAINS, tuple(names))
    assert "broken fan" in event.reason


def test_drained_hosts_of_others_are_not_told_of(in_flux: FluxStand) -> None:
    in_flux.flux.drain("n5", "broken fan")

    def has_looked() -> bool:
        in_flux.clock.ahead += 6.0
        in_flux.turn()
        return len(in_flux.flux.calls("resource drain")) > 2

    until(has_looked)
    assert in_flux.events == []


def test_growing_again_and_again_takes_no_files(in_flux: FluxStand) -> None:
    def once() -> None:
        in_flux.allocation.release(grown(in_flux, 1))
        in_flux.turn_until_nothing_is_left()
        in_flux.turn()

    once()
    before = open_files()
    for _ in range(8):
        once()
    # A command that is just ending has some open; two for each growth would be more.
    assert open_files() < before + 8


@contextmanager
def holder(flux: FakeFlux, folder: Path) -> "Iterator[subprocess.Popen[bytes]]":
    """A process in the first job that grows it."""
    folder.mkdir()
    environment = os.environ | flux.first_job("n1")
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], env=environment) as process:
        try:
            yield process
        finally:
            process.kill()


def test_hosts_are_free_when_who_holds_them_is_killed(flux: FakeFlux, tmp_path: Path) -> None:
    with holder(flux, tmp_path / "job") as process:
        until((tmp_path / "job" / "usable").exists)
        assert len(flux.idle()) == 1
        process.kill()
        until(lambda: flux.idle() == ["n2", "n3", "n4"])
    until(lambda: not flux.jobs())


def test_queue_is_left_when_who_waits_in_it_is_killed(flux: FakeFlux, tmp_path: Path) -> None:
    flux.occupy("n2", "n3", "n4")
    with holder(flux, tmp_path / "job") as process:
        until(lambda: flux.jobs("PENDING"))
        process.kill()
        until(lambda: not flux.jobs())
    assert flux.jobs("CANCELLED")


def test_jobs_end_with_the_first_even_when_all_that_held_them_is_dead(flux: FakeFlux, tmp_path: Path) -> None:
    with holder(flux, tmp_path / "job") as process:
        until((tmp_path / "job" / "usable").exists)
        os.kill(process.pid, signal.SIGSTOP)  # it tells nobody
        flux.kill_holders()
        assert len(flux.jobs("RUNNING")) == 2
        flux.end_first()
        until(lambda: not flux.jobs())
        assert {job["state"] for job in flux.jobs("COMPLETED", "CANCELLED")} == {"COMPLETED"}
