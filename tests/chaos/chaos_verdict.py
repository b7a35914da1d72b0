# SPDX-License-Identifier: BSD-3-Clause
"""What was seen of a trial, and what follows from it."""

from dataclasses import dataclass, field
from enum import StrEnum


class Verdict(StrEnum):
    """How a trial ended; the worst that is true of it."""

    SURVIVED = "survived"
    ENDED = "ended with a message"
    SILENT = "ended without a message"
    HUNG = "hung"
    DAMAGED = "damaged"
    FALSE_SUCCESS = "false success"
    LEFT_BEHIND = "left behind"

    @property
    def is_fault(self) -> bool:
        """Whether Nereus did what it must not do."""
        return self not in (Verdict.SURVIVED, Verdict.ENDED)


@dataclass
class Observed:
    """What was seen of one trial."""

    #: Exit code of `nereus run`; None when it had to be ended from outside.
    code: int | None = None
    errors: str = ""
    #: What no answer came to, or what did not end.
    hung: str = ""
    damaged: bool = False
    #: Whether the job said at its end that all of its data is as it should be.
    closed_intact: bool = False
    left: list[str] = field(default_factory=list)
    supervisor_killed: bool = False
    daemon_killed: bool = False
    #: Signals that reached somebody: SIGKILL by time, SIGKILL at a call, SIGSTOP.
    kills: int = 0
    kills_at_calls: int = 0
    stops: int = 0
    answers: list[str] = field(default_factory=list)


def judge(observed: Observed) -> Verdict:
    """The verdict."""
    if observed.damaged:
        return Verdict.DAMAGED
    if observed.hung:
        return Verdict.HUNG
    if observed.left:
        return Verdict.LEFT_BEHIND
    if observed.code == 0:
        return Verdict.SURVIVED if observed.closed_intact else Verdict.FALSE_SUCCESS
    if observed.supervisor_killed:  # who is killed cannot say anything
        return Verdict.ENDED
    said = any(line.startswith("nereus: ") for line in _news(observed.errors))
    return Verdict.ENDED if said else Verdict.SILENT


def _news(errors: str) -> list[str]:
    """Lines on stderr but for the job's name, which each run begins with."""
    return [line for line in errors.splitlines() if not line.startswith("nereus: job ")]
