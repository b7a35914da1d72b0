# SPDX-License-Identifier: BSD-3-Clause
"""Who takes part in the collective calls of a monitored run.

Totals do not tell it, and what does is much longer. So records are read whole only when a process has called
a collective on a communicator that is not known of it, and the more rarely the longer that takes.
"""

import subprocess
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from pydantic import ValidationError

from nereus.analysis.monitor.live import Sums
from nereus.analysis.monitor.live_matrix import Communicators, communicators_in, unknown_communicators
from nereus.launch import builds
from nereus.launch.parts_folder import parts_in

_READER = "nereus-parts"
#: Between two readings, in seconds and in the time of the latest one.
_LEAST_BETWEEN, _TIMES_ITS_LENGTH = 2.0, 20.0
_KINDS = (b'{"event":"process"', b'{"event":"communicator"')


def lines_of_communicators(folder: Path) -> Generator[bytes]:
    """Of each process in the folder: its own line, and those of its communicators."""
    parts = parts_in(folder)
    if not parts:
        return
    words = [builds()[0].program(_READER), *parts]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as reader:
        assert reader.stdout is not None
        yield from (line for line in reader.stdout if line.startswith(_KINDS))


class KnownCommunicators:
    """Of one run; what a communicator is does not change."""

    def __init__(self, lines: Callable[[Path], Generator[bytes]] = lines_of_communicators) -> None:
        self._lines = lines
        self._known: Communicators = {}
        self._due = 0.0

    def of(self, processes: Sequence[Sums], folder: Path) -> Communicators:
        """As far as they are known now."""
        began = time.monotonic()
        if began >= self._due and unknown_communicators(processes, self._known):
            self._known = {**self._known, **self._read(folder)}
            took = time.monotonic() - began
            self._due = began + max(_LEAST_BETWEEN, _TIMES_ITS_LENGTH * took)
        return self._known

    def _read(self, folder: Path) -> Communicators:
        try:
            with closing(self._lines(folder)) as lines:
                return communicators_in(_whole(lines))
        except (OSError, ValidationError):
            return {}


def _whole(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Without what a reader that was ended left of one."""
    return (line for line in lines if line.endswith(b"\n"))
