# SPDX-License-Identifier: BSD-3-Clause
"""A job for tests, which speaks the wire of docs/formats/daemon.md over a real socket."""

import json
import random
import time
from pathlib import Path
from typing import Any

import zmq

Message = dict[str, Any]


class FakeJob:
    """Says what it is told to; what it receives it keeps."""

    def __init__(self, context: "zmq.Context[zmq.Socket[bytes]]", line: Path | str, name: str) -> None:
        self.name = name if len(name) == 16 else name.encode().hex().ljust(16, "0")[:16]
        self.socket = context.socket(zmq.DEALER)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.setsockopt(zmq.RECONNECT_IVL, 10)
        self.address = str(line) if "://" in str(line) else f"ipc://{line}"
        self.hosts = ["localhost"]
        self.most = 4
        self.generation = 0
        self.iteration = 0
        self.asked = 0
        self.epoch = 0
        self.commands: list[int] = []
        self.received: list[Message] = []

    def connect(self) -> "FakeJob":
        self.socket.connect(self.address)
        return self

    def say(self, kind: str, **keys: Any) -> None:
        self.send(json.dumps({"version": 1, "job": self.name, "kind": kind, **keys}).encode())

    def send(self, frame: bytes) -> None:
        self.socket.send(frame)

    def hello(self, **keys: Any) -> None:
        usual = {
            "command": ["./cg", "100"],
            "mpi": "mpich",
            "pid": 1,
            "supervised": True,
            "hosts": self.hosts,
            "most": self.most,
            "iteration": self.iteration,
            "generation": self.generation,
            "asked": self.asked,
            "epoch": self.epoch,
            "commands": self.commands,
        }
        self.say("hello", **{**usual, **keys})

    def heartbeat(self) -> None:
        self.say("heartbeat", iteration=self.iteration, epoch=self.epoch)

    def ask(self, number: int) -> None:
        self.asked = number
        self.say("io_request", number=number, bytes=100, iteration=self.iteration)

    def wrote(self, number: int, epoch: int, **keys: Any) -> None:
        usual = {
            "id": number,
            "number": number,
            "epoch": epoch,
            "bytes": 100,
            "iteration": self.iteration,
            "ranks": len(self.hosts),
            "wait_seconds": 0.5,
            "service_seconds": 1,
            "age_seconds": 0.0,
        }
        self.epoch = 0
        self.say("io_done", **{**usual, **keys})

    def take(self) -> list[Message]:
        """What has come since the last time."""
        found: list[Message] = []
        while self.socket.poll(0):
            message = json.loads(self.socket.recv())
            assert message["version"] == 1 and message["job"] == self.name
            found.append(message)
        self.received += found
        return found

    def kinds(self) -> list[str]:
        return [message["kind"] for message in self.received]

    def last(self, kind: str) -> Message:
        return [message for message in self.received if message["kind"] == kind][-1]

    def close(self) -> None:
        self.socket.close(linger=0)


class LivelyJob(FakeJob):
    """Lives by itself: asks, writes, is resized; repeats what was not answered, as the library does.

    `store` is shared by jobs: who writes puts its name in.
    """

    EVERY = 0.02

    def __init__(
        self,
        context: "zmq.Context[zmq.Socket[bytes]]",
        line: Path | str,
        name: str,
        phases: int,
        store: set[str],
        chance: random.Random | None = None,
    ) -> None:
        """`chance`: messages both ways are lost, doubled or late by it."""
        super().__init__(context, line, name)
        self.phases, self.store, self._chance = phases, store, chance
        self.met: list[set[str]] = []  # others that wrote at the same time
        self.epochs: list[int] = []
        self.done: set[int] = set()  # commands
        self._opening = time.time_ns() // 1000  # a hello that comes late is its own
        self._late: list[bytes] = []
        self._ids = 0
        self._insisted: dict[int, Message] = {}
        self._known = False
        self._writes_until: float | None = None
        self._next = 0.0

    def say(self, kind: str, **keys: Any) -> None:
        super().say(kind, opening=self._opening, **keys)

    def send(self, frame: bytes) -> None:
        if self._chance is None:
            return super().send(frame)
        self._late.append(frame)
        for _ in range(self._chance.choice((0, 1, 1, 1, 2))):
            if self._late:
                super().send(self._late.pop(self._chance.randrange(len(self._late))))
        return None

    def step(self) -> None:
        """Whatever there is to do now."""
        for message in self.take():
            if self._chance is None or self._chance.random() < 0.8:
                self._receive(message)
        if self._writes_until is not None and time.monotonic() >= self._writes_until:
            self._end_phase()
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + self.EVERY
        if not self._known:
            in_phase = self._asks() or self._writes_until is not None
            self.hello(asked=self.asked if in_phase else 0)
            return
        self.heartbeat()
        for message in list(self._insisted.values()):
            self.say(**message)
        if self.asked < self.phases and self._writes_until is None and not self._asks():
            self.asked += 1
        if self._asks():
            self.ask(self.asked)

    @property
    def over(self) -> bool:
        """Whether all its phases are written, and all that it said is noted."""
        busy = self._asks() or self._writes_until is not None or bool(self._insisted)
        return self.asked == self.phases and not busy

    def _asks(self) -> bool:
        """Whether it waits for a turn."""
        return self.asked > len(self.epochs)

    def _receive(self, message: Message) -> None:
        kind = message["kind"]
        if kind == "who":
            self._known = False
        elif kind == "welcome":
            self._known = True
        elif kind == "noted":
            self._insisted.pop(message["id"], None)
        elif kind == "grant" and self._asks() and message["number"] == self.asked:
            self._begin_phase(message["epoch"])
        elif kind == "resize":
            self._resize(message)
        elif kind == "cancel":
            self.say("heard", command=message["command"])
        elif kind == "alive" and not message["turn"] and message["epoch"] == self.epoch:
            raise AssertionError(f"{self.name}: a turn was taken from a job that lives: {self.epoch}")

    def _begin_phase(self, epoch: int) -> None:
        self.met.append(set(self.store))
        self.store.add(self.name)
        self.epoch = epoch
        self.epochs.append(epoch)
        self._writes_until = time.monotonic() + self.EVERY

    def _end_phase(self) -> None:
        self._writes_until = None
        self.store.remove(self.name)
        epoch, self.epoch = self.epoch, 0
        self.iteration += 10
        keys = {"iteration": self.iteration, "ranks": len(self.hosts), "bytes": 100}
        times = {"wait_seconds": 0, "service_seconds": self.EVERY, "age_seconds": 0}
        self._insist("io_done", number=self.asked, epoch=epoch, **keys, **times)

    def _resize(self, message: Message) -> None:
        number = message["command"]
        self.say("heard", command=number)
        if number in self.done:
            return
        self.done.add(number)
        self.generation += 1
        self.hosts = ["localhost"] * message["ranks"]
        keys = {"hosts": self.hosts, "generation": self.generation, "iteration": self.iteration}
        self._insist("done", command=number, seconds=0.01, message="", **keys)

    def _insist(self, kind: str, **keys: Any) -> None:
        self._ids += 1
        self._insisted[self._ids] = {"kind": kind, "id": self._ids, **keys}
