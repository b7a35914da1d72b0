# SPDX-License-Identifier: BSD-3-Clause
"""Everything that can be tuned, with the paper's value where it has one."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any

from nereus import UserError

#: With 0 for one of these nothing would ever be predicted, or every job always be silent.
ABOVE_ZERO = frozenset({"lease", "silence", "window"})
#: Not to be changed while jobs run: they were told of it.
FIXED = ("lease",)
#: What others have to be at least; those without an entry, 0.
LEAST = {"least_phases": 2, "played_phases": 5}


@dataclass(frozen=True)
class Parameters:
    """Times in seconds; shares of 1."""

    #: Added to each predicted I/O phase, and again to each shift (paper, sections 4.2.1 and 5.1).
    uncertainty: float = 2.0
    #: The latest I/O phases that predict the next.
    window: int = 5
    #: Fewer phases than this predict nothing.
    least_phases: int = 3
    #: A prediction acts only where its confidence is at least this.
    least_confidence: float = 0.8
    #: Periods that differ by less, relatively, are equal: who writes first is shifted (section 4.2.1).
    equal_periods: float = 0.01
    #: Periods that differ by less are similar: the job with the shorter one is shifted.
    similar_periods: float = 0.25
    #: A fit of the times of a job that is farther off is given up for one that only falls.
    worst_fit: float = 0.10
    #: How much I/O counts where cores are shared out: the power of the share of a period that is no I/O. With
    #: this most cores of Table 2 go where the paper says (section 5.2, Fig. 17).
    io_weight: float = 8.0
    #: Of all cores `combined` keeps so many free, to lend them to jobs whose phases would meet.
    kept_for_shifts: float = 0.1
    #: Jobs are coupled when any of so many coming phases of theirs meet (the paper's Fig. 5 shows several).
    coupled_ahead: int = 8
    #: Periods are coupled no better than this.
    dead_band: float = 0.02
    #: A job is coupled to a longer period where that slows it down by no more; else to a shorter one.
    most_slowdown: float = 0.05
    #: What a resize takes (s) as long as none of the job was seen (section 4.2.1 computes with 1 s).
    overhead: float = 1.0
    #: How much the latest resize counts in what the next one is expected to take.
    overhead_weight: float = 0.5
    #: A turn to write is taken back when its job is not heard of for so long.
    lease: float = 10.0
    #: A job that is not heard of for so long has ended.
    silence: float = 30.0
    #: Free cores are shared out when no job has come for so long: those that come together share together.
    settle: float = 0.0
    #: A job that refused a resize is told of none for so many of its I/O periods; where it has none, seconds.
    cool_down_periods: float = 1.0
    cool_down_seconds: float = 60.0
    #: So many times of iterations on a number of ranks are enough to know it.
    enough_times: int = 3
    #: Of so many conflicts at most, the earliest, one is looked for that can be avoided.
    most_conflicts: int = 16
    #: Of so many jobs at most every two are looked at for coupling; of more, those that meet first.
    few_jobs: int = 32
    #: With more jobs `throughput` shares cores out as `io-based` does: playing ahead would take too long.
    most_played: int = 8
    #: I/O phases of all jobs together that `throughput` plays ahead; the first fifth does not count.
    played_phases: int = 1500
    #: With a strategy as the policy, a job has at least this multiple of the ranks that it came with.
    least_factor: float = 0.5
    #: A sweep tells a job of one size no more often: it may refuse it, or the cores may be another's.
    sweep_trials: int = 2


class ParameterError(UserError):
    """A name or a value that is not allowed."""


def with_values(parameters: Parameters, texts: Sequence[str]) -> Parameters:
    """Changed by `NAME=VALUE` each; ParameterError."""
    given: dict[str, Any] = dict(_read(text) for text in texts)
    return replace(parameters, **given)


def _read(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    names = {field.name for field in fields(Parameters)}
    if name not in names:
        raise ParameterError(f"{text}: {name or '(empty)'}: allowed are {', '.join(sorted(names))}")
    whole = isinstance(getattr(_DEFAULTS, name), int)
    try:
        number = int(value) if whole else float(value)
    except ValueError:
        number = -1
    least = LEAST.get(name, 0)
    if not isfinite(number) or number < least or (number == 0 and name in ABOVE_ZERO):
        kind = "whole numbers" if whole else "numbers"
        allowed = f"above {least}" if name in ABOVE_ZERO else f"from {least}"
        raise ParameterError(f"{text}: {kind} {allowed} are allowed")
    return name, number


_DEFAULTS = Parameters()
