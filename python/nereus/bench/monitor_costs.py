# SPDX-License-Identifier: BSD-3-Clause
"""What a sensor of the monitor adds to single calls of MPI, measured beside the same calls without it."""

import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from nereus.launch import Build, Launch, LaunchError, Share
from nereus.launch.capacity import cores
from nereus.launch.open_mpi import OPEN_MPI_YIELD
from nereus.launch.preloading import COMPONENTS, LIBRARY, preloaded, with_components

CALLS = ("send", "alltoall", "put", "halo")
PMPI, INSIDE, OPEN_MPI = "pmpi", "components", "openmpi"
_SWITCH = "OMPI_MCA_pml_monitoring_enable"
_ROUNDS = 9  # runs with and without a sensor that cannot be gone past
_FEWER = 2  # batches in each of them are fewer by this: what differs is one run from the next
_SECONDS = 600


@dataclass(frozen=True)
class Row:
    """One call with one sensor: medians of batches, or of runs."""

    mpi: str
    sensor: str
    call: str
    bytes: int
    ranks: int
    off_nanoseconds: float
    on_nanoseconds: float
    added_nanoseconds: float  # median of the differences of neighbours in time
    overhead_percent: float
    repeats: int


def rows_of(build: Build, ranks: int, calls: Sequence[str], repeat: int) -> Iterator[Row]:
    """`calls` are options of nereus-calls; each call with each sensor that the build has."""
    yield from _of_wrappers(build, ranks, [*calls, "--repeat", str(repeat)])
    if build.kind == "openmpi":
        plan = [*calls, "--one-way", "--repeat", str(-(-repeat // _FEWER))]
        without = preloaded(None, {_SWITCH: "0"})
        yield from _of_runs(build, ranks, plan, OPEN_MPI, without, preloaded(None, {_SWITCH: "1"}))
        if (build.prefix / COMPONENTS).exists():
            with tempfile.TemporaryDirectory(prefix="nereus-bench-") as parts:
                on = with_components(build, _nowhere(parts))
                yield from _of_runs(build, ranks, plan, INSIDE, without, on)


def _nowhere(parts: str) -> dict[str, str]:
    """Where a record goes that nobody reads."""
    return {"NEREUS_MONITOR_FILE": "/dev/null", "NEREUS_MONITOR_PARTS": parts}


def _of_wrappers(build: Build, ranks: int, plan: Sequence[str]) -> Iterator[Row]:
    """Batches of one run go through the wrappers and past them in turns."""
    with tempfile.TemporaryDirectory(prefix="nereus-bench-") as parts:
        cells = _run(build, ranks, plan, preloaded(build.prefix / LIBRARY, _nowhere(parts)))
    for cell in cells:
        yield _row(build, PMPI, cell, cell["off_seconds"], cell["on_seconds"])


def _of_runs(
    build: Build,
    ranks: int,
    plan: Sequence[str],
    sensor: str,
    without: dict[str, str],
    with_it: dict[str, str],
) -> Iterator[Row]:
    """Runs with a sensor that cannot be gone past and without it, in turns; both are environments."""
    off: dict[tuple[str, int], list[float]] = {}
    on: dict[tuple[str, int], list[float]] = {}
    cells: dict[tuple[str, int], dict[str, Any]] = {}
    for number in range(_ROUNDS):
        turns = ((without, off), (with_it, on))
        for environment, into in turns if number % 2 == 0 else reversed(turns):
            for cell in _run(build, ranks, plan, environment):
                key = (cell["call"], cell["bytes"])
                cells[key] = cell
                into.setdefault(key, []).append(median(cell["on_seconds"]))
    for key, cell in cells.items():
        yield _row(build, sensor, cell, off[key], on[key])


def _row(build: Build, sensor: str, cell: dict[str, Any], off: list[float], on: list[float]) -> Row:
    without, with_it = median(off), median(on)
    return Row(
        mpi=build.name,
        sensor=sensor,
        call=cell["call"],
        bytes=cell["bytes"],
        ranks=cell["ranks"],
        off_nanoseconds=round(1e9 * without, 1),
        on_nanoseconds=round(1e9 * with_it, 1),
        added_nanoseconds=round(1e9 * median(b - a for a, b in zip(off, on, strict=True)), 1),
        overhead_percent=round(100 * median(b / a - 1 for a, b in zip(off, on, strict=True)), 2),
        repeats=len(on),
    )


def _run(build: Build, ranks: int, plan: Sequence[str], environment: dict[str, str]) -> list[dict[str, Any]]:
    launch = Launch(build, build.program("nereus-calls"), tuple(plan), recorded=True)
    started = launch.command([Share("", ranks)])
    # Where each process has a core it waits on it: a put of Open MPI that yields takes twenty times as long.
    no_more = {"LD_PRELOAD", *([OPEN_MPI_YIELD] if ranks <= cores() else [])}
    own = {key: value for key, value in started.environment.items() if key not in no_more}
    try:
        done = subprocess.run(
            started.arguments,
            env={**own, **environment},
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=True,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as problem:
        raise LaunchError(f"nereus-calls on {ranks} processes with {build.name}: {problem}") from None
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
