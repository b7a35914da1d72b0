# SPDX-License-Identifier: BSD-3-Clause
"""Jobs by what a strategy thinks of them, which changes as they are resized."""

import heapq

Key = tuple[float, float, int]
_FEW = 64


class Ranking:
    """A heap in which keys of before stay until they come up, or are more than those of now."""

    def __init__(self) -> None:
        self._keys: dict[int, Key] = {}
        self._heap: list[tuple[Key, int]] = []

    def put(self, number: int, key: Key | None) -> None:
        """The job's key from now on; without one it is not there."""
        if key is None:
            self._keys.pop(number, None)
        elif self._keys.get(number) != key:
            self._keys[number] = key
            heapq.heappush(self._heap, (key, number))
            if len(self._heap) > 2 * len(self._keys) + _FEW:
                self._heap = [(now, job) for job, now in self._keys.items()]
                heapq.heapify(self._heap)

    def first(self) -> int | None:
        """The job with the lowest key."""
        while self._heap:
            key, number = self._heap[0]
            if self._keys.get(number) == key:
                return number
            heapq.heappop(self._heap)
        return None
