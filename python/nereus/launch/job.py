# SPDX-License-Identifier: BSD-3-Clause
"""One MPI job under our eyes: started in a session of its own, ended whole, nothing left of it."""

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from nereus.launch import processes
from nereus.launch.command import Command
from nereus.launch.error import LaunchError
from nereus.launch.outcome import Outcome, judge
from nereus.launch.processes import JOB_VARIABLE, Process
from nereus.launch.shared_memory import Snapshot

_LOOK_EVERY = 0.05
# A killed process lasts until the system has freed its memory, which takes a while for gigabytes.
_KILLED_WITHIN = 10.0


class Job:
    """A started job. Use it in a `with` statement: at its end no process and no file of the job is left."""

    #: Seconds that processes have to end by themselves before they are killed.
    grace = 5.0

    def __init__(self, command: Command, output: Path) -> None:
        """Start it; what its processes write on stdout and stderr goes to the file `output`."""
        self.name = secrets.token_hex(8)
        self.output = output
        self._shared_memory = Snapshot.take()
        self._temporary = Path(tempfile.mkdtemp(prefix="nereus-"))
        try:
            self._launcher = self._start(command)
        except OSError as problem:
            shutil.rmtree(self._temporary, ignore_errors=True)
            raise LaunchError(f"{command.arguments[0]}: cannot be started: {problem.strerror}") from problem

    def _start(self, command: Command) -> subprocess.Popen[bytes]:
        # The MPI's session folder and sockets go to a temporary folder of this job; it is removed whole.
        own = {JOB_VARIABLE: self.name, "TMPDIR": str(self._temporary)}
        with self.output.open("wb") as sink:
            return subprocess.Popen(
                command.arguments,
                env={**os.environ, **command.environment, **own},
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=processes.die_with_parent,
            )

    def __enter__(self) -> Self:
        """Nothing to do: it runs already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it, however the block was left."""
        self.end()

    def running(self) -> bool:
        """Whether the launcher runs; while it does, so does the job."""
        return self._launcher.poll() is None

    def processes(self) -> list[Process]:
        """All running processes of the job, the launcher among them."""
        return processes.of_job(self.name, self._launcher.pid if self.running() else None)

    def outcome(self) -> Outcome:
        """How it ended; only after it has."""
        return judge(self._launcher.wait(), self.text())

    def text(self) -> str:
        """All that the job has written so far."""
        return self.output.read_text(encoding="utf-8", errors="replace")

    def end(self) -> None:
        """End whatever still runs, first with a request, then by force, and remove what it leaves."""
        if self.running():
            # A launcher that is asked ends its ranks and removes its own files; ranks alone could not.
            self._launcher.send_signal(signal.SIGTERM)
        else:
            self._signal_all(signal.SIGTERM)
        if not self._gone_within(self.grace):
            self._signal_all(signal.SIGKILL)
            self._gone_within(_KILLED_WITHIN)
        self._launcher.wait()
        shutil.rmtree(self._temporary, ignore_errors=True)
        self._shared_memory.remove_leftovers()

    def _signal_all(self, number: signal.Signals) -> None:
        for process in self.processes():
            processes.send(process, number)

    def _gone_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while self.processes():
            if time.monotonic() > deadline:
                return False
            time.sleep(_LOOK_EVERY)
        return True
