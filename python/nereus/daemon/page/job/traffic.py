# SPDX-License-Identifier: BSD-3-Clause
"""Who sends how much to whom in one job that is monitored: from the records on this host, where they lie."""

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from nereus.analysis.monitor.live import latest_of_job, sums
from nereus.analysis.monitor.live_matrix import LiveMatrix, Pair, binned, live_matrix
from nereus.daemon.page.job.communicators import KnownCommunicators
from nereus.launch.parts_folder import is_locked, monitored, totals

#: Rows and columns that the page shows; of more ranks, several are one row.
MOST_ROWS = 128
# Looks between two searches for the job among monitored runs: each reads all of their records.
_SEARCHES = 5


class Traffic:
    """Bytes from rank to rank in the generation that the job has, and since the look before."""

    def __init__(
        self,
        job: str,
        runs: Callable[[], Iterable[Path]] = monitored,
        lines: Callable[[Path], list[bytes]] = totals,
        is_there: Callable[[Path], bool] = is_locked,
        communicators: KnownCommunicators | None = None,
    ) -> None:
        self._job, self._runs, self._lines, self._is_there = job, runs, lines, is_there
        self._communicators = communicators or KnownCommunicators()
        self._folder: Path | None = None
        self._looks = 0
        self._before: tuple[float, LiveMatrix] | None = None
        #: As the page gets it; None: it was never found monitored. It stays when the job has ended.
        self.document: dict[str, Any] | None = None

    def look(self, now: float) -> bool:
        """Whether there is something new."""
        self._looks += 1
        found = self._found()
        if found is None:
            return False
        self.document = self._document(found, now)
        self._before = (now, found)
        return True

    def _found(self) -> LiveMatrix | None:
        if self._folder is not None and self._is_there(self._folder):
            return self._in(self._folder)
        if (self._looks - 1) % _SEARCHES != 0:
            return None
        for folder in self._runs():
            if (found := self._in(folder)) is not None:
                self._folder = folder
                return found
        return None

    def _in(self, folder: Path) -> LiveMatrix | None:
        """None where it has no process of the job; lines that cannot be read are none."""
        try:
            processes = list(latest_of_job(sums(self._lines(folder)), self._job).values())
            return live_matrix(processes, self._communicators.of(processes, folder))
        except (ValidationError, OSError):
            return None

    def _document(self, found: LiveMatrix, now: float) -> dict[str, Any]:
        recent, seconds = self._since_before(found, now)
        size, cells = binned(found.bytes, found.ranks, MOST_ROWS)
        _, recent_cells = binned(recent, found.ranks, MOST_ROWS)
        rows = [[*pair, count, recent_cells.get(pair, 0)] for pair, count in sorted(cells.items()) if count]
        keys = {"ranks": found.ranks, "generation": found.generation, "seen": found.seen, "bin": size}
        others = {"to_all": found.to_all, "elsewhere": found.elsewhere}
        return {**keys, **others, "seconds": seconds, "time_unix": now, "cells": rows}

    def _since_before(self, found: LiveMatrix, now: float) -> tuple[Counter[Pair], float | None]:
        """What was sent since the look before, and how long ago that was; None: it was another generation."""
        if self._before is None or self._before[1].generation != found.generation:
            return Counter(), None
        at, before = self._before
        recent = Counter({pair: count - before.bytes.get(pair, 0) for pair, count in found.bytes.items()})
        return Counter({pair: count for pair, count in recent.items() if count > 0}), max(1e-3, now - at)
