# SPDX-License-Identifier: BSD-3-Clause
"""One `salloc` under way: it asks for a job, waits in the queue, and runs a script of ours in the job.

Its stdin is a pipe whose other end is ours, so what reads it ends when the pipe is closed, by us or, when we
are killed, by the system.
"""

import os
import signal
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from nereus.allocation.contract import AllocationError
from nereus.allocation.output import Output
from nereus.allocation.slurm.client import without_job
from nereus.allocation.slurm.environment import counts_of
from nereus.launch.hosts import Host, is_name
from nereus.launch.processes import dying_with_us

# slurm_strerror() of what is wrong with the request itself.
_IMPOSSIBLE = (
    "Invalid",
    "Requested node configuration is not available",
    "Requested operation not supported on this system",
    "Requested time limit is invalid",
    "Node count specification invalid",
    "More processors requested than permitted",
    "Access/permission denied",
)
# Told when the job is revoked; the command would keep salloc, and so us, from noticing.
_ENDED_WITH_IT = "--kill-command=KILL"


@dataclass(frozen=True)
class Granted:
    """What Slurm gave: the job that has the hosts, and the hosts with the processors that it has there."""

    id: int
    hosts: tuple[Host, ...]


class Salloc(ABC):
    """Nothing here waits, but `wait()`; `release()` or the death of this process ends it."""

    def __init__(
        self,
        name: str,
        options: Sequence[str],
        script: Sequence[str],
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        """Submit it. `name`: by which it is found in Slurm's lists; `script`: for sh, with its arguments."""
        self.name = name
        self._granted: Granted | None = None
        self._output = Output()
        words = ["salloc", "-Q", _ENDED_WITH_IT, f"--job-name={name}", *options, "sh", "-c", *script]
        try:
            self._process = subprocess.Popen(
                words,
                env=without_job(environment),
                stdin=subprocess.PIPE,
                stdout=self._output.stdout,
                stderr=self._output.stderr,
                start_new_session=True,  # Ctrl-C is for the job that we run
                preexec_fn=_ending_with_us(),
            )
        except OSError as problem:
            self._output.close()
            raise AllocationError(f"salloc: cannot be started: {problem.strerror}") from problem

    @property
    @abstractmethod
    def granted(self) -> Granted | None:
        """None while it waits in the queue; AllocationError where the answer cannot be read."""

    @property
    @abstractmethod
    def ended(self) -> str | None:
        """Why we do not have its hosts, or no more; None while we have them or may get them."""

    @property
    def is_over(self) -> bool:
        """Whether `salloc` is gone."""
        return self._process.poll() is not None

    @property
    def was_killed(self) -> bool:
        """Whether `salloc` itself was, so that Slurm does not know that nobody holds the job any more."""
        return self._process.returncode == -signal.SIGKILL

    @property
    def is_impossible(self) -> bool:
        """Whether Slurm would not take it at any other time either."""
        return self._granted is None and any(text in (self.ended or "") for text in _IMPOSSIBLE)

    def release(self) -> None:
        """Have it end, whether it was granted or waits."""
        if self._process.poll() is None and self._granted is None:
            self._process.send_signal(signal.SIGHUP)
        self._close_pipe()

    def wait(self, seconds: float) -> None:
        """Until `salloc` is gone, killed where it takes longer."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        """Forget it, once it is over."""
        self._close_pipe()
        self._output.close()

    def _read_granted(self) -> Granted | None:
        """What the script has printed, in a line of its own."""
        text = self._output.text
        return read_granted(text) if text.endswith("\n") else None

    def _close_pipe(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()


def read_granted(text: str) -> Granted:
    """Out of "12 4(x2) n1 n2"; AllocationError where it is something else."""
    words = text.split()
    number, counts, names = words[:1], words[1:2], words[2:]
    if not (number and number[0].isascii() and number[0].isdigit() and len(number[0]) <= 10):
        raise AllocationError(f"salloc: its answer cannot be read: {text[:80]!r}")
    processors = counts_of(counts[0] if counts else "", "SLURM_JOB_CPUS_PER_NODE")
    if len(processors) != len(names) or not all(map(is_name, names)):
        raise AllocationError(f"salloc: its answer has {len(processors)} counts for {len(names)} hosts")
    hosts = (Host(name, count) for name, count in zip(names, processors, strict=True))
    return Granted(int(number[0]), tuple(hosts))


def _ending_with_us() -> Callable[[], None]:
    # The pipe ends a job that was granted; one that waits in the queue is taken out of it by the signal.
    return dying_with_us(signal.SIGHUP)
