# SPDX-License-Identifier: BSD-3-Clause
"""The daemon for tests without its sockets, and the messages that it receives (docs/formats/daemon.md)."""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nereus.daemon import messages
from nereus.daemon.events import Events
from nereus.daemon.executor import CommandExecutor, Out
from nereus.daemon.policy_guard import PolicyGuard
from nereus.daemon.protocol import Protocol
from nereus.daemon.state import Chosen, DaemonState, HostLimits, Pilot
from nereus.daemon.store import Store
from nereus.policy.parameters import Parameters
from nereus.policy.policies import BY_NAME


class SocketlessDaemon:
    """Its time passes only when `now` is moved."""

    def __init__(
        self,
        policy: str = "coupling",
        limits: HostLimits | None = None,
        folder: "tempfile.TemporaryDirectory[str] | None" = None,
        pilot: Pilot | None = None,
        quiet_seconds: float = 0.0,
    ) -> None:
        """`limits`: jobs have allocations of their own; `folder`: of a daemon before this one; `pilot`: jobs
        share out its hosts, after so many quiet seconds.
        """
        self.now = 1e9
        self.folder = folder or tempfile.TemporaryDirectory()
        self.store = Store(Path(self.folder.name) / "store.sqlite")
        events = Events(self.store.event)
        guard = PolicyGuard(BY_NAME[policy](), self.complain)
        cores = pilot.hosts if pilot is not None else {} if limits else {"h": 4, "i": 4}
        chosen = Chosen(policy, cores, Parameters(), limits, pilot)
        quiet_until = self.now + quiet_seconds
        self.state = DaemonState(chosen, guard, self.store, events, (0, 10), quiet_until)
        self.executor = CommandExecutor(self.state, guard)
        self.protocol = Protocol(self.state, self.executor, "here")

    def complain(self, text: str) -> None:
        raise AssertionError(text)

    def receive(self, frame: bytes) -> list[Mapping[str, Any]]:
        message = messages.read(frame)
        if message is None:
            return []
        return [out.message for out in self.protocol.receive((0, b"x"), message, self.now)]

    def sent(self, frame: bytes, sender: bytes) -> list[Out]:
        """What comes of a message, and for whom it is."""
        message = messages.read(frame)
        assert message is not None
        outs = self.protocol.receive((0, sender), message, self.now)
        self.store.commit(self.now)
        return outs

    def look(self, seconds: float) -> list[Out]:
        """What is to be said after so many seconds."""
        self.now += seconds
        return [*self.executor.look(self.now), *self.executor.all_due(self.now)]

    def state_text(self) -> str:
        known = self.state.coordinator
        return repr((self.state.sessions, known.turns.writing, known.free))

    def close(self) -> None:
        self.store.close()
        self.folder.cleanup()


def message(kind: str, job: str, **keys: Any) -> bytes:
    return json.dumps({"version": 1, "job": job, "kind": kind, **keys}).encode()


def hello(job: str, **keys: Any) -> bytes:
    usual = {
        **{"command": ["x"], "mpi": "m", "pid": 1, "supervised": True, "hosts": ["h"], "most": 8},
        **{"iteration": 0, "generation": 0, "asked": 0, "epoch": 0, "commands": []},
    }
    return message("hello", job, **{**usual, **keys})


def allocation(job: str, **keys: Any) -> bytes:
    usual = {"first_slots": 2, "host_slots": 2, "more_hosts": 0, "heard": 0, "outcomes": []}
    return message("allocation", job, **{**usual, **keys})
