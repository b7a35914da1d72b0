# SPDX-License-Identifier: BSD-3-Clause
"""A Slurm for tests: its programs on PATH, a small cluster of which the test knows and decides everything."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from slurm_programs import PROGRAMS
from slurm_state import (
    CANCELLED,
    COMPLETED,
    FIELDS,
    PENDING,
    RUNNING,
    Fault,
    Job,
    Store,
    environment_of,
    idle_nodes,
    submit,
)

from nereus.launch.process_environment import processes_with

#: Seconds after which what was waited for is held to never come; a loaded machine is slow.
WITHIN = 60.0
#: Carried by all that is started while there is this Slurm.
VARIABLE = "NEREUS_TEST_SLURM"
_PROGRAM = Path(__file__).with_name("slurm_programs.py")
_USUAL = dict(zip(FIELDS, ("59:30", "main", "(null)", "normal", "(null)", "(null)", "N/A"), strict=True))


def until(condition: Callable[[], object], what: str = "") -> None:
    """Wait until it is so."""
    deadline = time.monotonic() + WITHIN
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain: {what or condition}"
        time.sleep(0.005)


class FakeSlurm:
    """`nodes`: their processors. What is not said here is as in a Slurm without anything special."""

    def __init__(self, folder: Path, **nodes: int) -> None:
        self.folder, self.programs = folder, folder / "bin"
        self.programs.mkdir(parents=True)
        for name in PROGRAMS:
            path = self.programs / name
            words = f"{sys.executable} -SE {_PROGRAM} {folder} {name}"
            path.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
            path.chmod(0o755)
        self._store = Store(folder)
        self._store.found(nodes)

    def first_job(self, *names: str, **fields: str) -> dict[str, str]:
        """A job on these nodes, and the environment of its processes; `fields` by the words of FIELDS."""
        return self._running("first", names, fields)

    def occupy(self, *names: str) -> None:
        """Give nodes to somebody else; all that are idle where none are named."""
        self._running("other", names or self.idle(), {})

    def leave(self) -> None:
        """Somebody else's jobs are over."""
        with self._store.change() as cluster:
            for job in cluster["jobs"].values():
                if job["name"] == "other":
                    job["state"] = COMPLETED

    def _running(
        self, name: str, nodes: "tuple[str, ...] | list[str]", fields: dict[str, str]
    ) -> dict[str, str]:
        with self._store.change() as cluster:
            job = submit(cluster, name, {}, _USUAL | fields)
            job.update({"state": RUNNING, "nodes": list(nodes)})
            return environment_of(cluster, job)

    def idle(self) -> list[str]:
        return idle_nodes(self._store.read())

    def jobs(self, *states: str) -> list[Job]:
        """Those that were asked for with salloc, by default the ones that wait or run."""
        known = self._store.read()["jobs"].values()
        return [
            job
            for job in known
            if job["state"] in (states or (PENDING, RUNNING)) and job["name"] not in ("first", "other")
        ]

    def nodes_of_first(self) -> list[str]:
        return next(job["nodes"] for job in self._store.read()["jobs"].values() if job["name"] == "first")

    def cancel(self) -> None:
        """As an administrator would, whatever was asked for with salloc."""
        with self._store.change() as cluster:
            for job in cluster["jobs"].values():
                if job["name"] not in ("first", "other") and job["state"] in (PENDING, RUNNING):
                    job["state"] = CANCELLED

    def wait_for(self, reason: str) -> None:
        """Nothing is granted because of it; "": what is idle is granted."""
        with self._store.change() as cluster:
            cluster["reason"] = reason

    def allow_expansion(self, allowed: bool, loses: bool = False) -> None:
        """Whether a job may get the nodes of another one; `loses`: it does not, without a word."""
        with self._store.change() as cluster:
            cluster["expands"], cluster["loses"] = allowed, loses

    def limit_time(self, left: str) -> None:
        """Of all jobs, as squeue writes it."""
        with self._store.change() as cluster:
            for job in cluster["jobs"].values():
                job["fields"]["time"] = left

    def drain(self, name: str, why: str) -> None:
        with self._store.change() as cluster:
            cluster["nodes"][name]["drained"] = why

    def mark_down(self, *names: str) -> None:
        """The jobs that have these nodes go on without them (srun(1), --no-kill)."""
        with self._store.change() as cluster:
            for name in names:
                cluster["nodes"][name]["down"] = True
            for job in cluster["jobs"].values():
                job["nodes"] = [node for node in job["nodes"] if node not in names]

    def stop_starting(self, name: str) -> None:
        """No process can be started on the node any more."""
        with self._store.change() as cluster:
            cluster["nodes"][name]["starts"] = False

    def refuse(self, call: str, text: str, times: int = -1) -> None:
        """A program, or a call that begins so, says this on stderr and ends, so many times; -1: always."""
        with self._store.change() as cluster:
            cluster["faults"][call] = Fault(text=text, times=times)

    def hang(self, *calls: str) -> None:
        """These programs, or calls that begin so, do not answer; all programs, where none are named."""
        with self._store.change() as cluster:
            for call in calls or PROGRAMS:
                cluster["faults"][call] = Fault(text="", times=-1)

    def mend(self) -> None:
        """No program refuses or hangs any more."""
        with self._store.change() as cluster:
            cluster["faults"].clear()

    def calls(self, program: str) -> list[list[str]]:
        """The words of each call of the program, in order."""
        return [words for name, *words in self._store.calls() if name == program]

    def processes(self) -> dict[int, str]:
        """All that run because of this Slurm, with their command lines."""
        mark = f"{VARIABLE}={self.folder}".encode()
        found = {}
        for pid in processes_with(mark):
            with suppress(OSError):  # it may have ended meanwhile
                command = Path(f"/proc/{pid}/cmdline").read_bytes()
                found[pid] = command.replace(b"\0", b" ").decode(errors="replace")
        return found

    def salloc_processes(self) -> list[int]:
        return [pid for pid, text in self.processes().items() if f"{self.folder} salloc" in text]

    def kill_salloc(self) -> None:
        """So that it can tell nobody."""
        for pid in self.salloc_processes():
            os.kill(pid, signal.SIGKILL)

    def end(self) -> None:
        """All that runs because of it is to end by itself; what does not is killed, and is a mistake."""
        self.mend()
        try:
            until(lambda: not self.processes(), "end of all processes")
        finally:
            for pid in self.processes():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


@contextmanager
def fake_slurm(folder: Path, monkeypatch: pytest.MonkeyPatch, **nodes: int) -> Iterator[FakeSlurm]:
    """With its programs first on PATH, for a process that is in no job yet."""
    slurm = FakeSlurm(folder / "slurm", **nodes)
    for name in [name for name in os.environ if name.startswith(("SLURM_", "SALLOC_", "NEREUS_SLURM_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", f"{slurm.programs}:{os.environ['PATH']}")
    monkeypatch.setenv(VARIABLE, str(slurm.folder))
    try:
        yield slurm
    finally:
        slurm.end()
