# SPDX-License-Identifier: BSD-3-Clause
"""A Flux for tests: its program on PATH, an instance of which the test knows and decides everything."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from a_slurm import until
from flux_programs import COMMANDS, INNER, OUTER, f58
from slurm_state import CANCELLED, COMPLETED, PENDING, RUNNING, Fault, Job, Store, idle_nodes, submit

from nereus.launch.process_environment import processes_with

#: Carried by all that is started while there is this Flux.
VARIABLE = "NEREUS_TEST_FLUX"
_PROGRAM = Path(__file__).with_name("flux_programs.py")
#: Seconds that are left of a job about which nothing else is said.
_LEFT = 3570


class FakeFlux:
    """`nodes`: their cores. What is not said here is as in a Flux without anything special."""

    def __init__(self, folder: Path, **nodes: int) -> None:
        self.folder, self.programs = folder, folder / "bin"
        self.programs.mkdir(parents=True)
        path = self.programs / "flux"
        path.write_text(f'#!/bin/sh\nexec {sys.executable} -SE {_PROGRAM} {folder} "$@"\n')
        path.chmod(0o755)
        self._store = Store(folder)
        self._store.found(nodes)

    def first_job(self, *names: str, left: int = _LEFT, cores_each: int = 1, **system: Any) -> dict[str, str]:
        """A job on these nodes, and the environment of its processes; `system`: of its jobspec."""
        number = self._running("first", names, left, cores_each, system)
        return {"FLUX_URI": OUTER, "FLUX_JOB_ID": f58(number)}

    def first_instance(self, *names: str) -> dict[str, str]:
        """A job on these nodes that is an instance of its own, as of `flux batch`."""
        self._running("first", names, _LEFT, 1, {})
        return {"FLUX_URI": INNER}

    def occupy(self, *names: str) -> None:
        """Give nodes to somebody else; all that are idle where none are named."""
        self._running("other", names or self.idle(), _LEFT, 1, {})

    def leave(self) -> None:
        """Somebody else's jobs are over."""
        self._end("other")

    def end_first(self) -> None:
        """The job that we run in is over."""
        self._end("first")

    def _end(self, name: str) -> None:
        with self._store.change() as cluster:
            for job in cluster["jobs"].values():
                if job["name"] == name:
                    job["state"] = COMPLETED

    def _running(
        self,
        name: str,
        nodes: "tuple[str, ...] | list[str]",
        left: int,
        cores_each: int,
        system: dict[str, Any],
    ) -> int:
        slot = {"type": "slot", "count": 1, "with": [{"type": "core", "count": cores_each}]}
        spec = {"resources": [slot], "attributes": {"system": {"duration": 0, **system}}, "version": 1}
        with self._store.change() as cluster:
            job = submit(cluster, name, {}, {"jobspec": json.dumps(spec), "time": str(left)})
            job.update({"state": RUNNING, "nodes": list(nodes), "reason": ""})
            return job["id"]

    def idle(self) -> list[str]:
        return idle_nodes(self._store.read())

    def jobs(self, *states: str) -> list[Job]:
        """Those that were submitted, by default the ones that wait or run."""
        known = self._store.read()["jobs"].values()
        return [
            job
            for job in known
            if job["state"] in (states or (PENDING, RUNNING)) and job["name"] not in ("first", "other")
        ]

    def jobspecs(self) -> list[dict[str, Any]]:
        """Of all that were submitted, in order."""
        states = (PENDING, RUNNING, COMPLETED, CANCELLED)
        return [json.loads(job["fields"]["jobspec"]) for job in self.jobs(*states)]

    def cancel(self, reason: str = "by administrator") -> None:
        """As an administrator would, whatever was submitted."""
        with self._store.change() as cluster:
            for job in cluster["jobs"].values():
                if job["name"] not in ("first", "other") and job["state"] in (PENDING, RUNNING):
                    job.update({"state": CANCELLED, "reason": f'cancel\t"{reason}"'})

    def drain(self, name: str, why: str) -> None:
        with self._store.change() as cluster:
            cluster["nodes"][name]["drained"] = why

    def stop_starting(self, name: str) -> None:
        """No process can be started on the node any more."""
        with self._store.change() as cluster:
            cluster["nodes"][name]["starts"] = False

    def refuse(self, command: str, text: str, times: int = -1) -> None:
        """The command says this on stderr instead of doing its work, so many times; -1: always."""
        with self._store.change() as cluster:
            cluster["faults"][command] = Fault(text=text, times=times)

    def hang(self, *commands: str) -> None:
        """These do not answer; all, where none are named."""
        with self._store.change() as cluster:
            for command in commands or COMMANDS:
                cluster["faults"][command] = Fault(text="", times=-1)

    def mend(self) -> None:
        """No command refuses or hangs any more."""
        with self._store.change() as cluster:
            cluster["faults"].clear()

    def calls(self, command: str) -> list[list[str]]:
        """The words of each call of the command, in order."""
        words = command.split()
        known = [call[1:] for call in self._store.calls()]
        return [call[len(words) :] for call in known if call[: len(words)] == words]

    def processes(self) -> dict[int, str]:
        """All that run because of this Flux, with their command lines."""
        mark = f"{VARIABLE}={self.folder}".encode()
        found = {}
        for pid in processes_with(mark):
            with suppress(OSError):  # it may have ended meanwhile
                command = Path(f"/proc/{pid}/cmdline").read_bytes()
                found[pid] = command.replace(b"\0", b" ").decode(errors="replace")
        return found

    def holders(self) -> list[int]:
        """Processes that hold jobs, the parts of a holder included."""
        return [pid for pid, text in self.processes().items() if "/hold_job " in text]

    def kill_holders(self) -> None:
        """So that they can tell nobody."""
        for pid in self.holders():
            with suppress(ProcessLookupError):
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
def fake_flux(folder: Path, monkeypatch: pytest.MonkeyPatch, **nodes: int) -> Iterator[FakeFlux]:
    """With its program first on PATH, for a process that is in no job yet."""
    flux = FakeFlux(folder / "flux", **nodes)
    for name in [name for name in os.environ if name.startswith(("FLUX_", "NEREUS_FLUX_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", f"{flux.programs}:{os.environ['PATH']}")
    monkeypatch.setenv(VARIABLE, str(flux.folder))
    try:
        yield flux
    finally:
        flux.end()
