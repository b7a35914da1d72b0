# SPDX-License-Identifier: BSD-3-Clause
"""Calls of MPI_Allgatherv alone, and their emulation, in turns.

Martín-Álvarez et al. 2024, section 5.3: Table 1 has the seconds of the calls, Table 2 those of the emulation
over them. To be run on an idle machine:

    at=build/mpich/tools/emulator
    python3 bench/emulator/allgather.py --mpiexec .venv/bin/mpiexec \
        build/mpich/bench/allgather_bench $at/nereus-emulator
"""

import argparse
import json
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field

from run_files import Document, emulate, group, phase, run_file

#: Bytes of all ranks together, and how many calls.
SIZES = {100_000: 1000, 10_000_000: 1000, 1_000_000_000: 20}
TIMEOUT = 600


@dataclass
class Cell:
    bytes: int
    calls: int
    ranks: int
    real: list[float] = field(default_factory=list)
    emulated: list[float] = field(default_factory=list)

    @property
    def quotients(self) -> list[float]:
        return [there / here for here, there in zip(self.real, self.emulated, strict=True)]

    def document(self) -> Document:
        about = {"bytes": self.bytes, "calls": self.calls, "ranks": self.ranks}
        return {**about, "real_seconds": self.real, "emulated_seconds": self.emulated}


def allgather_run(cell: Cell) -> Document:
    """A tenth of the calls, which is not timed, then all; of each call the mean of the ranks.

    The slowest rank of each call would add up to more than the slowest rank takes for all.
    """
    counts = (max(1, cell.calls // 10), cell.calls)
    phases = [phase("allgather", count, bytes_of_all=cell.bytes) for count in counts]
    return run_file("allgather", "mean", phases, [group(cell.ranks, 0)])


def real_seconds(start: Sequence[str], program: str, cell: Cell) -> float:
    line = [*start, "-n", str(cell.ranks), program, str(cell.bytes), str(cell.calls)]
    done = subprocess.run(line, check=True, timeout=TIMEOUT, capture_output=True, text=True)
    return float(json.loads(done.stdout)["seconds"])


def emulated_seconds(start: Sequence[str], program: str, cell: Cell) -> float:
    with tempfile.TemporaryDirectory(prefix="nereus-allgather-") as folder:
        events = emulate(start, program, allgather_run(cell), folder, TIMEOUT)
    times = [e["stage_seconds"][0] for e in events if e["event"] == "iteration" and e["phase"] == 1]
    if len(times) != cell.calls:
        raise SystemExit(f"{len(times)} of {cell.calls} calls were emulated")
    return float(sum(times))


def show(cells: Sequence[Cell]) -> None:
    print(f"{'bytes':>11}{'calls':>7}{'ranks':>7}{'real s':>12}{'std':>10}{'emulated %':>12}{'std':>8}")
    for cell in cells:
        real = f"{statistics.fmean(cell.real):12.4g}{statistics.stdev(cell.real):10.2g}"
        quotients = (
            f"{100 * statistics.fmean(cell.quotients):12.2f}{100 * statistics.stdev(cell.quotients):8.2f}"
        )
        print(f"{cell.bytes:11}{cell.calls:7}{cell.ranks:7}{real}{quotients}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program", help="the built allgather_bench")
    parser.add_argument("emulator", help="the built nereus-emulator")
    parser.add_argument("--mpiexec", default="mpiexec", help="command that starts a job, with its options")
    parser.add_argument("--ranks", default="2,4", help="numbers of ranks (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=10, help="from 2 (default %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one document with all times")
    arguments = parser.parse_args()
    if arguments.rounds < 2:
        parser.error("--rounds: at least 2, since deviations are printed")
    start = shlex.split(arguments.mpiexec)
    numbers = [int(word) for word in arguments.ranks.split(",")]
    cells = [Cell(size, calls, ranks) for size, calls in SIZES.items() for ranks in numbers]
    for _ in range(arguments.rounds):
        for cell in cells:
            cell.real.append(real_seconds(start, arguments.program, cell))
            cell.emulated.append(emulated_seconds(start, arguments.emulator, cell))
    if arguments.json:
        print(json.dumps({"rows": [cell.document() for cell in cells]}))
    else:
        show(cells)
    return 0


if __name__ == "__main__":
    sys.exit(main())
