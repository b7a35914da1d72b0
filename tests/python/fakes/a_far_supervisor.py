# SPDX-License-Identifier: BSD-3-Clause
"""A supervisor on another host, for those who ask: its record in a folder of keys, and who answers there."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import zmq

from nereus.supervisor import RESIZED
from nereus.supervisor.control_socket import RequestSocket
from nereus.supervisor.curve import new_pair
from nereus.supervisor.sockets import Sockets

#: The start of another host, and a namespace there.
ELSEWHERE = "f" * 32 + "-4026531836"
#: Where nobody answers (RFC 5737).
NOWHERE = "192.0.2.1"


def record_of(key: str, **changes: Any) -> dict[str, Any]:
    """As docs/formats/job.md has it, of a job on the host n2."""
    server, client = new_pair(), new_pair()
    usual = {
        **{"version": 1, "job": key, "name": "far-1", "host": "n2", "address": NOWHERE, "port": 40000},
        **{"server": server.public, "public": client.public, "secret": client.secret},
        **{"resource_manager": "slurm", "resource_manager_job": "4711", "started_unix": time.time()},
        **{"supervisor": {"pid": 1, "started": 1}, "origin": ELSEWHERE},
    }
    return {**usual, **changes}


def write_record(folder: Path, record: dict[str, Any]) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{record['job']}.job"
    path.touch(mode=0o600)
    path.write_text(json.dumps(record))
    return path


class _Network(RequestSocket):
    def __init__(self, sockets: Sockets) -> None:
        self.server, self.client = new_pair(), new_pair()
        self.socket = sockets.router(network=True)
        sockets.guard(self.socket, self.server, [self.client.public])
        self.port = self.socket.bind_to_random_port("tcp://127.0.0.1")

    def hears(self, content: zmq.Frame) -> bool:
        return True


class FarSupervisor:
    """Answers what it is asked; `silent`: it only listens."""

    def __init__(self, folder: Path, key: str, silent: bool = False, **changes: Any) -> None:
        self.asked: list[dict[str, Any]] = []
        self._key, self._silent = key, silent
        self._over = threading.Event()
        self._sockets = Sockets()
        self._network = _Network(self._sockets)
        keys = {"server": self._network.server.public, "public": self._network.client.public}
        where = {"address": "127.0.0.1", "port": self._network.port}
        self.record = record_of(key, **keys, secret=self._network.client.secret, **where, **changes)
        self.path = write_record(folder, self.record)
        self._thread = threading.Thread(target=self._live)
        self._thread.start()

    def _live(self) -> None:
        while not self._over.wait(0.01):
            for envelope, question in self._network.received():
                assert question is not None
                self.asked.append(question)
                if not self._silent:
                    envelope.answer(self._answer(question))
            self._sockets.look()

    def _answer(self, question: dict[str, Any]) -> dict[str, Any]:
        if question["kind"] == "status":
            known = {"job": self._key, "name": self.record["name"], "host": self.record["host"]}
            stands = {"ranks": 2, "generation": 0, "hosts": ["n2", "n3"], "state": "running", "resizes": 0}
            about = {"command": ["./far"], "mpi": "mpich", "pid": 1, "started_unix": 0.0}
            return {"kind": "status", **known, **about, **stands}
        return {"kind": "resized", "code": RESIZED, "report": {"from": 2, "to": question["ranks"]}}

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        self._network.close()
        self._sockets.close()
        self.path.unlink(missing_ok=True)


@contextmanager
def far_supervisor(folder: Path, key: str, **changes: Any) -> Iterator[FarSupervisor]:
    """As long as the block lasts."""
    made = FarSupervisor(folder, key, **changes)
    try:
        yield made
    finally:
        made.close()
