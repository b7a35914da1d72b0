# SPDX-License-Identifier: BSD-3-Clause
"""What was found in the calls of all processes, as an experiment, and how sure it is."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nereus.analysis.capture.error import NoPatternError
from nereus.analysis.capture.iterations import Found, Repeated, find, without_others
from nereus.analysis.capture.stages import Step, steps_of, table_of, unlike
from nereus.analysis.capture.trace import Trace
from nereus.analysis.report.units import percent_text, seconds_text
from nereus.config import Experiment

_ENOUGH = 0.5  # of the calls or of the time, in a pattern
_NEARLY_ALL = 0.9  # of the time: less is said
_MUCH_LOST = 0.05
_BALANCED = 1.02  # the most loaded rank to the mean
_LATER = 1e-3  # s that another rank may come to the end of a pattern
_LONGEST_NAME = 64

_MISSING = "and their time are not in the experiment, since the kept ones do not end in a pattern"


@dataclass(frozen=True)
class Wishes:
    """What the user says that no trace tells."""

    name: str
    computing: str = "pi"
    constant_bytes: int = 0
    variable_bytes: int = 0
    force: bool = False
    mpi: str | None = None  # the build for the MPI of the program


@dataclass(frozen=True)
class PhaseFound:
    """A phase of the experiment beside what was measured of it."""

    repeated: Repeated
    steps: list[Step]

    @property
    def stages_seconds(self) -> float:
        """What all its iterations take in the emulation, where nobody else wants the cores."""
        return self.repeated.times * sum(step.seconds for step in self.steps if step.type != "ip2p")

    @property
    def lost_seconds(self) -> float:
        """What others took of all its iterations."""
        return self.repeated.times * self.repeated.lost

    @property
    def noting_seconds(self) -> float:
        """What looking at it took."""
        return self.repeated.times * self.repeated.cost

    def document(self) -> dict[str, Any]:
        """As --json has it."""
        least, median, most = np.quantile(self.repeated.iteration_seconds, [0.1, 0.5, 0.9]).tolist()
        return {
            "iterations": self.repeated.times,
            "repeats": self.repeated.is_pattern,
            "calls": self.repeated.calls,
            "iteration_seconds": {"mean": self.repeated.seconds, "p10": least, "median": median, "p90": most},
            "lost_seconds": self.repeated.lost,
            "stages": [
                {"type": step.type, "seconds": step.seconds, "bytes": round(step.bytes), "calls": step.calls}
                for step in self.steps
            ],
        }


@dataclass(frozen=True)
class Captured:
    """An experiment, and what it was made of."""

    experiment: Experiment
    phases: list[PhaseFound]
    ranks: int
    reference: int  # rank whose times the stages have
    agreeing: int  # ranks with as many iterations
    seconds: float
    calls_covered: float
    seconds_covered: float
    weights: list[float]
    warnings: list[str]

    @property
    def emulation_seconds(self) -> tuple[float, float]:
        """What the emulation takes with cores of its own, and beside as many others as the program had.

        What others do to caches makes computing longer too, which the emulation meets in part.
        """
        least = sum(phase.stages_seconds for phase in self.phases)
        return least, least + sum(phase.lost_seconds for phase in self.phases)

    def document(self) -> dict[str, Any]:
        """As --json prints it."""
        least, most = self.emulation_seconds
        return {
            "name": self.experiment.name,
            "ranks": self.ranks,
            "seconds": self.seconds,
            "emulation_seconds": {"least": least, "most": most},
            "sure": {
                "calls_covered": self.calls_covered,
                "seconds_covered": self.seconds_covered,
                "ranks_agreeing": self.agreeing,
            },
            "reference_rank": self.reference,
            "weights": self.weights,
            "phases": [phase.document() for phase in self.phases],
            "warnings": self.warnings,
        }


def capture(traces: Sequence[Trace], wishes: Wishes) -> Captured:
    """The experiment of what was recorded; NoPatternError where nothing repeats."""
    found = [find(trace) for trace in traces]
    iterations, agreeing = Counter(each.iterations for each in found).most_common(1)[0]
    alike = [rank for rank, each in enumerate(found) if each.iterations == iterations]
    busy = _busy(traces, found[alike[0]])
    reference = max(alike, key=lambda rank: busy[rank])
    best = found[reference]
    if max(best.calls_covered, best.seconds_covered) < _ENOUGH and not wishes.force:
        raise NoPatternError(_no_pattern(best, traces[reference]))
    weights = _weights(busy)
    repeated = [without_others(each, traces) for each in best.repeated]
    phases = [PhaseFound(each, steps_of(each)) for each in repeated]
    phases = [phase for phase in phases if phase.steps and phase.repeated.seconds > 0]
    if not phases:
        raise NoPatternError(_no_pattern(best, traces[reference]))
    shown = _shown(phases, traces[reference])
    if shown < _ENOUGH and not wishes.force:
        raise NoPatternError(_too_little(shown, traces[reference]))
    experiment = _experiment(phases, weights, reference, len(traces), wishes)
    return Captured(
        experiment,
        phases,
        len(traces),
        reference,
        agreeing,
        traces[reference].facts.seconds,
        best.calls_covered,
        best.seconds_covered,
        weights,
        _doubts(phases, shown, traces[reference])
        + _warnings(traces[reference], best, phases, agreeing, len(traces)),
    )


def _shown(phases: Sequence[PhaseFound], trace: Trace) -> float:
    """The share of the program's time that stages stand for, that others took, or that looking took."""
    told = sum(phase.stages_seconds + phase.lost_seconds + phase.noting_seconds for phase in phases)
    return told / trace.facts.seconds if trace.facts.seconds else 0.0


def _too_little(shown: float, trace: Trace) -> str:
    missing = trace.facts.calls - trace.facts.rows
    cause = f"; {missing} of {trace.facts.calls} calls were not kept (--calls)" if missing else ""
    return (
        f"the experiment would stand for {percent_text(shown)} of the {seconds_text(trace.facts.seconds)} "
        f"that the program took, needed is {100 * _ENOUGH:g} %{cause}; --force writes it anyway"
    )


def _doubts(phases: Sequence[PhaseFound], shown: float, trace: Trace) -> list[str]:
    """Where an emulation lasts another time than the program, it is said before anybody wonders."""
    said: list[str] = []
    if shown < _NEARLY_ALL:
        said.append(
            f"the experiment stands for {percent_text(shown)} of the {seconds_text(trace.facts.seconds)} "
            "that the program took"
        )
    lost = sum(phase.lost_seconds for phase in phases)
    if lost > _MUCH_LOST * trace.facts.seconds:
        said.append(
            f"for {seconds_text(lost)} of {seconds_text(trace.facts.seconds)} ranks waited for a core, or "
            "slept: the emulation is that much shorter where they need not"
        )
    return said


def _busy(traces: Sequence[Trace], found: Found) -> list[float]:
    """Seconds on a core of each rank while that one was in its patterns; in all, where it has none.

    Only as long as calls of all ranks were kept.
    """
    until = min((float(t.end[-1]) for t in traces if t.is_cut_off and t.size), default=float("inf"))
    patterns = [each for each in found.repeated if each.is_pattern and each.begin < until]
    spans = [(each.begin, min(each.end + _LATER, until)) for each in patterns] or [(0.0, until)]
    return [
        sum(float(t.computed[(t.end > begin) & (t.end <= end)].sum()) for begin, end in spans) for t in traces
    ]


def _weights(busy: Sequence[float]) -> list[float]:
    mean = sum(busy) / len(busy)
    if mean <= 0 or max(busy) < _BALANCED * mean:
        return [1.0]
    return [max(round(seconds / mean, 4), 1e-3) for seconds in busy]


def _experiment(
    phases: Sequence[PhaseFound], weights: list[float], reference: int, ranks: int, wishes: Wishes
) -> Experiment:
    own = weights[reference % len(weights)]
    tree: dict[str, Any] = {
        "name": wishes.name,
        "verify": False,
        "mpi": wishes.mpi,
        "weights": weights,
        "data": {"constant_bytes": wishes.constant_bytes, "variable_bytes": wishes.variable_bytes},
        "phases": [
            {
                "iterations": phase.repeated.times,
                "stages": [table_of(step, own, wishes.computing) for step in phase.steps],
            }
            for phase in phases
        ],
        "groups": [{"ranks": ranks}],
    }
    return Experiment.model_validate(tree)


def name_of(program: str) -> str:
    """A name of an experiment from that of a program."""
    name = re.sub(r"[^A-Za-z0-9._-]", "-", program).lstrip("._-")
    return (name or "application")[:_LONGEST_NAME]


def _no_pattern(best: Found, trace: Trace) -> str:
    said = "the calls of the program do not repeat"
    longest = best.longest
    if longest is None:
        return f"{said}: in {trace.size} calls of rank {trace.facts.rank} nothing occurs three times in a row"
    return (
        f"{said}: the best is a pattern of {len(longest.parts)} calls, {longest.times} times; patterns are "
        f"{percent_text(best.calls_covered)} of the {trace.size} calls of rank {trace.facts.rank} and "
        f"{percent_text(best.seconds_covered)} of the time, needed is {100 * _ENOUGH:g} % of one of "
        "them; --force writes the experiment anyway"
    )


def _warnings(
    trace: Trace, best: Found, phases: Sequence[PhaseFound], agreeing: int, ranks: int
) -> list[str]:
    said: list[str] = []
    if trace.is_cut_off:
        said.append(
            f"only the first {trace.facts.rows} of {trace.facts.calls} calls were kept (--calls); the others "
            + ("count as iterations of the last pattern" if best.is_whole else _MISSING)
        )
    if agreeing < ranks:
        said.append(
            f"{ranks - agreeing} of {ranks} ranks have another number of iterations: their computing counts"
        )
    for call in sorted({call for phase in phases for call in unlike(phase.repeated.parts)}):
        said.append(f"MPI_{call} is emulated by the nearest stage there is")
    if any(len(piece.between) > 8 for piece in best.pieces):
        said.append("calls that occur between some iterations are a phase of their own after all of them")
    return said
