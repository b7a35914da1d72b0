# SPDX-License-Identifier: BSD-3-Clause
"""Commands of a resource manager: nobody waits for them, each has a limit, some failures are repeated."""

import os
import subprocess
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass

from nereus.allocation.output import Output

#: Of all repetitions together; a manager is back that soon after a restart, or somebody must see to it.
LIMIT = 60.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0


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
        goes_away: Callable[[str], bool] = lambda complaints: False,
    ) -> None:
        """Start it. `goes_away`: whether a failure with these complaints is worth another try."""
        self._words, self._now, self._goes_away = list(words), now, goes_away
        self._environment = dict(environment)
        self._deadline = now() + limit
        self._pause, self._again_at = _FIRST_PAUSE, 0.0
        self._answer: Answer | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._start()

    def _start(self) -> None:
        self._output = Output()
        try:
            self._process = subprocess.Popen(
                self._words,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=self._output.stdout,
                stderr=self._output.stderr,
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
            self._end(Answer(None, "", reason))
        else:  # its output is closed, and it was to be repeated
            self._answer = Answer(None, "", reason)

    def _take(self, code: int) -> None:
        output, self._process = self._output, None
        is_transient = self._goes_away(output.complaints)
        repeated = self._now() + self._pause
        if code != 0 and is_transient and repeated < self._deadline:
            self._again_at, self._pause = repeated, min(2 * self._pause, _LONGEST_PAUSE)
            output.close()
            return
        reason = output.reason or f"{self._words[0]} ended with exit code {code}"
        self._end(Answer(code, output.text, reason))

    def _end(self, answer: Answer) -> None:
        self._output.close()
        self._process = None
        self._answer = answer


def answered(call: Call) -> Generator[None, None, Answer]:
    """The answer, for a generator that is resumed now and then; closed, it gives up the call."""
    try:
        while (answer := call.answer()) is None:
            yield
        return answer
    finally:
        call.give_up("given up")


def wait(call: Call, seconds: float = LIMIT) -> Answer:
    """For callers that have nothing else to do."""
    deadline = time.monotonic() + seconds
    while (answer := call.answer()) is None:
        time.sleep(0.005)
        if time.monotonic() >= deadline:
            call.give_up("it did not answer in time")
    return answer


def wait_for_all(calls: Sequence[Call], seconds: float) -> None:
    """Until each has its answer; those that have none by then are given up."""
    deadline = time.monotonic() + seconds
    for call in calls:
        wait(call, max(0.0, deadline - time.monotonic()))
