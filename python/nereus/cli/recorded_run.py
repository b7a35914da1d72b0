# SPDX-License-Identifier: BSD-3-Clause
"""A command that is run while its MPI program is recorded: `nereus monitor`, `nereus trace`."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nereus.analysis.monitor.encoding import Encoding
from nereus.analysis.monitor.record import NOBODY, begin, end
from nereus.cli.messages import Refused, complain
from nereus.launch import Build, Stopping, parts_folder
from nereus.launch.foreign import run_foreign
from nereus.launch.preloading import forwards_itself
from nereus.launch.sensors import Sensor


def new_run() -> str:
    """A name that no other run has."""
    return secrets.token_hex(8)


@dataclass(frozen=True)
class RecordedRun:
    """One run, which has a name of its own."""

    command: Sequence[str]
    build: Build
    encoding: Encoding = Encoding.JSON
    sensor: Sensor = Sensor.WRAPPERS
    trace: Path | None = None  # its folder
    name: str = field(default_factory=new_run)

    def recorded_in(self, file: Path, variables: Mapping[str, str]) -> tuple[int, bool]:
        """Run it: its exit code, or ours where we are stopped; and whether the record has its end."""
        self._begin(file)
        with parts_folder.made_for(self.name) as parts, Stopping() as stopping:
            own = {
                "NEREUS_MONITOR_FILE": str(file),
                "NEREUS_MONITOR_PARTS": str(parts),
                "NEREUS_MONITOR_FORMAT": self.encoding.value,
                "NEREUS_MONITOR_RUN": self.name,
            }
            if self.trace is not None:
                own["NEREUS_MONITOR_TRACE"] = str(self.trace)
                self._tell_trace(parts, self.trace)
            self._complain_of_other_hosts()
            environment = self.sensor.environment(self.build, {**own, **variables})
            code = run_foreign(self.command, self.build, environment, stopping).code
            left = self._take_parts(parts, file)
        return code, self._end(file, code, left)

    def _begin(self, file: Path) -> None:
        try:
            begin(file, self.encoding, self.name, self.command)
        except OSError as problem:
            raise Refused(f"--output = {file}: cannot be written: {problem.strerror}") from None

    def _tell_trace(self, parts: Path, trace: Path) -> None:
        try:
            parts_folder.tell_trace(parts, trace)
        except OSError as problem:
            complain(
                f"{parts}: cannot be written: {problem.strerror}; jobs of this run cannot be asked to record"
            )

    def _complain_of_other_hosts(self) -> None:
        if forwards_itself(self.command):
            complain(
                "the command forwards variables with -x: other hosts are seen only if it also forwards ours"
            )

    def _take_parts(self, parts: Path, file: Path) -> int:
        """Add what processes left that did not come to MPI_Finalize; how many these are."""
        left = parts_folder.parts_in(parts)
        if left and not parts_folder.append(left, self.build, file, self.encoding is Encoding.CBOR):
            complain(f"{file}: not all that they had recorded could be added")
        return len(left)

    def _end(self, file: Path, code: int, left: int) -> bool:
        """Whether the record could be given its end."""
        try:
            is_empty = end(file, self.encoding, code)
        except OSError as problem:
            complain(f"--output = {file}: the record has no end: {problem.strerror}")
            return False
        if is_empty:
            complain(f"{NOBODY}: nothing is recorded")
        if left:
            complain(
                f"{left} processes ended before MPI_Finalize: what they had sent until then is in the record"
            )
        return True
