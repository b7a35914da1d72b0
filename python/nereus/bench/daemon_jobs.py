# SPDX-License-Identifier: BSD-3-Clause
"""The jobs of `nereus bench daemon`: they speak the wire, and do nothing else."""

import json
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from nereus import UserError
from nereus.supervisor.control_socket import DAEMON, control_socket_of
from nereus.supervisor.sockets import Sockets

_PATIENCE_SECONDS = 30.0
_SAYS_EVERY = 0.5  # s, as the daemon asks for
_TICK_SECONDS = 0.005
_CYCLE = 10  # messages, of which the last three are a sample, a request for a turn and the end of a phase


@dataclass(frozen=True)
class Grants:
    """From the request to the grant, seen by a job; the others are connected and say that they are there."""

    clients: int
    phases: int
    median_seconds: float
    p99_seconds: float
    worst_seconds: float


@dataclass(frozen=True)
class Load:
    """`heard`: by the daemon, of the messages that were sent; `cpu_share`: the daemon's, of one core."""

    clients: int
    messages: int
    heard: int
    seconds: float
    messages_per_second: float
    cpu_share: float


class Job:
    def __init__(self, sockets: Sockets, line: Path, number: int) -> None:
        self.name = f"{number:016x}"
        self.socket = sockets.dealer()
        self.socket.connect(f"ipc://{line}")
        self._said = 0
        self._phase = 0

    def say(self, kind: str, **keys: Any) -> None:
        self.socket.send(json.dumps({"version": 1, "job": self.name, "kind": kind, **keys}).encode())

    def hello(self) -> None:
        about = {"command": ["bench"], "mpi": "none", "pid": os.getpid(), "supervised": False}
        stand = {"hosts": ["bench"], "most": 1, "iteration": 0, "generation": 0, "asked": 0, "epoch": 0}
        self.say("hello", **about, **stand, commands=[])

    def heartbeat(self) -> None:
        self.say("heartbeat", iteration=self._said, epoch=0)

    def ask(self) -> None:
        self._phase += 1
        self.say("io_request", number=self._phase, bytes=0, iteration=self._said)

    def end_phase(self, epoch: int) -> None:
        times = {"wait_seconds": 0, "service_seconds": 0.001, "age_seconds": 0}
        about = {"id": self._phase, "number": self._phase, "bytes": 0, "iteration": self._said, "ranks": 1}
        self.say("io_done", epoch=epoch, **about, **times)

    def say_next(self) -> None:
        """One of a cycle."""
        self._said += 1
        place = self._said % _CYCLE
        if place == _CYCLE - 3:
            self.say("sample", ranks=1, iteration=self._said, iterations=10, seconds=0.1)
        elif place == _CYCLE - 2:
            self.ask()
        elif place == _CYCLE - 1:
            self.end_phase(0)
        else:
            self.heartbeat()

    def wait(self, kind: str) -> dict[str, Any]:
        """The next message of this kind; others are dropped."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while self.socket.poll(max(0, int(1000 * (deadline - time.monotonic())))):
            message: dict[str, Any] = json.loads(self.socket.recv())
            if message["kind"] == kind:
                return message
        raise UserError(f"the daemon did not answer within {_PATIENCE_SECONDS:g} s ({kind})")

    def drop_answers(self) -> None:
        while self.socket.poll(0):
            self.socket.recv()


def timed_grants(line: Path, clients: int, phases: int) -> Grants:
    """Of one job, while the others live in another process."""
    with _others(line, clients - 1), _jobs(line, clients, 1) as (job,):
        times = sorted(_one_grant(job) for _ in range(phases))
    return Grants(clients, phases, median(times), times[int(0.99 * len(times))], times[-1])


def load(process: int, line: Path, clients: int, rate: float, seconds: float) -> Load:
    """Each says so much a second, evenly spread."""
    with _jobs(line, 0, clients) as jobs:
        before = _heard(line)
        used, begun = _processor_seconds(process), time.monotonic()
        sent = _say_much(jobs, rate, begun + seconds)
        passed = time.monotonic() - begun
        share = (_processor_seconds(process) - used) / passed
        heard = _wait_until_heard(line, before + sent) - before
    return Load(clients, sent, heard, passed, sent / passed, share)


def _one_grant(job: Job) -> float:
    begun = time.perf_counter()
    job.ask()
    epoch = job.wait("grant")["epoch"]
    passed = time.perf_counter() - begun
    job.end_phase(epoch)
    job.wait("noted")
    return passed


def _say_much(jobs: Sequence[Job], rate: float, until: float) -> int:
    """How many messages."""
    sent, begun = 0, time.monotonic()
    while (now := time.monotonic()) < until:
        due = int((now - begun) * rate * len(jobs))
        for number in range(sent, due):
            job = jobs[number % len(jobs)]
            job.drop_answers()
            job.say_next()
        sent = max(sent, due)
        time.sleep(_TICK_SECONDS)
    return sent


@contextmanager
def _jobs(line: Path, first: int, count: int) -> Iterator[list[Job]]:
    """That many, all of them known to the daemon."""
    with Sockets(most=count + 100) as sockets:
        jobs = [Job(sockets, line, first + number) for number in range(count)]
        for job in jobs:
            job.hello()
        for job in jobs:
            job.wait("welcome")
        yield jobs


@contextmanager
def _others(line: Path, count: int) -> Iterator[None]:
    """Jobs that say now and then that they are there, in another process."""
    ready, is_ready = os.pipe()
    child = os.fork()
    if child == 0:
        _live(line, count, is_ready)
    try:
        os.read(ready, 1)
        yield
    finally:
        os.close(ready)
        os.close(is_ready)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _live(line: Path, count: int, is_ready: int) -> None:
    """Never returns."""
    try:
        with _jobs(line, 0, count) as jobs:
            os.write(is_ready, b"1")
            while os.getppid() != 1:
                _say_much(jobs, 1 / _SAYS_EVERY, time.monotonic() + 1) if jobs else time.sleep(1)
    finally:
        os._exit(0)


def _heard(line: Path) -> int:
    """Messages that the daemon heard."""
    with Sockets() as sockets:
        control_socket = sockets.dealer()
        control_socket.connect(f"ipc://{control_socket_of(DAEMON, line.parent)}")
        control_socket.send(b'{"version": 1, "kind": "status", "from": 1000000}')
        if not control_socket.poll(int(1000 * _PATIENCE_SECONDS)):
            raise UserError("the daemon did not answer on its control socket")
        counted: dict[str, int] = json.loads(control_socket.recv())["heard"]
    return sum(counted.values())


def _wait_until_heard(line: Path, all_of_them: int) -> int:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while (heard := _heard(line)) < all_of_them and time.monotonic() < deadline:
        time.sleep(0.1)
    return heard


def _processor_seconds(process: int) -> float:
    """Of all its threads, by the system's ticks."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    user, system = int(fields[11]), int(fields[12])
    return (user + system) / os.sysconf("SC_CLK_TCK")
