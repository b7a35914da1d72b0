# SPDX-License-Identifier: BSD-3-Clause
"""Commands of Slurm that nobody waits for: each has a limit, and is repeated where Slurm asks for patience."""

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO

#: Of all repetitions together; slurmctld is back that soon after a restart, or somebody must see to it.
LIMIT = 60.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0
_MOST_OUTPUT = 1 << 20
# slurm_errno.h of Slurm 22.05 to 25.11: what goes away by itself.
_TRANSIENT = (
    "DB index is being set",
    "Socket timed out",
    "Unable to contact slurm controller",
    "Zero Bytes were transmitted",
    "Transport endpoint is not connected",
    "Connection refused",
    "Slurm backup controller in standby mode",
    "temporarily unable to accept job",
)


@dataclass(frozen=True)
class Answer:
    """`code`: that of the command; None where it did not end in time, or could not be started."""

    code: int | None
    out: str
    reason: str

    @property
    def is_good(self) -> bool:
        return self.code == 0


class Call:
    """One command under way. `answer()` is asked again and again, never waits, and stays once it is there."""

    def __init__(
        self,
        words: Sequence[str],
        limit: float = LIMIT,
        environment: Mapping[str, str] = os.environ,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._words, self._now = list(words), now
        self._environment = without_job(environment)
        self._deadline = now() + limit
        self._pause, self._again_at = _FIRST_PAUSE, 0.0
        self._answer: Answer | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._start()

    def _start(self) -> None:
        self._files = ExitStack()
        self._out = self._files.enter_context(tempfile.TemporaryFile())
        self._err = self._files.enter_context(tempfile.TemporaryFile())
        try:
            self._process = subprocess.Popen(
                self._words,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=self._out,
                stderr=self._err,
                start_new_session=True,  # Ctrl-C is for the job; what is under way is given up by us
            )
        except OSError as problem:
            self._end(Answer(None, "", f"{self._words[0]}: {problem.strerror}"))

    def answer(self) -> Answer | None:
        """None while it is under way."""
        if self._answer is not None:
            return self._answer
        if self._process is None:
            if self._now() >= self._again_at:
                self._start()
        elif self._process.poll() is not None:
            self._take(self._process.returncode)
        elif self._now() >= self._deadline:
            self.give_up(f"{self._words[0]} did not answer in time")
        return self._answer

    def give_up(self, reason: str) -> None:
        """End it, if it is under way."""
        if self._answer is not None:
            return
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self._end(Answer(None, "", reason))

    def _take(self, code: int) -> None:
        out, err = _text_of(self._out), _text_of(self._err)
        self._files.close()
        self._process = None
        waits_until = self._now() + self._pause
        if code != 0 and any(text in err for text in _TRANSIENT) and waits_until < self._deadline:
            self._again_at, self._pause = waits_until, min(2 * self._pause, _LONGEST_PAUSE)
            return
        self._end(Answer(code, out, _sentence(err) or f"{self._words[0]} ended with exit code {code}"))

    def _end(self, answer: Answer) -> None:
        self._files.close()
        self._answer = answer


def without_job(environment: Mapping[str, str]) -> dict[str, str]:
    """Commands take what they are not told from the job that they run in: another one is meant."""
    ours = ("SLURM_", "SALLOC_", "SBATCH_", "SRUN_")
    return {
        name: value
        for name, value in environment.items()
        if name == "SLURM_CONF" or not name.startswith(ours)
    }


def _text_of(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(_MOST_OUTPUT).decode(errors="backslashreplace")


def _sentence(err: str) -> str:
    """The last line that says something, without the name of the command: "salloc: error: ..."."""
    lines = [line.strip() for line in err.splitlines() if line.strip()]
    return lines[-1].removeprefix("slurm_load_jobs ").split("error: ")[-1] if lines else ""
