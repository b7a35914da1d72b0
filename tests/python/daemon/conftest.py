# SPDX-License-Identifier: BSD-3-Clause
"""A daemon for tests: in this process, turn by turn, or in another one that can be killed."""

import math
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import scipy.optimize  # noqa: F401 - once, and not in each daemon that is forked
import zmq
from a_job import FakeJob, LivelyJob

from nereus.daemon.clock import Clock
from nereus.daemon.daemon import Daemon, Settings
from nereus.daemon.places import own_name
from nereus.policy.decisions import Policy
from nereus.policy.parameters import Parameters
from nereus.policy.policies import BY_NAME
from nereus.supervisor.daemon_address import daemon_control_socket, daemon_line

LIMIT = 120.0
#: In less than that nobody takes the daemon for one that stood still.
_STEP = 0.9
#: Seconds between two heartbeats.
_BEAT = 2.0


class MovedClock(Clock):
    def pass_by(self, seconds: float) -> None:
        self._ahead += seconds


class House:
    """Where a daemon and jobs are; at the end nothing of it is left."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.context.max_sockets = 4096
        self.clock = MovedClock()
        self.daemon: Daemon | None = None
        self.child: int | None = None
        self._jobs: list[FakeJob] = []

    @property
    def line(self) -> Path:
        return daemon_line()

    def settings(self, policy: str | Policy = "blocking", cores: int = 8, **keys: Any) -> Settings:
        parameters = Parameters(**keys.pop("parameters", {}))
        usual = {
            "store": self.folder / "store.sqlite",
            "cores": {own_name(): cores},
            "parameters": parameters,
        }
        name, made = ("mine", policy) if isinstance(policy, Policy) else (policy, BY_NAME[policy]())
        return Settings(policy=made, policy_name=name, **{**usual, **keys})

    def begin(self, **keys: Any) -> Daemon:
        """A daemon in this process."""
        self.daemon = Daemon(self.settings(**keys), clock=self.clock)
        return self.daemon

    def end(self) -> None:
        if self.daemon is not None:
            self.daemon.close()
        self.daemon = None

    def job(self, name: str = "a", connect: bool = True) -> FakeJob:
        made = FakeJob(self.context, self.line, name)
        self._jobs.append(made)
        return made.connect() if connect else made

    def known_job(self, name: str = "a", **keys: Any) -> FakeJob:
        """One that was welcomed."""
        job = self.job(name)
        job.hello(**keys)
        self.until(lambda: "welcome" in job.kinds())
        return job

    def lively(self, *names: str, phases: int = 3, chance: Any = None) -> list[LivelyJob]:
        store: set[str] = set()
        made = [LivelyJob(self.context, self.line, name, phases, store, chance) for name in names]
        self._jobs += made
        for job in made:
            job.connect()
        return made

    def until(self, condition: Callable[[], bool]) -> None:
        """Let the daemon and the jobs do what there is to do until that is so."""
        deadline = time.monotonic() + LIMIT
        while not condition():
            received = {job.name: job.received[-5:] for job in self._jobs}
            assert time.monotonic() < deadline, f"waited too long: {received}"
            if self.daemon is not None:
                self.daemon.turn()
            for job in self._jobs:
                job.step() if isinstance(job, LivelyJob) else job.take()
            time.sleep(0.001)

    def pass_by(self, seconds: float) -> None:
        """Time, while the daemon of this process listens."""
        left = seconds
        while left > 0:
            self.clock.pass_by(min(_STEP, left))
            left -= _STEP
            if self.daemon is not None:
                self.daemon.turn()

    def settle(self) -> None:
        """Until all that was said has been received, and the answers too.

        A late job says something three times. What it says may overtake what was said on other connections,
        by one look of libzmq at what has come: once on the way to the daemon, and once on the way back.
        """
        late = self.job("late")
        for _ in range(3):
            late.received.clear()
            late.heartbeat()
            self.until(lambda: "who" in late.kinds())
        self.leaves(late)

    def leaves(self, job: FakeJob) -> None:
        """Without a word."""
        self._jobs.remove(job)
        job.close()

    def beat(self, *jobs: FakeJob) -> None:
        """They say that they are there, and are answered.

        Who is not answered says it again, as real jobs do: what is said on the line to a daemon that was
        just killed, before libzmq has seen its end, is lost.
        """
        before = {job.name: job.kinds().count("alive") for job in jobs}
        said = -math.inf

        def all_answered() -> bool:
            nonlocal said
            silent = [job for job in jobs if job.kinds().count("alive") <= before[job.name]]
            if silent and time.monotonic() - said >= _BEAT:
                for job in silent:
                    job.heartbeat()
                said = time.monotonic()
            return not silent

        self.until(all_answered)

    def job_documents(self) -> dict[str, Any]:
        assert self.daemon is not None
        answer, _ = self.daemon._query_handler.answer({"kind": "status"}, self.clock.now())
        return {job["job"]: job for job in answer["jobs"]}

    def events(self, *kinds: str) -> list[dict[str, Any]]:
        assert self.daemon is not None
        answer, _ = self.daemon._query_handler.answer({"kind": "events"}, self.clock.now())
        return [event for event in answer["events"] if not kinds or event["event"] in kinds]

    def dropped(self, reason: str) -> float:
        """Messages that were not heard for that."""
        assert self.daemon is not None
        self.daemon._tell_figures()
        found = self.daemon.state.figures.registry.get_sample_value(
            "nereus_messages_dropped_total", {"reason": reason}
        )
        return found or 0.0

    def begin_elsewhere(self, dies: Callable[[], None] = lambda: None, **keys: Any) -> int:
        """A daemon in a process of its own, and `dies` (a_killed_daemon) says when it is killed."""
        settings = self.settings(**keys)
        child = os.fork()
        if child == 0:
            _live(settings, dies)
        self.child = child
        self.until(lambda: daemon_control_socket().exists())
        return child

    def is_dead(self) -> bool:
        assert self.child is not None
        return os.waitpid(self.child, os.WNOHANG) != (0, 0)

    def kill(self) -> None:
        assert self.child is not None
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        self.child = None

    def close(self) -> None:
        for job in self._jobs:
            job.close()
        self.end()
        if self.child is not None:
            self.kill()
        self.context.term()


def _live(settings: Settings, dies: Callable[[], None]) -> None:
    """Never returns."""
    dies()
    over: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: over.append(number))
    try:
        daemon = Daemon(settings)
        daemon.serve(lambda: bool(over))
        daemon.close()
    finally:
        os._exit(0)


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    # Names of sockets are short.
    runtime = Path(tempfile.mkdtemp(prefix="nct-"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    made = House(tmp_path)
    try:
        yield made
    finally:
        made.close()
        shutil.rmtree(runtime)
