# SPDX-License-Identifier: BSD-3-Clause
"""What it costs to watch a whole program: runs with a sensor of the monitor and without, in turns.

As Table 1 of Bosilca et al., Euro-Par 2017, section 6.1, and by the share of communication, as its Fig. 3.
"""

import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np

from nereus import UserError
from nereus.analysis.capture import Trace, read_traces
from nereus.analysis.report.units import seconds_text
from nereus.bench.paired import Paired
from nereus.bench.unread_record import unread_record
from nereus.launch import Build, Stopping
from nereus.launch.captured import run_captured
from nereus.launch.foreign import run_foreign
from nereus.launch.preloading import preloaded
from nereus.launch.sensors import Sensor

_FILES = "File_"
_LAST_LETTERS = 200  # of the last line of a program that failed


class ProgramError(UserError):
    """The program failed, or does not say its time."""


@dataclass(frozen=True)
class Calls:
    """Of one run whose calls were timed: means over its processes, from MPI_Init to MPI_Finalize."""

    ranks: int
    calls: float
    communication_percent: float  # of the time; calls for files are not counted

    @classmethod
    def of(cls, traces: Sequence[Trace]) -> "Calls":
        """Of all processes of a program."""
        calls = fmean(trace.facts.calls for trace in traces)
        return cls(len(traces), calls, 100 * fmean(_communication(trace) for trace in traces))


def _communication(trace: Trace) -> float:
    """Share of the time that was spent in calls; of the time until the last that is known."""
    known = float(trace.end[-1]) if trace.is_cut_off and trace.size else trace.facts.seconds
    files = [place for place, shape in enumerate(trace.facts.shapes) if shape.call.startswith(_FILES)]
    inside = float(trace.in_call[~np.isin(trace.shape, files)].sum())
    return min(1.0, inside / known) if known > 0 else 0.0


@dataclass(frozen=True)
class ProgramRow:
    """Medians over pairs of runs."""

    mpi: str
    sensor: str
    calls: Calls
    times: Paired

    def document(self) -> dict[str, Any]:
        """As --json shows it."""
        low, high = self.times.interval_percent or (None, None)
        return {
            "mpi": self.mpi,
            "sensor": self.sensor,
            **asdict(self.calls),
            "off_seconds": median(self.times.without),
            "on_seconds": median(self.times.with_it),
            "added_seconds": self.times.added,
            "overhead_percent": self.times.overhead_percent,
            "overhead_low_percent": low,
            "overhead_high_percent": high,
            "p_value": self.times.p_value,
            "repeats": len(self.times.without),
        }


@dataclass(frozen=True)
class ProgramBench:
    """`seconds`: where the program prints its time, by its first group; None: that of the command counts."""

    command: Sequence[str]
    build: Build
    sensor: Sensor
    seconds: re.Pattern[str] | None
    stopping: Stopping

    def calls(self) -> Calls | None:
        """Of a run whose calls are timed, which also brings the program into memory; None when stopped."""
        with tempfile.TemporaryDirectory(prefix="nereus-bench-") as name:
            said, folder = Path(name) / "said", Path(name) / "calls"
            folder.mkdir()
            with said.open("w") as stdout:
                code = run_captured(self.command, self.build, folder, self.stopping, stdout=stdout)
            if self.stopping.signal is not None:
                return None
            self._check(code, said)
            if self.seconds is not None:
                self._told(said, self.seconds)
            return Calls.of(read_traces(folder))

    def pairs(self, repeat: int, advance: Callable[[str], None]) -> Paired:
        """As many as could be made before we were stopped; the order changes from pair to pair."""
        without: list[float] = []
        with_it: list[float] = []
        for number in range(repeat):
            pair: dict[bool, float | None] = {}
            for is_watched in (False, True) if number % 2 == 0 else (True, False):
                pair[is_watched] = self._run(is_watched)
            off, on = pair[False], pair[True]
            if off is None or on is None:
                break
            without.append(off)
            with_it.append(on)
            advance(f"{seconds_text(off)}, watched {seconds_text(on)}")
        return Paired(without, with_it)

    def _run(self, is_watched: bool) -> float | None:
        """Seconds; None when stopped."""
        with tempfile.TemporaryDirectory(prefix="nereus-bench-") as name, unread_record() as variables:
            said = Path(name) / "said"
            environment = (
                self.sensor.environment(self.build, variables) if is_watched else preloaded(None, {})
            )
            with said.open("w") as stdout:
                ended = run_foreign(self.command, self.build, environment, self.stopping, stdout)
            if self.stopping.signal is not None:
                return None
            self._check(ended.code, said)
            return ended.seconds if self.seconds is None else self._told(said, self.seconds)

    def _check(self, code: int, said: Path) -> None:
        if code:
            lines = said.read_text(errors="replace").split("\n")
            last = next((f": {line[:_LAST_LETTERS]}" for line in reversed(lines) if line.strip()), "")
            raise ProgramError(f"the command failed with exit code {code}{last}")

    def _told(self, said: Path, pattern: re.Pattern[str]) -> float:
        """What the program says on stdout, at the last place."""
        option = f"--seconds = {pattern.pattern}"
        found = pattern.findall(said.read_text(errors="replace"))
        try:
            seconds = float(found[-1])
        except (IndexError, ValueError, TypeError):
            raise ProgramError(f"{option}: finds no number in what the command prints") from None
        if not 0 < seconds < float("inf"):
            raise ProgramError(f"{option}: finds {seconds:g}; allowed are times above 0")
        return seconds
