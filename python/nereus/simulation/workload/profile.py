# SPDX-License-Identifier: BSD-3-Clause
"""How many cores are free from now on, as far as it is promised: a step function of time."""

from math import inf

import numpy as np

_FEW = 64


class Profile:
    """From `times[i]` on `free[i]` cores are free, until `times[i + 1]`; infinity stands behind the last."""

    def __init__(self, cores: int) -> None:
        self._times = np.full(_FEW, inf)
        self._free = np.zeros(_FEW, dtype=np.int64)
        self._times[0], self._free[0] = -inf, cores
        self._steps = 1

    def take(self, start: float, end: float, ranks: int) -> None:
        """From `start` to `end` so many fewer are free."""
        self._change(start, end, -ranks)

    def give(self, start: float, end: float, ranks: int) -> None:
        """So many more."""
        self._change(start, end, ranks)

    def forget(self, now: float) -> None:
        """What was before."""
        first = self._at(now)
        if first > 0:
            self._steps -= first
            kept = slice(first, first + self._steps + 1)
            self._times[: self._steps + 1] = self._times[kept]
            self._free[: self._steps] = self._free[first : first + self._steps]

    def free_at(self, time: float) -> int:
        """Cores that are free then."""
        return int(self._free[self._at(time)])

    def lowest(self, now: float) -> list[tuple[int, float]]:
        """So many cores are free from now on all the time until then: fewer and fewer, the last for ever."""
        self.forget(now)
        lowest = np.minimum.accumulate(self._free[: self._steps])
        (last,) = (lowest[1:] < lowest[:-1]).nonzero()
        steps = [(int(lowest[step]), float(self._times[step + 1])) for step in last]
        return [*steps, (int(lowest[-1]), inf)]

    def earliest(self, now: float, ranks: int, seconds: float) -> float:
        """From when on so many cores are free for so long: now, or where a step begins."""
        self.forget(now)
        found = self._first_gap(now, ranks, seconds, self._steps)
        assert found is not None, "all cores are free in the end"
        return found

    def earlier(self, now: float, ranks: int, seconds: float, reserved: float) -> float:
        """The same for a job that has so many cores from `reserved` on, which count as its own."""
        before = int(self._times[: self._steps].searchsorted(reserved, side="left"))
        found = self._first_gap(now, ranks, seconds, before)
        return reserved if found is None else found

    def _first_gap(self, now: float, ranks: int, seconds: float, steps: int) -> float | None:
        """It begins in one of the first `steps`; what comes after these does not count."""
        # Between two steps where too few are free there are enough, or there is nothing.
        (short,) = (self._free[:steps] < ranks).nonzero()
        if not len(short):
            return now
        edges = np.empty(len(short) + 2, dtype=np.int64)
        edges[0], edges[1:-1], edges[-1] = -1, short, steps
        (gaps,) = (edges[1:] - edges[:-1] > 1).nonzero()
        starts = np.maximum(self._times[edges[gaps] + 1], now)
        overs = self._times[edges[gaps + 1]]
        if len(gaps) and gaps[-1] == len(short):
            overs[-1] = inf
        (found,) = (starts + seconds <= overs).nonzero()
        return float(starts[found[0]]) if len(found) else None

    def most_before(self, times: np.ndarray[tuple[int], np.dtype[np.float64]]) -> np.ndarray:
        """The most cores that are free anywhere before each of these times; 0 where nothing is before."""
        highest = np.maximum.accumulate(self._free[: self._steps])
        before = self._times[: self._steps].searchsorted(times, side="left")
        return np.where(before > 0, highest[np.maximum(before, 1) - 1], 0)

    def _change(self, start: float, end: float, more: int) -> None:
        if not start < end:
            return
        first = self._step_at(start)
        last = self._step_at(end) if end < inf else self._steps
        self._free[first:last] += more
        self._join(last)
        self._join(first)

    def _at(self, time: float) -> int:
        """The step in which the time lies."""
        return max(0, int(self._times[: self._steps].searchsorted(time, side="right")) - 1)

    def _step_at(self, time: float) -> int:
        """The step that begins then, made where there is none."""
        step = self._at(time)
        if self._times[step] == time:
            return step
        if self._steps + 1 >= len(self._times):
            self._times = np.concatenate((self._times, np.full(len(self._times), inf)))
            self._free = np.concatenate((self._free, np.zeros(len(self._free), dtype=np.int64)))
        new = step + 1
        self._times[new + 1 : self._steps + 2] = self._times[new : self._steps + 1]
        self._free[new + 1 : self._steps + 1] = self._free[new : self._steps]
        self._times[new], self._free[new] = time, self._free[step]
        self._steps += 1
        return new

    def _join(self, step: int) -> None:
        """With the one before, where it is the same."""
        if 0 < step < self._steps and self._free[step] == self._free[step - 1]:
            self._times[step : self._steps] = self._times[step + 1 : self._steps + 1]
            self._free[step : self._steps - 1] = self._free[step + 1 : self._steps]
            self._steps -= 1
