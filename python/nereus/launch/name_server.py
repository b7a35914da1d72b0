# SPDX-License-Identifier: BSD-3-Clause
"""Open MPI's name server: groups that were started apart find one another through it."""

import os
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from nereus.launch import processes
from nereus.launch.builds import Build
from nereus.launch.error import LaunchError

PROGRAM = "ompi-server"
# It takes 0.05 s. Once in thousands of starts it took more than 10 s, why is not known: it is started anew.
_READY_WITHIN = 20.0
_STARTS = 3
_LOOK_EVERY = 0.005


class NameServer:
    """A running ompi-server; `file` tells launchers where it is."""

    def __init__(self, build: Build, temporary: Path, environment: Mapping[str, str]) -> None:
        """Start it and wait until it can be found."""
        self.file = temporary / "ompi-server"
        self._command = [_program(build), "--no-daemonize", "-r", str(self.file)]
        self._environment = {**os.environ, **environment}
        for _ in range(_STARTS):
            self._process = self._start()
            if self._is_ready():
                return
            self.end()
            self.file.unlink(missing_ok=True)
        raise LaunchError(
            f"{PROGRAM}: started {_STARTS} times, and not ready within {_READY_WITHIN:g} s each"
        )

    def _start(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            self._command,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=processes.dying_with_us(),
        )

    def _is_ready(self) -> bool:
        """Wait until it can be found, or has taken too long."""
        deadline = time.monotonic() + _READY_WITHIN
        while True:
            is_late = time.monotonic() > deadline  # what it did while we did not run counts
            if self.file.exists() and self.file.read_bytes().endswith(b"\n"):
                return True
            if self._process.poll() is not None:
                raise LaunchError(f"{PROGRAM}: ended with exit code {self._process.returncode} at its start")
            if is_late:
                return False
            time.sleep(_LOOK_EVERY)

    def end(self) -> None:
        """End it; whatever it was told dies with it."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(1)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._process.wait()


def _program(build: Build) -> str:
    beside = build.mpiexec.resolve().parent
    found = shutil.which(PROGRAM, path=f"{build.mpiexec.parent}{os.pathsep}{beside}") or shutil.which(PROGRAM)
    if found is None:
        raise LaunchError(f"{PROGRAM}: is not installed beside {build.mpiexec}, and is needed for joining")
    return found
