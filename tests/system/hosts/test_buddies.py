# SPDX-License-Identifier: BSD-3-Clause
"""Epochs in memory of several hosts outlive a host, too (`nereus run --protect buddy`)."""

import contextlib
import os
import random
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BUDDIES = ("--protect", "buddy", "--protect-every", "0.2", "--heartbeat-timeout", "6", "--recoveries", "10")


def folders() -> set[Path]:
    return set(Path("/dev/shm").glob("nereus-*-epochs"))


@pytest.fixture(autouse=True)
def all_folders_go() -> Iterator[None]:
    before = folders()
    yield
    assert folders() <= before


def newest_on(host: str) -> int:
    """Hosts of the tests have one /dev/shm, with a folder each."""
    found = Path("/dev/shm").glob(f"nereus-*-epochs/{host}/epoch-*")
    return max((int(path.name.rpartition("-")[2]) for path in found), default=0)


def wait_for_epochs(job: Any, *hosts: str) -> None:
    """The job makes a new one on these hosts."""
    before = {host: newest_on(host) for host in hosts}
    job.wait_until(lambda: all(newest_on(host) > before[host] for host in hosts), lambda: "no epoch")


def command_line(pid: int) -> str:
    """Of a process that may have ended."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    return ""


def recoveries(job: Any) -> int:
    return int(job.output.count("it continues from"))


def wait_for_recovery(job: Any, before: int, placed: str) -> None:
    job.wait_until(lambda: recoveries(job) > before, lambda: "it was not recovered")
    job.expect(placed)


@pytest.mark.parametrize("mpi", ["mpich", "openmpi"], indirect=True)
def test_job_goes_on_without_a_host_from_the_memory_of_others(start: Any, hosts: Any, mpi: str) -> None:
    with start(mpi, "a:1,b:1,c:1", "-n", "3", *BUDDIES) as job:
        job.expect("abc")
        wait_for_epochs(job, *hosts.names)
        with hosts.lost(hosts.c):
            for of_the_lost in Path("/dev/shm").glob(f"nereus-*-epochs/{hosts.c}"):
                shutil.rmtree(of_the_lost)
            wait_for_recovery(job, 0, "ab")
            assert "in memory (recovery 1)" in job.output
            job.stop()


def test_job_loses_one_host_after_the_other(start: Any, hosts: Any, mpich: str) -> None:
    with start(mpich, "a:2,b:2,c:2", "-n", "6", *BUDDIES) as job:
        job.expect("aabbcc")
        wait_for_epochs(job, *hosts.names)
        with hosts.lost(hosts.b):
            wait_for_recovery(job, 0, "aacc")
            wait_for_epochs(job, hosts.a, hosts.c)
            with hosts.lost(hosts.c):
                wait_for_recovery(job, 1, "aa")
                job.stop()


def test_job_survives_kills_at_any_moment_of_an_epoch_on_several_hosts(
    start: Any, hosts: Any, mpich: str
) -> None:
    """One is made all the time; the job has its ranks where it had them."""
    chance = random.Random(20261129)
    often = ("--protect-every", "0.001", "--recoveries", "100")
    with start(mpich, "a:2,b:2,c:2", "-n", "4", *BUDDIES, *often) as job:
        assert job.resized(5) and job.resized(6)
        for number in range(8):
            job.expect("aabbcc")
            wait_for_epochs(job, *hosts.names)
            time.sleep(chance.random() * 0.2)
            ranks = [pid for name in hosts.names for pid in hosts.processes(name, job.program.name)]
            os.kill(chance.choice(ranks), signal.SIGKILL)
            wait_for_recovery(job, number, "aabbcc")
        job.stop()


def test_recovered_job_has_ranks_on_the_hosts_that_have_its_data(start: Any, hosts: Any, mpich: str) -> None:
    """It grew to them one by one; all of its ranks would find room on the first one."""
    with start(mpich, "a:3,b:3,c:3", "-n", "1", *BUDDIES) as job:
        assert job.resized(3, "--placement", "spread")
        job.expect("abc")
        wait_for_epochs(job, *hosts.names)
        os.kill(hosts.processes(hosts.b, job.program.name)[0], signal.SIGKILL)
        wait_for_recovery(job, 0, "abc")
        job.stop()


def test_folder_of_a_host_stays_when_the_command_that_keeps_it_is_killed(
    start: Any, hosts: Any, mpich: str
) -> None:
    with start(mpich, "a:1,b:1", "-n", "2", *BUDDIES) as job:
        job.expect("ab")
        for pid in job.all_on("b"):
            if "read -r word" in command_line(pid):
                os.kill(pid, signal.SIGKILL)
        again = f"{hosts.b}: the command that keeps its epochs in memory has ended, and is started again"
        job.wait_until(lambda: again in job.output, lambda: "it is not started again")
        wait_for_epochs(job, hosts.a, hosts.b)
        os.kill(hosts.processes(hosts.b, job.program.name)[0], signal.SIGKILL)
        wait_for_recovery(job, 0, "ab")
        job.stop()


def test_newer_epoch_on_disk_is_preferred_to_one_in_memory_of_hosts(
    start: Any, hosts: Any, site: Any, mpich: str
) -> None:
    seldom = ("--protect-every", "1h", "--save", "saved", "--save-every", "0.2")
    with start(mpich, "a:1,b:1", "-n", "2", *BUDDIES, *seldom) as job:
        job.expect("ab")
        job.wait_until(lambda: [*site.folder.glob("saved/epoch-*")] != [], lambda: "no epoch")
        os.kill(hosts.processes(hosts.b, job.program.name)[0], signal.SIGKILL)
        wait_for_recovery(job, 0, "ab")
        assert "in memory" not in job.output
        job.stop()


def test_killed_supervisor_leaves_no_epochs_on_hosts(start: Any, hosts: Any, mpich: str) -> None:
    with start(mpich, "a:1,b:1", "-n", "2", *BUDDIES) as job:
        job.expect("ab")
        wait_for_epochs(job, hosts.a, hosts.b)
        job.kill()
        hosts.wait_until_empty(hosts.b)
        deadline = time.monotonic() + 30
        while any(newest_on(name) for name in hosts.names):
            assert time.monotonic() < deadline, "epochs are left"
            time.sleep(0.05)


def test_host_whose_memory_cannot_be_used_is_named(site: Any, hosts: Any, mpich: str, tmp_path: Path) -> None:
    shell = tmp_path / "shell"
    shell.write_text("#!/bin/sh\necho the network is down >&2\nexit 255\n")
    shell.chmod(0o755)
    where = ("--hosts", f"localhost:1,{hosts.b}:1", "--rsh", shell)
    result = site.nereus("run", "--mpi", mpich, "-n", "2", *where, *BUDDIES, "--", "true")
    assert result.code == 2, result.err
    assert f"no folder for epochs in memory could be made on {hosts.b}: the network is down" in result.err, (
        result.err
    )
