# SPDX-License-Identifier: BSD-3-Clause
"""For tests of the page: a server in a thread, a daemon in a process, a history that is told, a browser."""

import contextlib
import http.client
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from http.client import HTTPMessage
from pathlib import Path
from typing import Any

import zmq
from a_job import FakeJob
from commands import COMMAND

from nereus.daemon import DaemonError, NoDaemon, ask_daemon
from nereus.daemon.page.server import FILES, LOCAL, application, listening, new_word, serve
from nereus.daemon.page.source import Source

Document = dict[str, Any]
LIMIT = 120.0  # of a busy machine, on which a daemon takes half a minute to begin
A, B = "a" * 16, "b" * 16
BROWSER_OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
    *("--disable-breakpad", "--disable-dev-shm-usage"),
)
HOSTILE = "<img src=x onerror=alert(1)><script>document.title='taken'</script>&amp;"


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.01)


class Served:
    """A page of that source."""

    def __init__(self, source: Source, files: Path = FILES) -> None:
        self.word = new_word()
        self._over = threading.Event()
        self._at = listening(0)
        self.where: tuple[str, int] = self._at.getsockname()
        app = application(self.word, source, files)
        self._thread = threading.Thread(target=serve, args=(app, self._at, self._over.is_set))
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://{LOCAL}:{self.where[1]}/{self.word}/"

    def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[int, HTTPMessage, str]:
        """`path` as it is: nothing of it is made tidy."""
        connection = http.client.HTTPConnection(*self.where, timeout=LIMIT)
        with contextlib.closing(connection):
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()

    def look(self, since: int | None = None) -> Document:
        query = "" if since is None else f"?since={since}"
        status, _, text = self.ask(f"/{self.word}/look{query}")
        assert status == 200, text
        found: Document = json.loads(text)
        return found

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        self._at.close()


class House:
    """Where a daemon of the environment's XDG_RUNTIME_DIR lives, and jobs that it knows."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.control_sockets = Path(os.environ["XDG_RUNTIME_DIR"]) / "nereus"
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._process: subprocess.Popen[bytes] | None = None

    def begin(self, *options: str) -> None:
        self._process = subprocess.Popen(
            [*COMMAND, "daemon", "--store", str(self.folder / "store.sqlite"), "--cores", "8", *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until(_answers)

    def end(self, by: int = signal.SIGTERM) -> None:
        if self._process is not None:
            self._process.send_signal(by)
            self._process.wait(LIMIT)
        self._process = None

    @contextlib.contextmanager
    def job(self, name: str, **keys: Any) -> Iterator[FakeJob]:
        made = FakeJob(self._context, self.control_sockets / "daemon.line", name).connect()
        try:
            made.hello(**keys)
            received(made, "welcome")
            yield made
        finally:
            made.close()

    def close(self) -> None:
        self.end()
        self._context.term()


def _answers() -> bool:
    """The control socket alone may be that of one that was killed."""
    with contextlib.suppress(DaemonError):
        ask_daemon({"kind": "status"})
        return True
    return False


def received(job: FakeJob, kind: str) -> Document:
    def has() -> bool:
        job.take()
        return kind in job.kinds()

    until(has)
    return job.last(kind)


class Told:
    """A daemon's answers, as they are written here; None in the place of an answer: it is not there.

    Between two looks a second of its time passes, as in the browser, whose time is not ours either.
    """

    def __init__(self, *histories: list[Document] | None, store: str = "/s") -> None:
        """Each history is for one look; the last one stays."""
        self._histories = list(histories)
        self._looks = -1
        self._began = time.time()
        self.store = store

    def goes_on(self, history: list[Document]) -> None:
        """From the next look on."""
        self._histories = [history]

    def ask(self, question: Mapping[str, Any]) -> Document:
        if question["kind"] == "status":
            self._looks += 1
        history = self._histories[min(self._looks, len(self._histories) - 1)]
        if history is None:
            raise NoDaemon("no daemon of yours runs on this host; nereus daemon starts one")
        if question["kind"] == "status":
            return self._status(history)
        return {"events": [e for e in history if e["number"] > question["since"]], "last": len(history)}

    def _status(self, history: list[Document]) -> Document:
        ended = {event["job"] for event in history if event["event"] == "ended"}
        names = dict.fromkeys(event["job"] for event in history if event["job"] not in ended)
        jobs = [
            job_document(name, next(event for event in history if event["job"] == name)) for name in names
        ]
        about = {"policy": "phase-shifting", "cores": {"h": 8}, "cores_free": 3, "waiting_for_cores": []}
        return {
            **{**about, "store": self.store, "store_trouble": None, "last_event": len(history)},
            **{"jobs": jobs, "jobs_left": 0, "time_unix": self._began + self._looks},
        }


def job_document(name: str, first: Document) -> Document:
    return {
        **{"job": name, "command": first["command"], "ranks": first["ranks"], "iteration": 120},
        **{"came_unix": first["time_unix"], "answers": True, "turn": None, "commands": []},
        **{"next_io_unix": time.time() + 2, "io_seconds": 1.5, "next_io_iteration": 130},
        **{"period_seconds": 9.0, "confidence": 1.0},
    }


def history(command: str = "./cg 100", why: str = "the phases would meet") -> list[Document]:
    """One job that waits, writes and grows, another that refuses and ends; of the last 40 s."""
    begin = time.time() - 40
    wrote = {"phase": 1, "epoch": 5, "bytes": 100, "ranks": 2, "iteration": 10}
    told: list[tuple[float, str, str, Document]] = [
        (
            0,
            A,
            "came",
            {"ranks": 2, "command": command.split(), "iteration": 0, "places": {"h": 2}, "most": 8},
        ),
        (1, B, "came", {"ranks": 3, "command": ["./b"], "iteration": 0, "places": {"h": 3}, "most": 8}),
        (8, A, "asked", {"phase": 1, "bytes": 100}),
        (11, A, "granted", {"phase": 1, "epoch": 5}),
        (15, A, "wrote", {**wrote, "start_unix": begin + 8, "wait_seconds": 3.0, "service_seconds": 4.0}),
        (
            18,
            A,
            "decided",
            {"command": 1, "before": 2, "ranks": 4, "at": 20, "gives_back": False, "why": why},
        ),
        (
            24,
            A,
            "resized",
            {"command": 1, "before": 2, "ranks": 4, "iteration": 20, "seconds": 0.1, "why": why},
        ),
        (26, B, "refused", {"code": "NEREUS_ERR_RANGE", "text": "no slots", "command": 2, "why": why}),
        (30, B, "ended", {"why": "goodbye", "ranks": 3, "iteration": 50}),
        (33, A, "asked", {"phase": 2, "bytes": 100}),
    ]
    by = {"decided", "resized", "refused"}
    return [
        {"number": number, "time_unix": begin + after, "job": job, "event": kind, **about}
        | ({"by": "phase-shifting"} if kind in by else {})
        for number, (after, job, kind, about) in enumerate(told, start=1)
    ]


def browser() -> str | None:
    """A Chromium, where there is one."""
    found = map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))
    return next((path for path in found if path is not None), None)


@cache
def complaint() -> str | None:
    """Why no browser can be used here: some hosts have one that does not start."""
    if browser() is None:
        return "no Chromium on the PATH"
    try:
        begun = _run("about:blank", 1)
    except subprocess.TimeoutExpired as slow:
        return f"{browser()} shows no empty page within {slow.timeout:.0f} s"
    if begun.returncode == 0 and "<body>" in begun.stdout:
        return None
    return f"{browser()} shows no empty page: code {begun.returncode}: {begun.stderr.strip()[-300:]}"


def dom(address: str, seconds: float) -> str:
    """What the page is after so many seconds of its own time, which passes sooner than ours."""
    done = _run(address, seconds)
    assert done.returncode == 0, f"code {done.returncode}: {done.stderr[-2000:]}"
    return done.stdout


def _run(address: str, seconds: float) -> "subprocess.CompletedProcess[str]":
    program = browser()
    assert program is not None
    # Its sockets have short names only here: folders of tests are too long for them.
    with tempfile.TemporaryDirectory(prefix="nereus-browser-") as folder:
        return subprocess.run(
            [
                *(program, *BROWSER_OPTIONS, f"--user-data-dir={folder}/browser"),
                *("--window-size=1200,900", f"--virtual-time-budget={seconds * 1000:.0f}"),
                *("--dump-dom", address),
            ],
            env={**os.environ, "HOME": folder, "TMPDIR": folder},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
