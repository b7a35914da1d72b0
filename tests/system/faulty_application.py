# SPDX-License-Identifier: BSD-3-Clause
"""The application of programs/resizable.cpp under `nereus run`, for tests that let something happen to it."""

import functools
import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nereus.supervisor import NoAnswer, ask

LIMIT = 45.0
OPEN_MPI_TRIALS = 3


class HungError(Exception):
    """Something did not come about in time."""


def repeated_where_open_mpi_hangs(test: Callable[..., None]) -> Callable[..., None]:
    """A test that may hang with Open MPI 4.1.4, whose processes sometimes never come out of MPI_Init."""

    @functools.wraps(test)
    def run(site: Any, mpi: str, **others: Any) -> None:
        for _ in range(OPEN_MPI_TRIALS - 1 if mpi == "openmpi" else 0):
            try:
                return test(site=site, mpi=mpi, **others)
            except HungError as hang:
                print(f"repeated: {hang!r}")
                shutil.rmtree(site.folder)
                site.folder.mkdir()
        return test(site=site, mpi=mpi, **others)

    return run


class Application:
    """The running application, and what it has told so far."""

    def __init__(self, site: Any, process: "subprocess.Popen[str]", folder: Path) -> None:
        """`folder`: where it writes what happens."""
        self.site, self.process, self.folder = site, process, folder
        self.fault = ""

    def events_of(self, event: str) -> list[dict[str, Any]]:
        """All that it told of this kind."""
        path = self.folder / "events"
        lines = path.read_text().split("\n")[:-1] if path.exists() else []
        return [found for found in map(json.loads, lines) if found["event"] == event]

    def wait(self, condition: Callable[[], Any]) -> None:
        """Until something is so; fails when the job ends before."""

        def holds() -> bool:
            if condition():
                return True
            assert self.process.poll() is None, self.process.communicate()
            return False

        wait_until(holds)

    def let_newcomers(self, fault: str) -> None:
        """What newcomers from now on are to do; "": nothing but come."""
        self.fault = fault
        (self.folder / "fault").write_text(fault)

    def marks(self, fault: str) -> int:
        """How many newcomers came to the step so far."""
        return len(list(self.folder.glob(f"at.*.{fault}.*")))

    @property
    def control_socket(self) -> Path:
        """Where it is asked."""
        (path,) = (self.site.runtime / "nereus").glob("*.control")
        return Path(path)

    def resize(self, ranks: int, *, wait: bool = True, **options: str) -> dict[str, Any]:
        """What becomes of a wish from outside."""
        named = {name.replace("_", "-"): value for name, value in options.items()}
        question = {"kind": "resize", "ranks": ranks, "options": named, "wait": wait}
        try:
            answer = ask(self.control_socket, question, LIMIT)
        except NoAnswer as problem:
            raise HungError(str(problem)) from problem
        if answer.get("name") == "NEREUS_ERR_TIMEOUT" and self.fault != "never":
            raise HungError(answer["message"])
        return answer

    def begin_to_resize_to(self, ranks: int) -> None:
        """A resize whose newcomers run and never come."""
        self.let_newcomers("never")
        newcomers = ranks - self.state()["ranks"]
        assert self.resize(ranks, wait=False)["name"] == "NEREUS_OK"
        self.wait(lambda: self.marks("never") == newcomers)

    def state(self) -> dict[str, Any]:
        """How the job stands."""
        return ask(self.control_socket, {"kind": "status"}, LIMIT)

    def must_resize_to(self, ranks: int) -> None:
        """A resize with nothing in its way."""
        answer = self.resize(ranks)
        assert answer["name"] == "NEREUS_RESIZED", answer
        self.wait(lambda: self.state()["ranks"] == ranks)

    def must_end_well(self) -> None:
        """Its end when it is asked to, with all data as it should be."""
        (self.folder / "stop").touch()
        self.must_have_ended_well()

    def must_have_ended_well(self) -> None:
        """Its own end, with all data as it should be."""
        out, err = end_of(self.process)
        assert self.process.returncode == 0, (out, err)
        assert self.events_of("damaged") == []
        assert self.events_of("closes")[-1]["intact"]


def end_of(process: "subprocess.Popen[str]") -> tuple[str, str]:
    """Wait for it; what the job wrote."""
    try:
        return process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise HungError("the job does not end") from None


def wait_until(condition: Callable[[], bool]) -> None:
    """Look again and again; fails when it does not come true."""
    deadline = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > deadline:
            raise HungError("waited too long")
        time.sleep(0.02)


@contextmanager
def running(
    site: Any, mpi: str, *options: str, path: Path | None = None, plan: tuple[str, ...] = (), **settings: str
) -> Iterator[Application]:
    """The application on two ranks under `nereus run`, when it has begun to iterate."""
    folder = site.folder / "application"
    folder.mkdir()
    if mpi == "openmpi":  # its hangs are to be found soon
        settings = {"NEREUS_CONNECT_TIMEOUT": "15", "NEREUS_ANSWER_TIMEOUT": "15"} | settings
    words = (
        "run",
        "--mpi",
        mpi,
        "-n",
        "2",
        *options,
        "--",
        path or site.program(mpi, "resizable"),
        folder,
        *plan,
    )
    with site.started(*words, **settings) as process:
        application = Application(site, process, folder)
        application.wait(lambda: application.events_of("opened"))
        if not plan:  # which may have come to its end already
            application.wait(lambda: application.state()["state"] == "running")
        yield application
