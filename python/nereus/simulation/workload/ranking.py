# SPDX-License-Identifier: BSD-3-Clause
"""Jobs by what a strategy thinks of them, which changes as they are resized."""

import heapq
from collections.abc import Generator

Key = tuple[float, tuple[float, int]]
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

    def rising(self) -> Generator[int, None, None]:
        """Jobs from the lowest key on. To be closed before the next one is put."""
        seen: list[tuple[Key, int]] = []
        try:
            while self._heap:
                entry = heapq.heappop(self._heap)
                key, number = entry
                if self._keys.get(number) == key and (not seen or seen[-1] != entry):
                    seen.append(entry)
                    yield number
        finally:
            for entry in seen:
                heapq.heappush(self._heap, entry)
