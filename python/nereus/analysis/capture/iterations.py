# SPDX-License-Identifier: BSD-3-Clause
"""The calls of one process as phases: what repeats, how often, and how long each part of it takes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from nereus.analysis.capture.pattern import Piece, Run, Symbols, pieces
from nereus.analysis.capture.trace import Numbers, Seconds, Shape, Trace

Shares = npt.NDArray[np.float64]  # of iterations in a mean

# What calls are taken as the same by, the finest first: sizes of messages may vary from one to the next.
_SAME: tuple[Callable[[Shape], tuple[object, ...]], ...] = (
    lambda shape: (shape.call, shape.group, shape.peer, shape.bytes),
    lambda shape: (shape.call, shape.group, shape.peer, shape.bytes.bit_length()),
    lambda shape: (shape.call, shape.group, shape.peer),
    lambda shape: (shape.call,),
)
_ENOUGH = 0.9  # of what coarser ones cover
_TRIFLE = 0.01
# Iterations in which no rank wanted a core in vain: how little they lose, and how many suffice.
_HARDLY = 0.02
_LEAST_QUIET = 3
_SHARE_QUIET = 0.1
# Iterations are alike whose computing differs by less than this factor; short computing does not tell.
_ALIKE = 1.25
_SHORT = 0.1  # of an iteration
_MANY_PHASES = 8


@dataclass(frozen=True)
class Part:
    """One call of an iteration, and the computing before it: means over all iterations, s."""

    shape: Shape
    computed: float
    in_call: float
    bytes: float


@dataclass(frozen=True)
class Repeated:
    """A part of the program: `times` iterations, or one where nothing repeats."""

    times: int
    parts: tuple[Part, ...]
    tail: float  # computing behind the last call
    begins: Seconds  # of each iteration
    ends: Seconds
    cost: float  # seconds of an iteration that noting its calls took
    calls: int
    is_pattern: bool
    comes_between: bool = False  # some iterations of the one before it
    lost: float = 0.0  # seconds of an iteration in which others had the core
    computed: Seconds | None = None  # of each iteration, by parts; None: it is no pattern
    in_call: Seconds | None = None

    def weighted(self, shares: Shares) -> tuple[Part, ...]:
        """The parts, as they are where iterations have these shares in the means."""
        if self.computed is None or self.in_call is None:
            return self.parts
        computed = np.average(self.computed, axis=0, weights=shares)
        in_call = np.average(self.in_call, axis=0, weights=shares)
        return tuple(
            replace(part, computed=float(computed[at]), in_call=float(in_call[at]))
            for at, part in enumerate(self.parts)
        )

    @property
    def iteration_seconds(self) -> Seconds:
        """Of each iteration, as it would be without the noting."""
        return np.maximum(self.ends - self.begins - self.cost, 0.0)

    @property
    def seconds(self) -> float:
        """Of one iteration: the mean."""
        return float(self.iteration_seconds.mean())

    @property
    def begin(self) -> float:
        """Of all iterations."""
        return float(self.begins[0])

    @property
    def end(self) -> float:
        """Of all iterations, with what came between them."""
        return float(self.ends[-1])


@dataclass(frozen=True)
class Found:
    """All parts of one process, in the order in which it did them."""

    repeated: list[Repeated]
    calls_covered: float  # share of all calls that are in a pattern
    seconds_covered: float  # and of the time from MPI_Init to MPI_Finalize
    pieces: list[Piece]
    is_whole: bool  # calls that were not kept are iterations of the last pattern; False: they are missing

    @property
    def iterations(self) -> int:
        """Of the longest pattern, by time; 0: there is none."""
        longest = self.longest
        return longest.times if longest else 0

    @property
    def longest(self) -> Repeated | None:
        """The pattern in which the program spends most time."""
        patterns = [each for each in self.repeated if each.is_pattern]
        return max(patterns, key=lambda each: each.times * each.seconds, default=None)


def find(trace: Trace) -> Found:
    """What repeats in the calls of a process."""
    symbols = [_symbols(trace, same) for same in _SAME]
    levels = [_without_trifles(pieces(each), trace) for each in symbols]
    covered = [sum(piece.covered for piece in level) for level in levels]
    level = next(level for level, length in enumerate(covered) if length >= _ENOUGH * max(covered))
    chosen = levels[level]
    found = [each for piece in chosen for each in _repeated(trace, piece)]
    repeated, is_whole = _whole_times(found, _begun(chosen, symbols[level]), trace)
    inside = sum(each.times * each.seconds for each in repeated if each.is_pattern)
    return Found(
        repeated,
        sum(piece.covered for piece in chosen) / max(1, trace.size),
        min(1.0, inside / trace.facts.seconds) if trace.facts.seconds else 0.0,
        chosen,
        is_whole,
    )


def _without_trifles(cut: list[Piece], trace: Trace) -> list[Piece]:
    """Patterns that hardly take time beside the others are part of what does not repeat around them."""
    patterns = sum(_seconds(piece, trace) for piece in cut if piece.runs)
    made: list[Piece] = []
    for piece in cut:
        is_pattern = bool(piece.runs) and _seconds(piece, trace) >= _TRIFLE * patterns
        if is_pattern or not made or made[-1].runs:
            made.append(piece if is_pattern else Piece(piece.first, piece.end))
        else:
            made[-1] = Piece(made[-1].first, piece.end)
    return made


def _seconds(piece: Piece, trace: Trace) -> float:
    return float(trace.end[piece.end - 1]) - _begin_of(trace, piece.first)


def _symbols(trace: Trace, same: Callable[[Shape], tuple[object, ...]]) -> Symbols:
    numbers: dict[tuple[object, ...], int] = {}
    of_shapes = [numbers.setdefault(same(shape), len(numbers)) for shape in trace.facts.shapes]
    return np.array(of_shapes or [0], np.int64)[trace.shape]


def _repeated(trace: Trace, piece: Piece) -> list[Repeated]:
    """Runs, each a phase, with what stands between; or, where that happens often, one phase of each kind."""
    if not piece.runs:
        return [_once(trace, [(piece.first, piece.end)])]
    model = _iterated(trace, piece.runs)
    between = piece.between
    if not between:
        return [model]
    if len(between) > _MANY_PHASES:
        return [model, replace(_once(trace, between), is_pattern=True, comes_between=True)]
    made: list[Repeated] = []
    for run, after in zip(piece.runs, [*between, None], strict=False):
        own = _iterated(trace, [run])
        made.append(replace(own, parts=model.parts))
        made += [_once(trace, [after])] if after else []
    return made


def _begin_of(trace: Trace, place: int) -> float:
    """When the computing before a call began."""
    return float(trace.end[place - 1]) if place else 0.0


def _iterated(trace: Trace, runs: Sequence[Run]) -> Repeated:
    places = np.concatenate([np.arange(run.first, run.end) for run in runs]).reshape(-1, runs[0].period)
    ends = trace.end[places[:, -1]]
    begins = np.where(places[:, 0] > 0, trace.end[places[:, 0] - 1], 0.0)
    sizes = np.array([shape.bytes for shape in trace.facts.shapes], np.float64)[trace.shape[places]]
    parts = tuple(
        Part(trace.calls(int(places[0, at])), computed, in_call, size)
        for at, (computed, in_call, size) in enumerate(
            zip(
                trace.computed[places].mean(axis=0).tolist(),
                trace.in_call[places].mean(axis=0).tolist(),
                sizes.mean(axis=0).tolist(),
                strict=True,
            )
        )
    )
    cost = trace.cost * runs[0].period
    made = Repeated(len(places), parts, 0.0, begins, ends, cost, places.size, is_pattern=True)
    return replace(made, computed=trace.computed[places], in_call=trace.in_call[places])


def _once(trace: Trace, spans: Sequence[tuple[int, int]]) -> Repeated:
    """Parts of the program that are no pattern, as iterations of what they have in common: their sums."""
    begins = np.array([_begin_of(trace, first) for first, _ in spans])
    ends = np.array([float(trace.end[end - 1]) for _, end in spans])
    calls = sum(end - first for first, end in spans)
    sums: dict[str, Part] = {}
    for first, end in spans:
        for place in range(first, end):
            shape = trace.calls(place)
            own = Part(shape, float(trace.computed[place]), float(trace.in_call[place]), float(shape.bytes))
            sums[shape.call] = _added(sums.get(shape.call), own)
    parts = tuple(
        Part(part.shape, part.computed / len(spans), part.in_call / len(spans), part.bytes / len(spans))
        for part in sums.values()
    )
    cost = trace.cost * calls / len(spans)
    return Repeated(len(spans), parts, 0.0, begins, ends, cost, calls, is_pattern=False)


def without_others(repeated: Repeated, traces: Sequence[Trace]) -> Repeated:
    """The same, knowing how long others had a core that one of the ranks wanted.

    Ranks wait for the one that lost most, so that this is what the iteration lost. An emulation loses as much
    by itself where as many others are there.
    """
    lost = np.zeros(len(repeated.ends))
    for trace in traces:
        place = np.searchsorted(repeated.ends, trace.begin)
        inside = (place < len(lost)) & (trace.begin >= repeated.begin)
        inside[inside] &= trace.begin[inside] >= repeated.begins[place[inside]]
        own = np.bincount(place[inside], trace.idle[inside], len(lost))
        lost = np.maximum(lost, own)
    return _as_in_quiet(repeated, lost)


def _as_in_quiet(repeated: Repeated, lost: Seconds) -> Repeated:
    """As those iterations are that lost hardly anything, where these are enough to tell.

    What others do also makes computing longer, by caches that they fill: it counts as in the same iterations.
    Only iterations that compute about as long stand for each other: long ones lose more, so that short ones
    are undisturbed more often.
    """
    seconds = repeated.iteration_seconds
    left = seconds - np.minimum(lost, seconds)
    shares = np.zeros(len(seconds))
    undisturbed = 0.0
    for used, number, is_quiet in _standing(_alike(repeated), seconds, lost):
        shares[used] = number / len(used)
        undisturbed += number * float((seconds if is_quiet else left)[used].mean())
    more = float(seconds.mean()) - undisturbed / len(seconds)
    return replace(repeated, lost=max(0.0, more), parts=repeated.weighted(shares))


def _standing(groups: list[Numbers], seconds: Seconds, lost: Seconds) -> list[tuple[Numbers, int, bool]]:
    """Which iterations stand for how many, and whether they are undisturbed.

    One or two that are like no others and were disturbed count as the next that were not: a core that is
    taken from the whole machine looks like computing.
    """
    quiet = [each[lost[each] <= _HARDLY * float(np.median(seconds[each]))] for each in groups]
    enough = [
        at for at, each in enumerate(groups) if len(quiet[at]) >= max(_LEAST_QUIET, _SHARE_QUIET * len(each))
    ]
    numbers = dict.fromkeys(enough, 0)
    made: list[tuple[Numbers, int, bool]] = []
    for at, each in enumerate(groups):
        if at in numbers:
            numbers[at] += len(each)
        elif enough and len(each) < _LEAST_QUIET and not len(quiet[at]):
            numbers[min(enough, key=lambda other: abs(other - at))] += len(each)
        else:
            made.append((each, len(each), False))
    return made + [(quiet[at], number, True) for at, number in numbers.items()]


def _alike(repeated: Repeated) -> list[Numbers]:
    """The places of iterations that do about as much, by groups."""
    if repeated.computed is None:
        return [np.arange(len(repeated.ends))]
    least = max(_SHORT * float(np.median(repeated.iteration_seconds)), 1e-9)
    steps = np.log(repeated.computed.sum(axis=1) + least) / np.log(_ALIKE)
    classes = np.floor(steps - steps.min()).astype(np.int64)
    return [np.flatnonzero(classes == each) for each in np.unique(classes)]


def _added(one: Part | None, other: Part) -> Part:
    if one is None:
        return other
    return Part(
        one.shape, one.computed + other.computed, one.in_call + other.in_call, one.bytes + other.bytes
    )


def _whole_times(repeated: list[Repeated], begun: int, trace: Trace) -> tuple[list[Repeated], bool]:
    """With what comes behind the last call, and whether that is all: computing, or more of the same.

    Where calls were not kept, they are more of the same where the kept ones end in a pattern.
    """
    if trace.is_cut_off:
        return _extended(repeated, begun, trace)
    end = trace.facts.seconds - (float(trace.end[-1]) if trace.size else 0.0)
    tail = max(0.0, trace.facts.core_seconds_at_end)
    whole = trace.facts.seconds
    last = Repeated(1, (), tail, np.array([whole - max(end, 0.0)]), np.array([whole]), 0.0, 0, False)
    return [*repeated, last], True


def _begun(cut: list[Piece], symbols: Symbols) -> int:
    """Calls at the end that are the begin of an iteration, or of what comes between some of them."""
    if len(cut) < 2 or cut[-1].runs:
        return 0
    rest = symbols[cut[-1].first : cut[-1].end]
    is_again = any(np.array_equal(symbols[first : first + len(rest)], rest) for first, _ in cut[-2].between)
    return len(rest) if is_again or len(rest) < cut[-2].period else 0


def _extended(repeated: list[Repeated], begun: int, trace: Trace) -> tuple[list[Repeated], bool]:
    """The last pattern goes on: calls of the iteration in which it was cut off belong to the rest."""
    patterns = repeated[:-1] if begun else repeated
    if not patterns or not patterns[-1].is_pattern:
        return repeated, False
    kept = trace.facts.rows / trace.size  # looks in vain are calls too
    more = trace.facts.calls - trace.facts.rows + kept * begun
    last = patterns[-1]
    if not last.comes_between:
        more_times = round(more / (kept * len(last.parts)))
        return [*patterns[:-1], replace(last, times=last.times + more_times)], True
    both = patterns[-2:]
    share = more / (kept * sum(each.calls for each in both))
    longer = [replace(each, times=each.times + round(each.times * share)) for each in both]
    return [*patterns[:-2], *longer], True
