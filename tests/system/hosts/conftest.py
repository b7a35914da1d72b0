# SPDX-License-Identifier: BSD-3-Clause
"""Three hosts on one machine, and jobs on them."""

import contextlib
import os
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from commands import COMMAND, started

from nereus.bench.local_hosts import LocalHosts, Wanted, local_hosts, processes_on
from nereus.supervisor import NoAnswer, ask

LIMIT = 60.0
LETTERS = "abc"
# By it a test finds what it started: programs on other hosts keep it.
MARKER = "NEREUS_SYSTEM_TEST"


class Hosts:
    """Three hosts a, b and c, and what runs on them."""

    def __init__(self, made: LocalHosts) -> None:
        self.prefix, self.enter, self.rsh = made.prefix, made.enter, made.rsh
        self.a, self.b, self.c = self.names = made.names
        self.lost = made.lost

    def must_find_each_other(self) -> None:
        """By name, which needs more than a network; CalledProcessError if they do not."""
        subprocess.run(
            [self.enter, self.a, f"getent hosts {self.b}"],
            check=True,
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )

    def processes(self, host: str, program: str = "") -> list[int]:
        """Running processes on a host, all or those of one program."""
        found = []
        for pid in processes_on(host):
            with contextlib.suppress(OSError):
                if program in Path(f"/proc/{pid}/exe").readlink().name:
                    found.append(pid)
        return found

    def wait_until_empty(self, host: str) -> None:
        """Nothing runs there any more."""
        deadline = time.monotonic() + LIMIT
        while left := self.processes(host):
            assert time.monotonic() < deadline, f"{left} still run on {host}"
            time.sleep(0.02)


@pytest.fixture(scope="session")
def hosts() -> Iterator[Hosts]:
    """Three hosts; tests are skipped with the reason where they cannot be made."""
    if os.geteuid() != 0:
        pytest.skip("hosts are made of network namespaces, which only root can make")
    if shutil.which("ip") is None:
        pytest.skip("hosts are made by the program ip, of Debian's package iproute2, which is missing")
    try:
        with local_hosts(Wanted("nrs", LETTERS, kept=(MARKER,))) as made:
            found = Hosts(made)
            found.must_find_each_other()
            yield found
    except subprocess.CalledProcessError as problem:
        pytest.skip(f"network namespaces cannot be made here: {problem.cmd}: {problem.stderr.strip()}")


@dataclass
class HostedJob:
    """A job of `nereus run` on host a, seen from outside."""

    site: Any
    hosts: Hosts
    process: "subprocess.Popen[str]"
    program: Path
    runtime: Path

    @property
    def status(self) -> dict[str, Any]:
        """How the job says that it stands; empty until there is a job."""
        for control_socket in self.runtime.glob("nereus/*.control"):
            # Before it there is the job that tries whether newcomers can join.
            with contextlib.suppress(NoAnswer):
                found: dict[str, Any] = ask(control_socket, {"kind": "status"}, LIMIT)
                if found["command"][0] == str(self.program):
                    return found
        return {}

    @property
    def placed(self) -> str:
        """Letters of the ranks' hosts, as the job tells them; empty until it is open."""
        return "".join(name.removeprefix(self.hosts.prefix) for name in self.status.get("hosts", []))

    @property
    def seen(self) -> dict[str, int]:
        """How many processes of the program are on each host, as the system tells it."""
        return {
            letter: len(self.hosts.processes(name, self.program.name))
            for letter, name in zip(LETTERS, self.hosts.names, strict=True)
        }

    def all_on(self, letter: str) -> list[int]:
        """Running processes on a host, whatever they run."""
        return self.hosts.processes(self.hosts.prefix + letter)

    def expect(self, placed: str) -> None:
        """The ranks are on these hosts, and soon no process of the program is anywhere else."""
        self.wait_until(lambda: self.placed == placed, lambda: f"{self.placed}, not {placed}")
        counts = {letter: placed.count(letter) for letter in LETTERS}
        self.wait_until(lambda: self.seen == counts, lambda: f"{self.seen}, not {counts}")

    def resize(self, ranks: int, *options: str, limit: float = LIMIT) -> Any:
        """Ask for another size; the document that `nereus resize` prints."""
        arguments = ("resize", self.status["job"], str(ranks), "--json", *options)
        return self.site.nereus(*arguments, limit=limit, XDG_RUNTIME_DIR=str(self.runtime)).document

    def resized(self, ranks: int, *options: str, limit: float = LIMIT) -> list[str]:
        """Ask for another size, which must come; the strategies by which it did."""
        document = self.resize(ranks, *options, limit=limit)
        assert document.get("name") == "NEREUS_RESIZED", (document, self.output)
        return list(document["report"]["process_strategies"])

    def stop(self) -> None:
        """Let the program come to its end, at which it must have found its data right in every iteration."""
        (self.site.folder / "stop").touch()
        assert self.process.wait(LIMIT) == 0, self.output
        assert "intact after" in self.output

    def wait_until(self, condition: Callable[[], bool], why: Callable[[], str]) -> None:
        """Look again and again; fails when it does not come true, or when the job ends."""
        deadline = time.monotonic() + LIMIT
        while not condition():
            assert self.process.poll() is None, self.output
            assert time.monotonic() < deadline, f"waited too long: {why()}\n{self.output}"
            time.sleep(0.02)

    def kill(self) -> None:
        """The supervisor; what cleans up behind it has ended too when this returns."""
        self.process.kill()
        self.process.wait()
        deadline = time.monotonic() + LIMIT
        while self.site.processes():
            assert time.monotonic() < deadline, f"processes are left\n{self.output}"
            time.sleep(0.02)

    @property
    def output(self) -> str:
        """What the command has written so far."""
        written: Path = self.site.folder / "written"
        return written.read_text()


Start = Callable[..., contextlib.AbstractContextManager[HostedJob]]


@pytest.fixture
def start(site: Any, hosts: Hosts, watched: Callable[[str], Path]) -> Start:
    """Starts `nereus run` on host a."""

    @contextlib.contextmanager
    def started(mpi: str, slots: str, *options: str) -> Iterator[HostedJob]:
        program = watched(mpi)
        listed = ",".join(f"{hosts.prefix}{part}" for part in slots.split(","))
        command = ["run", "--mpi", mpi, "--hosts", listed, "--rsh", str(hosts.rsh), *options]
        complete = [*command, "--", str(program), str(site.folder / "stop")]
        with _on_host_a(site, hosts, complete) as (process, runtime):
            job = HostedJob(site, hosts, process, program, runtime)
            job.wait_until(lambda: bool(job.placed), lambda: "the job is not open")
            yield job

    return started


@pytest.fixture
def on_host_a(site: Any, hosts: Hosts) -> Callable[[list[str]], Any]:
    """Starts another command of `nereus` on host a."""
    return lambda arguments: _on_host_a(site, hosts, arguments)


@contextlib.contextmanager
def _on_host_a(
    site: Any, hosts: Hosts, arguments: list[str]
) -> "Iterator[tuple[subprocess.Popen[str], Path]]":
    """A command of `nereus` on host a, and its folder for sockets; ended at the latest with the block."""
    runtime = Path(tempfile.mkdtemp(prefix="nsr-"))
    command = shlex.join([*COMMAND, *arguments])
    (site.folder / "stop").unlink(missing_ok=True)
    try:
        words = [str(hosts.enter), hosts.a, f"exec {command}"]
        environment = site.environment | {"XDG_RUNTIME_DIR": str(runtime)}
        with (
            (site.folder / "written").open("w") as written,
            started(words, site.folder, environment, written, subprocess.STDOUT) as process,
        ):
            yield process, runtime
    finally:
        shutil.rmtree(runtime)
