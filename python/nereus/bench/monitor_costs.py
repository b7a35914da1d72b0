# SPDX-License-Identifier: BSD-3-Clause
"""What a sensor of the monitor adds to single calls of MPI, measured beside the same calls without it."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from nereus.bench.networks import SHM, Network
from nereus.bench.paired import Paired
from nereus.bench.unread_record import unread_record
from nereus.launch import Build, Launch, LaunchError
from nereus.launch.capacity import cores
from nereus.launch.open_mpi import OPEN_MPI_YIELD
from nereus.launch.preloading import COMPONENTS, not_forwarded, preloaded
from nereus.launch.sensors import Sensor

CALLS = ("send", "alltoall", "put", "halo")
PMPI, INSIDE, OPEN_MPI = "pmpi", "components", "openmpi"
_SWITCH = "OMPI_MCA_pml_monitoring_enable"
_ROUNDS = 9  # runs with and without a sensor that cannot be gone past
_FEWER = 2  # batches in each of them are fewer by this: what differs is one run from the next
_SECONDS = 600
# Over TCP, Open MPI has windows only by messages (pt2pt), which it does not take as long as others are there.
_WINDOWS_OVER_TCP = {"openmpi": {"OMPI_MCA_osc": "^ucx,rdma"}}


@dataclass(frozen=True)
class Row:
    """One call with one sensor: medians of batches, or of runs."""

    mpi: str
    sensor: str
    network: str
    call: str
    bytes: int
    ranks: int
    off_nanoseconds: float
    on_nanoseconds: float
    added_nanoseconds: float  # median of the differences of neighbours in time
    overhead_percent: float
    p_value: float | None  # of Student's t-test for pairs
    communication_percent: float | None  # of the time of a step without a sensor; of halo alone
    repeats: int

    def document(self) -> dict[str, Any]:
        """As --json shows it."""
        return asdict(self)


@dataclass(frozen=True)
class CallBench:
    """`calls` are options of nereus-calls; after `stopped` nothing new is started."""

    build: Build
    over: Network
    ranks: int
    calls: Sequence[str]
    repeat: int
    stopped: Callable[[], bool]

    def rows(self) -> Iterator[Row]:
        """Each call with each sensor that the build has."""
        yield from self._of_wrappers()
        if self.build.kind == "openmpi" and not self.stopped():
            without = _variables(preloaded(None, {_SWITCH: "0"}, {}))
            yield from self._of_runs(OPEN_MPI, without, _variables(preloaded(None, {_SWITCH: "1"}, {})))
            if (self.build.prefix / COMPONENTS).exists() and not self.stopped():
                with unread_record() as record:
                    on = _variables(Sensor.COMPONENTS.environment(self.build, record, {}))
                    yield from self._of_runs(INSIDE, without, on)

    def _of_wrappers(self) -> Iterator[Row]:
        """Batches of one run go through the wrappers and past them in turns."""
        plan = [*self.calls, "--repeat", str(self.repeat)]
        others = {"LD_PRELOAD": os.environ.get("LD_PRELOAD", "")}
        with unread_record() as record:
            cells = self._run(plan, _variables(Sensor.WRAPPERS.environment(self.build, record, others)))
        for cell in cells:
            yield self._row(PMPI, cell, cell["off_seconds"], cell["on_seconds"])

    def _of_runs(self, sensor: str, without: Mapping[str, str], with_it: Mapping[str, str]) -> Iterator[Row]:
        """Runs with a sensor that cannot be gone past and without it, in turns."""
        plan = [*self.calls, "--one-way", "--repeat", str(-(-self.repeat // _FEWER))]
        off: dict[tuple[str, int], list[float]] = {}
        on: dict[tuple[str, int], list[float]] = {}
        cells: dict[tuple[str, int], dict[str, Any]] = {}
        for number in range(_ROUNDS):
            if self.stopped():
                break
            turns = ((without, off), (with_it, on))
            for variables, into in turns if number % 2 == 0 else reversed(turns):
                for cell in self._run(plan, variables):
                    key = (cell["call"], cell["bytes"])
                    cells[key] = cell
                    into.setdefault(key, []).append(median(cell["on_seconds"]))
        for key, cell in cells.items():
            yield self._row(sensor, cell, off[key], on[key])

    def _row(self, sensor: str, cell: dict[str, Any], off: list[float], on: list[float]) -> Row:
        times = Paired(off, on)
        share = cell.get("communication_share")
        return Row(
            mpi=self.build.name,
            sensor=sensor,
            network=self.over.name,
            call=cell["call"],
            bytes=cell["bytes"],
            ranks=cell["ranks"],
            off_nanoseconds=round(1e9 * median(off), 1),
            on_nanoseconds=round(1e9 * median(on), 1),
            added_nanoseconds=round(1e9 * times.added, 1),
            overhead_percent=round(times.overhead_percent, 2),
            p_value=times.p_value,
            communication_percent=None if share is None else round(100 * share, 1),
            repeats=len(on),
        )

    def _run(self, plan: Sequence[str], variables: Mapping[str, str]) -> list[dict[str, Any]]:
        # Where each process has a core it waits on it: puts of Open MPI that yield take twenty times as long.
        waits = {OPEN_MPI_YIELD: "0"} if self.ranks <= cores() else {}
        others = {"LD_PRELOAD": os.environ.get("LD_PRELOAD", "")}
        between = self.over.environment.get(self.build.kind, {})
        windows = {} if self.over.name == SHM else _WINDOWS_OVER_TCP.get(self.build.kind, {})
        environment = {**others, **waits, **between, **windows, **variables}
        program = self.build.program("nereus-calls")
        launch = Launch(self.build, program, tuple(plan), environment=environment, recorded=True)
        started = self.over.command(launch, self.ranks)
        try:
            done = subprocess.run(
                started.arguments,
                env={**os.environ, **started.environment},
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=True,
            )
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as problem:
            raise LaunchError(
                f"nereus-calls on {self.ranks} processes with {self.build.name}: {problem}"
            ) from None
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def _variables(environment: Mapping[str, str]) -> dict[str, str]:
    """The launch itself forwards what it is given."""
    return not_forwarded(environment)
