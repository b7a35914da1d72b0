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
    #: Says nothing about Nereus.
    BROKE = "trial broke"

    @property
    def is_violation(self) -> bool:
        """Whether Nereus did what it must not do, or the trial could not tell."""
        return self not in (Verdict.SURVIVED, Verdict.ENDED)


class Answer(StrEnum):
    """What became of a resize."""

    DONE = "done"
    UNDONE = "undone"
    REFUSED = "refused"
    #: The job ended before it answered.
    CUT_OFF = "cut off"


@dataclass
class Hit:
    """One injection, and whether it reached a process."""

    role: str
    kill: bool
    #: The MPI function at whose entry; "" for one by time.
    function: str = ""
    reached: bool = False


@dataclass
class Observed:
    """What was seen of one trial."""

    #: Exit code of `nereus run`; None when it had to be ended from outside.
    code: int | None = None
    errors: str = ""
    #: What no answer came to, or what did not end.
    hung: str = ""
    #: The exception that ended the trial itself.
    broke: str = ""
    damaged: bool = False
    #: Whether the job said at its end that all of its data is as it should be.
    closed_intact: bool = False
    left: list[str] = field(default_factory=list)
    hits: list[Hit] = field(default_factory=list)
    #: The outcome of each resize, and the same in the words of the answer.
    answers: list[Answer] = field(default_factory=list)
    answer_texts: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def killed(self, role: str) -> bool:
        """Whether a process in this role was killed."""
        return any(hit.role == role and hit.kill and hit.reached for hit in self.hits)


def judge(observed: Observed) -> Verdict:
    """The verdict."""
    if observed.damaged:
        return Verdict.DAMAGED
    if observed.hung:
        return Verdict.HUNG
    if observed.broke:
        return Verdict.BROKE
    if observed.code == 0 and not observed.closed_intact:
        return Verdict.FALSE_SUCCESS
    if observed.left:
        return Verdict.LEFT_BEHIND
    if observed.code == 0:
        return Verdict.SURVIVED
    if observed.killed("supervisor"):  # who is killed cannot say anything
        return Verdict.ENDED
    said = any(line.startswith("nereus: ") for line in _news(observed.errors))
    return Verdict.ENDED if said else Verdict.SILENT


def _news(errors: str) -> list[str]:
    """Lines on stderr but for the job's name, which each run begins with."""
    return [line for line in errors.splitlines() if not line.startswith("nereus: job ")]
