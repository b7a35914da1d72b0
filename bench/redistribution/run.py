# SPDX-License-Identifier: BSD-3-Clause
"""How long a matrix takes to get other blocks over other processes, beside COSTA and ScaLAPACK.

    python bench/redistribution/run.py --costa SOURCES [--scalapack LIBRARY] [--mpi NAME] [--sides N]...
           [--blocks B,B]... [--processes P,P]... [--rounds N] [--transpose] [--build FOLDER] [--json]

Builds COSTA from its sources with the MPI of an installed build, and a program that does the same by each
library in turn and compares what comes out. Figures are medians of ratios of the same round, with quartiles:
seconds of nereus_redistribute() over those of COSTA and of ScaLAPACK's pdgemr2d, and the seconds of a bare
memcpy of as many bytes over its own. With --transpose it is nereus_transpose(), and ScaLAPACK's pdtran where
blocks and processes stay what they are.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from nereus.launch import Build, choose

LIMIT = 600.0
BLOCKS, PROCESSES = ("36,128", "32,64", "64,64"), ("2,4", "4,2", "1,4", "4,1", "3,4", "4,3", "2,2", "4,4")
PEERS = {"over_costa": "costa", "over_scalapack": "scalapack"}


def pair(text: str) -> tuple[int, int]:
    one, other = (int(word) for word in text.split(","))
    return one, other


def options() -> argparse.Namespace:
    known = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known.add_argument("--costa", type=Path, required=True, help="sources of COSTA")
    known.add_argument("--scalapack", type=Path, help="library of ScaLAPACK for this MPI")
    known.add_argument("--mpi", default="mpich", help="installed build")
    known.add_argument("--sides", type=int, action="append", help="of the matrix (4096, 8192)")
    known.add_argument("--blocks", type=pair, action="append", help=f"before and after ({' '.join(BLOCKS)})")
    known.add_argument("--processes", type=pair, action="append", help=f"likewise ({' '.join(PROCESSES)})")
    known.add_argument("--rounds", type=int, default=9, help="of each case (9)")
    known.add_argument("--transpose", action="store_true", help="the matrix meanwhile")
    known.add_argument("--build", type=Path, help="where it is built, and found again (a temporary folder)")
    known.add_argument("--json", action="store_true", help="a document in place of the table")
    return known.parse_args()


def built(asked: argparse.Namespace, build: Build, folder: Path) -> Path:
    """The program."""
    compilers = {name: build.mpiexec.with_name(name) for name in ("mpicc", "mpicxx")}
    configure = [
        *("cmake", "-S", str(Path(__file__).parent), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release"),
        *(f"-DCOSTA_SOURCES={asked.costa.resolve()}", f"-Dnereus_ROOT={build.prefix}"),
        *(f"-DMPI_C_COMPILER={compilers['mpicc']}", f"-DMPI_CXX_COMPILER={compilers['mpicxx']}"),
        *([f"-DSCALAPACK={asked.scalapack.resolve()}"] if asked.scalapack else []),
    ]
    for command in (configure, ["cmake", "--build", str(folder), "--target", "beside", "--parallel"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return folder / "beside"


def rounds_of(
    program: Path, build: Build, asked: argparse.Namespace, case: list[int], ranks: int
) -> list[dict[str, float]]:
    command = [str(build.mpiexec), "-n", str(ranks), str(program), *map(str, case), str(asked.rounds)]
    command += ["transpose"] * asked.transpose
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    if build.kind != "mpich":
        environment |= {
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr[-4000:]}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def quartiles(values: list[float]) -> list[float]:
    """The median between its quartiles."""
    return [round(each, 3) for each in statistics.quantiles(values, n=4)]


def row_of(case: str, processes: tuple[int, int], rounds: list[dict[str, float]]) -> dict[str, object]:
    row: dict[str, object] = {"case": case, "from": processes[0], "to": processes[1], "memory": "private"}
    for name, peer in PEERS.items():
        if peer in rounds[0]:
            row[name] = quartiles([each["nereus"] / each[peer] for each in rounds])
    row["of_memcpy"] = quartiles([each["memcpy"] / each["nereus"] for each in rounds])
    return row


def text_of(row: dict[str, object]) -> str:
    names = [*PEERS, "of_memcpy"]
    figures = {name: row[name] for name in names if name in row}
    words = [
        f"{name} {each[1]:6.2f} ({each[0]:.2f} .. {each[2]:.2f})"
        for name, each in figures.items()
        if isinstance(each, list)
    ]
    return f"{row['case']:>27} {row['from']:>2} to {row['to']:<2} {'  '.join(words)}"


def main() -> None:
    asked = options()
    build = choose(asked.mpi)
    rows = []
    with tempfile.TemporaryDirectory(prefix="nereus-redistribution-") as temporary:
        program = built(asked, build, asked.build or Path(temporary))
        for side in asked.sides or [4096, 8192]:
            for blocks in asked.blocks or [pair(each) for each in BLOCKS]:
                for processes in asked.processes or [pair(each) for each in PROCESSES]:
                    case = [side, side, *blocks, *processes]
                    rounds = rounds_of(program, build, asked, case, max(processes))
                    name = f"{side}² {blocks[0]}→{blocks[1]}" + " transposed" * asked.transpose
                    rows.append(row_of(name, processes, rounds))
                    if not asked.json:
                        print(text_of(rows[-1]), flush=True)
    if asked.json:
        print(json.dumps({"mpi": build.library_version, "rounds": asked.rounds, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
