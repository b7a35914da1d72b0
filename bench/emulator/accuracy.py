# SPDX-License-Identifier: BSD-3-Clause
"""How closely emulated compute stages last what the run file asks for, before and after a resize.

Runs `pi` and `matrix` stages of 10 to 100 ms on 1 .. cores ranks and prints the median of each over
iterations and its deviation. To be run on an idle machine:

    at=build/mpich/tools/emulator
    python3 bench/emulator/accuracy.py --mpiexec .venv/bin/mpiexec $at/nereus-emulator
"""

import argparse
import os
import shlex
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

from run_files import Document, emulate, group, phase, run_file

TYPES = ("pi", "matrix")
SECONDS = (0.01, 0.03, 0.1)
TIMEOUT = 300
STAGE_SECONDS = 3.0  # that each stage runs in all
FORMAT = argparse.RawDescriptionHelpFormatter


@dataclass(frozen=True)
class Row:
    type: str
    asked: float
    ranks: int
    resizes: int
    measured: float

    @property
    def deviation(self) -> float:
        return self.measured / self.asked - 1


def iterations_of(seconds: float, least: int) -> int:
    """Enough that a disturbance of a second does not move the median."""
    return max(least, round(STAGE_SECONDS / seconds))


def accuracy_run(ranks: int, other: int, iterations: int) -> Document:
    """Every stage on `ranks` ranks, then every stage again on `other` ranks."""
    stages = [(kind, seconds) for kind in TYPES for seconds in SECONDS]
    phases = [phase(kind, iterations_of(seconds, iterations), seconds) for kind, seconds in stages]
    groups = [group(ranks, sum(each["iterations"] for each in phases)), group(other, 0)]
    return run_file("accuracy", "median", phases * 2, groups if other != ranks else groups[:1])


def measure(command: list[str], program: str, ranks: int, other: int, iterations: int) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="nereus-accuracy-") as folder:
        run = accuracy_run(ranks, other, iterations)
        return list(rows(emulate(command, program, run, folder, TIMEOUT)))


def rows(events: list[Document]) -> Iterator[Row]:
    phases = events[0]["run"]["phases"]
    sizes = {event["group"]: event["ranks"] for event in events if event["event"] == "generation_started"}
    times: dict[tuple[int, int], list[float]] = {}
    for event in events:
        if event["event"] == "iteration" and not event["background"]:
            times.setdefault((event["group"], event["phase"]), []).append(event["stage_seconds"][0])
    for (number, index), seconds in sorted(times.items()):
        stage = phases[index]["stages"][0]
        yield Row(stage["type"], stage["seconds"], sizes[number], number, statistics.median(seconds))


def show(found: list[Row]) -> None:
    print(f"{'type':8}{'asked ms':>10}{'ranks':>7}{'resizes':>9}{'median ms':>11}{'deviation':>11}")
    for row in found:
        times = f"{row.asked * 1e3:10.1f}{row.ranks:7}{row.resizes:9}{row.measured * 1e3:11.3f}"
        print(f"{row.type:8}{times}{row.deviation:+11.2%}")
    worst = max(found, key=lambda row: abs(row.deviation))
    print(f"greatest deviation: {worst.deviation:+.2%}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=FORMAT)
    parser.add_argument("program", help="the built nereus-emulator")
    parser.add_argument("--mpiexec", default="mpiexec", help="command that starts a job, with its options")
    parser.add_argument(
        "--iterations", type=int, default=40, help="least number for each stage (default %(default)s)"
    )
    arguments = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    found: list[Row] = []
    for ranks in range(1, cores + 1):
        other = ranks - 1 if ranks > 1 else min(2, cores)
        found += measure(
            shlex.split(arguments.mpiexec), arguments.program, ranks, other, arguments.iterations
        )
    show(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
