# SPDX-License-Identifier: BSD-3-Clause
"""Ends what is left of a job whose supervisor was killed.

The system tells launchers that their supervisor is gone (processes.py), but not each of them ends then: the
mpiexec of Open MPI 4.1 hung once in some 35 times. So each job has a process that outlives its supervisor.
"""

import contextlib
import subprocess
import sys
from pathlib import Path

from nereus.launch import watchdog_main
from nereus.launch.error import LaunchError


class Watchdog:
    """The supervisor's end: a process that watches over one job as long as this object is not closed."""

    def __init__(self, job_variable: str, temporary: Path) -> None:
        """`job_variable`: NAME=VALUE in the environment of all processes of the job, and of no others."""
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", watchdog_main.__file__, job_variable, str(temporary)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as problem:
            raise LaunchError(f"{sys.executable}: cannot be started: {problem.strerror}") from problem

    def close(self) -> None:
        """The job was ended, its files are removed."""
        with contextlib.suppress(BrokenPipeError):  # somebody has killed it
            self._process.communicate(watchdog_main.ALL_ENDED)
