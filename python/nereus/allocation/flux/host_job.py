# SPDX-License-Identifier: BSD-3-Clause
"""A job of Flux with one host, beside the one that we run in: ours for as long as we hold it (decision 0028).

The script `hold_job` holds it until its standard input ends, a pipe whose other end is ours. So the job ends
when the pipe is closed, by us or, when we are killed, by the system.
"""

import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from nereus.allocation.contract import AllocationError
from nereus.allocation.flux.client import talking_to
from nereus.allocation.flux.job_id import id_of
from nereus.allocation.flux.resources import read_resources
from nereus.allocation.output import Output
from nereus.launch.hosts import Host

_HOLD_JOB = Path(__file__).with_name("hold_job")
# Of a submission that Flux refuses for everybody, for a while.
_CLOSED = "submission is disabled"


class HostJob:
    """One that was asked for. Nothing here waits; `release()` or the death of this process ends it."""

    def __init__(self, jobspec: str, uri: str) -> None:
        """Submit it."""
        self.begun = time.monotonic()
        self._granted: Host | None = None
        self._ended: str | None = None
        self._output = Output()
        try:
            self._process = subprocess.Popen(
                [str(_HOLD_JOB), jobspec],
                env=talking_to(uri),
                stdin=subprocess.PIPE,
                stdout=self._output.stdout,
                stderr=self._output.stderr,
                start_new_session=True,  # Ctrl-C is for the job that we run
            )
        except OSError as problem:
            self._output.close()
            raise AllocationError(f"{_HOLD_JOB}: cannot be started: {problem.strerror}") from problem

    @property
    def id(self) -> str:
        """Empty where Flux has not taken it yet, or has said something that is no number of a job."""
        line, end, _ = self._output.text.partition("\n")
        with suppress(AllocationError):
            return id_of(line, "flux job submit") if end else ""
        return ""

    @property
    def granted(self) -> Host | None:
        """With all cores as slots; None while it waits in the queue. AllocationError: it cannot be read."""
        if self._granted is None and self._ended is None:
            line, end, text = self._output.text.partition("\n")
            if end:
                id_of(line, "flux job submit")
            if text.endswith("\n"):
                hosts = read_resources(text, f"the Flux job {self.id}")
                if len(hosts) != 1:
                    raise AllocationError(f"the Flux job {self.id} has {len(hosts)} hosts: 1 was asked for")
                [self._granted] = hosts
        return self._granted

    @property
    def ended(self) -> str | None:
        """Why it is over; None while it is not."""
        if self._ended is None and self._process.poll() is not None:
            said = self._output.reason.removeprefix("flux-job: ").strip(" :")
            self._ended = said or "Flux has ended it"
            self._close_pipe()
        return self._ended

    @property
    def was_killed(self) -> bool:
        """Whether its holder was, so that Flux may not know that nobody holds the job any more."""
        return self._process.returncode == -signal.SIGKILL

    @property
    def is_impossible(self) -> bool:
        """Whether Flux would not grant it at any other time either."""
        if self._granted is not None or self._ended is None or self.was_killed:
            return False
        return self._ended.startswith("alloc") if self.id else _CLOSED not in self._ended

    def release(self) -> None:
        """Have it end, whether it was granted or waits."""
        self._close_pipe()

    def wait(self, seconds: float) -> None:
        """Until it is over, or nobody waits any more: its holder is killed then, and tries on by itself."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        """Forget it, once it has ended."""
        self._output.close()

    def _close_pipe(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
