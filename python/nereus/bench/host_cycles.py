# SPDX-License-Identifier: BSD-3-Clause
"""A job that gets hosts and gives them back, again and again, and what each of these cycles takes.

In each cycle the job also grows to the same size on its first host alone: so there is a pause without other
hosts beside each pause with them, from the same minute.
"""

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from nereus.allocation import Inspection
from nereus.bench.logged_job import TrialError
from nereus.launch.hosts import short_name
from nereus.supervisor.asking import NoAnswer, ask
from nereus.supervisor.control_socket import control_socket_of
from nereus.supervisor.frames import RESIZED
from nereus.supervisor.job import Job
from nereus.supervisor.supervision import Supervision

_PATIENCE = 120.0
_LOOK_EVERY = 0.05
_IDLE_LOOK_EVERY = 0.01

Given = TypeVar("Given")


@dataclass(frozen=True)
class HostCycle:
    """Seconds. `usable`: from the request until the job runs on the hosts; `idle`: from the answer to the
    release until the resource manager has them back."""

    usable: float
    idle: float
    pause_growing: float
    pause_shrinking: float
    #: Between the same sizes, on the first host alone.
    one_host_pause_growing: float
    one_host_pause_shrinking: float


@dataclass
class HostCycles:
    """Cycles of one job; `nodes`: how many hosts come and go in each; `slots`: of its first host."""

    start: Supervision
    inspection: Inspection
    nodes: int
    slots: int
    stopped: Callable[[], bool]
    #: What was found of the job on the hosts and at the resource manager, after its end.
    left_behind: list[str] = field(default_factory=list)
    _used: set[str] = field(default_factory=set)

    def run(self, count: int) -> Iterator[HostCycle]:
        """Each as soon as it is over; the job ends when all are, or when it is stopped."""
        with tempfile.TemporaryDirectory(prefix="nereus-") as output, ThreadPoolExecutor(1) as pool:
            with Job(self.start, Path(output) / "output") as job:
                client = _Client(job, pool)
                client.wait_until_open()
                for _ in range(count):
                    if self.stopped():
                        break
                    yield self._cycle(client)
            if self._used:
                self.left_behind = self.inspection.left_behind(job.key, job.folder, sorted(self._used))

    def _cycle(self, client: "_Client") -> HostCycle:
        alone = [self._pause_on_one_host(client, ranks) for ranks in (self.slots * (1 + self.nodes), 1)]
        began = time.monotonic()
        grown, answered = client.resized({"kind": "hosts", "change": "grow", "count": self.nodes})
        hosts = sorted({short_name(host) for host in client.hosts()} - {short_name(self._first)})
        self._used.update(hosts)
        usable = answered - began
        release = {"kind": "hosts", "change": "release", "count": self.nodes, "ranks": 1}
        shrunk, answered = client.resized(release)
        idle = client.awaited(lambda: self._idle_since(hosts)) - answered
        return HostCycle(usable, idle, grown["pause_seconds"], shrunk["pause_seconds"], *alone)

    @property
    def _first(self) -> str:
        return self.start.launch.reach.hosts[0].name

    def _pause_on_one_host(self, client: "_Client", ranks: int) -> float:
        return float(client.resized({"kind": "resize", "ranks": ranks})[0]["pause_seconds"])

    def _idle_since(self, hosts: list[str]) -> float:
        """The moment."""
        deadline = time.monotonic() + _PATIENCE
        while not self.inspection.are_idle(hosts):
            if time.monotonic() > deadline:
                raise TrialError(f"{', '.join(hosts)}: not idle {_PATIENCE:g} s after the release")
            time.sleep(_IDLE_LOOK_EVERY)
        return time.monotonic()


class _Client:
    """Asks the job, as `nereus resize` does, while the job is attended to."""

    def __init__(self, job: Job, pool: ThreadPoolExecutor) -> None:
        self._job, self._pool = job, pool
        self._socket: Path = control_socket_of(job.key)

    def wait_until_open(self) -> None:
        deadline = time.monotonic() + _PATIENCE
        while not self.hosts():
            if time.monotonic() > deadline:
                raise TrialError(f"the job did not open within {_PATIENCE:g} s")

    def hosts(self) -> list[str]:
        """Of its ranks."""
        return list(self.awaited(lambda: ask(self._socket, {"kind": "status"}, _PATIENCE))["hosts"])

    def resized(self, question: Mapping[str, Any]) -> tuple[dict[str, Any], float]:
        """The report, and the moment of the answer."""
        asked = {**question, "wait": True, "patience": _PATIENCE} if question["kind"] == "hosts" else question

        def answer() -> tuple[dict[str, Any], float]:
            return ask(self._socket, asked, _PATIENCE), time.monotonic()

        said, moment = self.awaited(answer)
        if said.get("code") != RESIZED or not isinstance(said.get("report"), dict):
            raise TrialError(f"the job was not resized: {said.get('message') or said.get('name')}")
        return said["report"], moment

    def awaited(self, call: Callable[[], Given]) -> Given:
        """What another thread finds out."""
        future: Future[Given] = self._pool.submit(call)
        while not future.done():
            if not self._job.running():
                raise TrialError(f"the job ended: {self._job.outcome().text}")
            self._job.attend(_LOOK_EVERY)
        try:
            return future.result()
        except NoAnswer as problem:
            raise TrialError(f"the job does not answer: {problem}") from problem
