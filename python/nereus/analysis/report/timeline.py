# SPDX-License-Identifier: BSD-3-Clause
"""The time of a run without calibration, as its total has it."""

from nereus.analysis.report.model import Generation, Results


class Timeline:
    """From seconds since the run began to such without what each generation spent on calibration."""

    def __init__(self, results: Results) -> None:
        ends = [resize.paused_at + resize.event.pause_seconds for resize in results.resizes]
        ends += [iteration.end for generation in results.generations for iteration in generation.iterations]
        self._calibrations = [
            _calibration(generation, ends)
            for generation in results.generations
            if generation.calibrated and generation.iterations
        ]
        self.end = self.at(max([*ends, *(undone.time for undone in results.undone)], default=0.0))

    def at(self, seconds: float) -> float:
        """The place on the timeline of what happened so many seconds after the run began."""
        return seconds - sum(max(0.0, min(seconds, end) - begin) for begin, end in self._calibrations)


def _calibration(generation: Generation, ends: list[float]) -> tuple[float, float]:
    """Between a generation's first iteration and what ended last before it."""
    first = generation.iterations[0].start
    return max((end for end in ends if end <= first), default=0.0), first
