# SPDX-License-Identifier: BSD-3-Clause
"""The lines of one result file by the jobs that wrote them: the first, and those that continued it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from nereus.analysis.report import events
from nereus.analysis.report.model import Generation, ResultError
from nereus.analysis.report.recoveries import Recovery


@dataclass(frozen=True)
class Line:
    """One line of the file and where it stands."""

    path: Path
    number: int
    event: events.Event

    def error(self, text: str) -> ResultError:
        return ResultError(f"{self.path}:{self.number}: {text}")


@dataclass(frozen=True)
class Attempt:
    """What one job wrote."""

    lines: list[Line]
    #: None: of the first.
    resumed: events.Resumed | None
    generations: list[Generation]

    @property
    def reached(self) -> int:
        """Iterations of the run that had been done at its end."""
        done = [g.iterations[0].index + g.done for g in self.generations if g.iterations]
        return max(done, default=self.resumed.iteration if self.resumed is not None else 0)

    @property
    def failure(self) -> events.Failure | None:
        """By which it ended, where the experiment says so."""
        return next((line.event for line in self.lines if isinstance(line.event, events.Failure)), None)


def recoveries_of(attempts: Sequence[Attempt]) -> list[Recovery]:
    """Each failure; the last job may have ended with one."""
    found = [_recovery(before, after) for before, after in pairwise(attempts)]
    last = attempts[-1].failure if attempts else None
    return found + ([Recovery(last, None, None, None)] if last is not None else [])


def _recovery(before: Attempt, after: Attempt) -> Recovery:
    assert after.resumed is not None
    failure = before.failure
    done = failure.iteration if failure is not None else before.reached
    repeated = max(0, done - after.resumed.iteration)
    return Recovery(failure, after.resumed, repeated, _seconds(failure, after))


def _seconds(failure: events.Failure | None, after: Attempt) -> float | None:
    iterations = [i for generation in after.generations for i in generation.iterations]
    started = [line.event for line in after.lines if isinstance(line.event, events.GenerationStarted)]
    if failure is None or after.resumed is None or not iterations or not started:
        return None
    calibration = started[0].calibration_seconds - after.resumed.calibration_seconds
    return max(0.0, iterations[0].end - failure.time - calibration)
