# SPDX-License-Identifier: BSD-3-Clause
"""For tests of the page of one job: what its supervisor, the daemon and its records say."""

import json
import socket
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from a_page import Served

from nereus.daemon import NoDaemon
from nereus.daemon.page.job.communicators import KnownCommunicators
from nereus.daemon.page.job.in_daemon import JobInDaemon
from nereus.daemon.page.job.source import JobSource
from nereus.daemon.page.job.status import JobStatus
from nereus.daemon.page.job.successor import Successors
from nereus.daemon.page.job.traffic import Traffic
from nereus.daemon.page.server import FILES, JOB_PAGE, application, listening, new_word, serve
from nereus.supervisor import FoundJob, NoAnswer
from nereus.supervisor.asking import Where
from nereus.supervisor.control_socket import ControlSocket
from nereus.supervisor.sockets import Sockets

Document = dict[str, Any]
KEY = "a" * 16
NOWHERE = Path("/nowhere/a.control")
NOBODY = 2**30  # a process of this number cannot be


def status(**changes: Any) -> Document:
    """As docs/formats/link.md has it."""
    usual: Document = {
        **{"version": 1, "kind": "status", "job": KEY, "name": "cg-1", "command": ["./cg", "100"]},
        **{"mpi": "mpich", "host": socket.gethostname(), "pid": NOBODY, "started_unix": 1.0, "ranks": 2},
        **{"generation": 0, "hosts": ["h", "h"], "state": "running", "resizes": 0},
    }
    return {**usual, **changes}


class Says:
    """A supervisor's answers, one for each look; the last one stays. None: it has ended."""

    def __init__(self, *answers: Document | Exception | None) -> None:
        self._answers = list(answers)
        self.asked = 0

    def ask(self, where: Where, question: Mapping[str, Any], seconds: float) -> Document:
        answer = self._answers[min(self.asked, len(self._answers) - 1)]
        self.asked += 1
        if isinstance(answer, Exception):
            raise answer
        if answer is None:
            raise NoAnswer("its supervisor has ended", refused=True)
        return answer


class DaemonSays:
    """Of one job; `known`: None where the daemon does not know it. Without an instance there is no daemon."""

    def __init__(self, known: Document | None, *events: Document) -> None:
        self.known, self.events = known, list(events)

    def ask(self, question: Mapping[str, Any]) -> Document:
        if question["kind"] == "events":
            found = [event for event in self.events if event["number"] > question["since"]]
            return {"events": found, "last": len(self.events)}
        jobs = [] if self.known is None else [{"job": KEY, **self.known}]
        return {"jobs": jobs, "jobs_left": 0, "last_event": len(self.events), "store": "/s"}


def no_daemon(question: Mapping[str, Any]) -> Document:
    raise NoDaemon("no daemon of yours runs on this host")


def source(
    says: Says,
    daemon: DaemonSays | None = None,
    records: list[bytes] | None = None,
    results: Path | None = None,
    name: str = "cg-1",
    successors: Successors | None = None,
) -> JobSource:
    """`records`: lines of the processes of a monitored run; None: none is monitored."""
    runs = [] if records is None else [Path("/run")]
    return JobSource(
        FoundJob(KEY, name, socket.gethostname(), NOWHERE),
        JobStatus(NOWHERE, says.ask),
        JobInDaemon(KEY, no_daemon if daemon is None else daemon.ask),
        Traffic(KEY, lambda: runs, lambda _: records or [], lambda _: True, known_communicators([])),
        results,
        successors or Successors(lambda: [], processes=Path("/nowhere")),
    )


def record(
    rank: int, ranks: int, sent: Mapping[int, int], generation: int = 0, **changes: Any
) -> list[bytes]:
    """Lines of `nereus-parts --totals` of one process of the job, which sent so many bytes to each rank."""
    about = {"event": "process", "world": "w", "rank": rank, "ranks": ranks, "host": "h", "process": rank}
    to = [[peer, 1, size, {}] for peer, size in sent.items()]
    lines: list[Document] = [
        {**about, "end": "not_yet", "lost_messages": 0},
        {"event": "supervised", "job": KEY},
        {
            **{"event": "generation", "generation": generation, "job": "own", "own_rank": rank},
            "members": [[0, 0, ranks, 1]],
        },
        {"event": "moved", "kind": "point_to_point", "generation": generation, "to": to, **changes},
    ]
    return [line_of(line) for line in lines]


def known_communicators(lines: list[bytes]) -> KnownCommunicators:
    return KnownCommunicators(lambda _: (line + b"\n" for line in lines))


def line_of(event: Document) -> bytes:
    """As `nereus-parts` writes it, without spaces."""
    return json.dumps(event, separators=(",", ":")).encode()


class Supervisor:
    """Answers on a real control socket, as long as the block lasts."""

    def __init__(self, answer: Document) -> None:
        self.answer = answer
        self._over = threading.Event()
        self._sockets = Sockets()
        self._control_socket = ControlSocket(self._sockets, answer["job"])
        self._thread = threading.Thread(target=self._live)

    def __enter__(self) -> "Supervisor":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._control_socket.close()
        self._sockets.close()

    def _live(self) -> None:
        while not self._over.wait(0.01):
            for envelope, _ in self._control_socket.received():
                envelope.answer({key: self.answer[key] for key in self.answer if key != "version"})


class ServedJob(Served):
    """The page of one job."""

    def __init__(self, source: JobSource, files: Path = FILES) -> None:
        self.word = new_word()
        self._over = threading.Event()
        self._at = listening(0)
        self.where: tuple[str, int] = self._at.getsockname()
        app = application(self.word, source, files, JOB_PAGE)
        self._thread = threading.Thread(target=serve, args=(app, self._at, self._over.is_set))
        self._thread.start()


def emulation(*events: Document, began: float | None = None) -> str:
    """A result file whose one phase has a stage of computation and one of communication."""
    stage = {"seconds": 0.01, "bytes": 8, "granularity": 1, "capped": False, "ranks": 0}
    group = {
        **{"iterations": 1, "ranks": 2, "factor": 1.0, "placement": "spread", "process_method": "merge"},
        **{"process_strategies": [], "transfer_method": "p2p", "transfer_strategy": "blocking"},
    }
    run = {
        **{"name": "x", "barrier": False, "capture": "max", "groups": [group]},
        "data": {"constant_bytes": 0, "variable_bytes": 0, "element_bytes": 1},
        "phases": [{"iterations": 9, "stages": [{**stage, "type": "pi"}, {**stage, "type": "allreduce"}]}],
    }
    header = {
        **{"event": "header", "time": 0.0, "generation": 0, "format": "nereus-results", "version": 1},
        **{"nereus_version": "0", "mpi": "m", "host": "h", "started": "", "run": run},
        "started_unix": time.time() - 60 if began is None else began,
    }
    return "".join(json.dumps(line) + "\n" for line in (header, *events))


def progress(at: float, done: int, seconds: float, ranks: int = 2, generation: int = 0) -> Document:
    about = {"event": "progress", "time": at, "generation": generation, "group": 0, "phase": 0}
    return {**about, "iteration": done, "iterations": 9, "ranks": ranks, "seconds": seconds}


def iteration(generation: int, number: int, pi: float, allreduce: float) -> Document:
    about = {"event": "iteration", "time": 5.0, "generation": generation, "group": 0, "phase": 0}
    times = {"start": 0.0, "seconds": pi + allreduce, "stage_seconds": [pi, allreduce], "background": False}
    return {**about, "iteration": number, **times}


def committed(at: float, before: int, ranks: int, generation: int) -> Document:
    return {
        **{
            "event": "committed",
            "time": at,
            "generation": generation,
            "request": 1,
            "from": before,
            "to": ranks,
        },
        **{"process_method": "merge", "process_strategies": ["parallel"], "transfer_method": "rma"},
        **{"pause_seconds": 0.25, "bytes_moved": 2048},
    }
