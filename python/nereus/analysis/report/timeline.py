# SPDX-License-Identifier: BSD-3-Clause
"""The time of a run without calibration, as its total has it, and where in it the application paused."""

from itertools import pairwise

from nereus.analysis.report.model import Generation, Iteration, Resize, Results

Span = tuple[float, float]


class Timeline:
    """From seconds since the run began to such without what was spent on calibration.

    The file has the total without calibration, but not how long each calibration took: in what goes before
    the first iteration of a phase there are the making of stages and the start of the job, too. So much of it
    is left out, everywhere in proportion, that a finished run ends at its total.
    """

    def __init__(self, results: Results) -> None:
        pauses = [span for resize in results.resizes for span in pause_spans(results, resize)]
        ends = [end for _, end in pauses] + [undone.time for undone in results.undone]
        ends += [iteration.end for generation in results.generations for iteration in generation.iterations]
        last = max(ends, default=0.0)
        ends += [each.resumed.time for each in results.recoveries if each.resumed is not None]
        if results.end is None or results.total_seconds is None:
            calibrated = [generation for generation in results.generations if generation.calibrated]
            firsts = [generation.iterations[0] for generation in calibrated if generation.iterations]
            left_out = last
        else:
            firsts = [i for generation in results.generations for i in _first_of_phases(generation)]
            last = max(last, results.end.time)
            left_out = max(0.0, last - results.total_seconds)
        self._gaps = [_before(first, ends) for first in firsts]
        length = sum(end - begin for begin, end in self._gaps)
        self._share = min(1.0, left_out / length) if length > 0 else 0.0
        self.end = self.at(last)

    def at(self, seconds: float) -> float:
        """The place on the timeline of what happened so many seconds after the run began."""
        passed = sum(max(0.0, min(seconds, end) - begin) for begin, end in self._gaps)
        return seconds - self._share * passed


def pause_spans(results: Results, resize: Resize) -> list[Span]:
    """When the application stood still for a resize, in order; together as long as its pause.

    The last time until the commit; what the pause has more was before, where a resize was under way and the
    time between two iterations was longest: for the making of processes, or to begin a transfer.
    """
    pause = resize.event.pause_seconds
    last = min(pause, max(0.0, resize.event.time - resize.paused_at))
    rest = pause - last
    spans = []
    for begin, end in sorted(_between(results, resize), key=lambda span: span[0] - span[1]):
        length = min(rest, end - begin)
        if length <= 0:
            break
        spans.append((end - length, end))
        rest -= length
    return [*sorted(spans), (resize.paused_at, resize.paused_at + last + rest)]


def _between(results: Results, resize: Resize) -> list[Span]:
    """The time before each iteration that was made while the resize was under way.

    Iterations before one that was rolled back were made during that one.
    """
    since = max((undone.time for undone in results.undone if undone.time <= resize.paused_at), default=0.0)
    begun = [g for g in results.generations if g.iterations and g.iterations[0].start < resize.paused_at]
    pairs = pairwise(begun[-1].iterations if begun else [])
    return [
        (before.end, max(before.end, after.start))
        for before, after in pairs
        if after.background and after.start >= since
    ]


def _first_of_phases(generation: Generation) -> list[Iteration]:
    later = [after for before, after in pairwise(generation.iterations) if after.phase != before.phase]
    return [*generation.iterations[:1], *later]


def _before(iteration: Iteration, ends: list[float]) -> Span:
    """Between what ended last and the iteration."""
    return max((end for end in ends if end <= iteration.start), default=0.0), iteration.start
