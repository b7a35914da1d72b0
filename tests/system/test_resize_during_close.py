# SPDX-License-Identifier: BSD-3-Clause
"""A resize that is asked for while nereus_close() runs: who asks is answered, and the job ends well."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from faulty_application import LIMIT, Application, running

from conftest import Site
from nereus.supervisor.frames import decode, encode
from nereus.supervisor.sockets import Sockets

#: Calls of the last iteration, and of nereus_close(): no checkpoint comes after either.
MOMENTS = {"MPI_Allreduce": "as the last iteration ends", "MPI_Barrier": "as all come together"}


class Halt:
    """Lets one process wait at the entry of an MPI function; see programs/kill_at.c."""

    def __init__(self, site: Site, mpi: str) -> None:
        """Nobody waits yet."""
        self._site, self._mpi = site, mpi
        self._file = site.folder / "kill-at"
        self._hold = site.folder / "kill-at.hold"

    @property
    def environment(self) -> Any:
        """What the job is started with."""
        library = self._site.program(self._mpi, "resizable").parent / "libkill-at.so"
        return {"LD_PRELOAD": str(library), "NEREUS_TEST_KILL_FILE": str(self._file)}

    def at_the_end(self, application: Application, function: str) -> None:
        """The root waits when it calls this after it saw that the job is to end; returns when it does.

        It waits between two looks at the file that ends it when that file is made, else it could end before
        it is told where to wait.
        """
        application.wait(lambda: self._root() is not None)
        self._hold.touch()
        self._wait_at(application, 1, "MPI_Allreduce")
        (application.folder / "stop").touch()
        self._wait_at(application, 2, function)

    def _wait_at(self, application: Application, number: int, function: str) -> None:
        """Replaces the line before, so that who waits there goes on to this function."""
        new = self._file.with_name("kill-at.new")
        new.write_text(f"{number} member {function}:1 {self._root()}\n")
        new.replace(self._file)
        application.wait(self._file.with_name(f"kill-at.done.{number}").exists)

    def go_on(self) -> None:
        """It need not wait any more."""
        self._hold.unlink()

    def _root(self) -> int | None:
        for path in self._site.folder.glob("kill-at.rank.*"):
            if path.read_text().startswith("0 "):
                return int(path.suffix[1:])
        return None


@contextmanager
def asked(control_socket: Path, ranks: int) -> Iterator[Any]:
    """A resize that the supervisor has heard of; gives what takes its answer."""
    with Sockets() as sockets:
        dealer = sockets.dealer()
        dealer.connect(f"ipc://{control_socket}")
        questions: list[dict[str, Any]] = [
            {"kind": "resize", "ranks": ranks, "options": {}, "wait": True},
            {"kind": "status"},
        ]
        for question in questions:
            frame = encode(question)
            assert frame is not None
            dealer.send(frame)

        def answer() -> dict[str, Any]:
            assert dealer.poll(int(1000 * LIMIT)), "no answer"
            found = decode(dealer.recv())
            assert found is not None
            return found

        # The second question was answered, so that the first one was heard.
        assert answer()["kind"] == "status"
        yield answer


@pytest.mark.parametrize("function", list(MOMENTS))
def test_resize_request_during_close_is_answered_as_ended(site: Site, mpich: str, function: str) -> None:
    halt = Halt(site, mpich)
    with running(site, mpich, **halt.environment) as application:
        halt.at_the_end(application, function)
        with asked(application.control_socket, 3) as answer:
            halt.go_on()
            found = answer()
            assert found["kind"] == "refused" or found["name"] == "NEREUS_ERR_STATE", found
            assert "ended" in found["message"] or "closed" in found["message"], found
        application.must_have_ended_well()
        assert application.events_of("resized") == []
