# SPDX-License-Identifier: BSD-3-Clause
"""The applications compute the same on any number of processes, whatever resizes come in between."""

import json
import random
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nereus.launch import Build, choose, command

RUNNER = Path(__file__).parents[1] / "mpi" / "run_mpi_test.py"
SIZES = (1, 2, 3, 4, 5, 7)
LIMIT = 60  # seconds of a run; Open MPI's known hangs are repeated
REPEATS = 3
CG = "nereus-cg"
JACOBI = "nereus-jacobi"
HALO = "nereus-halo"
SYSTEMS = {
    "poisson": (CG, "--poisson", "12"),
    "poisson of 7 points": (CG, "--poisson", "12", "--points", "7"),
    "irregular": (CG, "--irregular", "1500"),
    "fewer rows than processes": (CG, "--irregular", "2"),
    "dense": (JACOBI, "--size", "120", "--check"),
    "dense, with fewer rows than processes": (JACOBI, "--size", "2", "--check"),
    "plate": (HALO, "--rows", "40", "--columns", "30", "--fields", "2"),
    "ring, with fewer rows than processes": (HALO, "--rows", "2", "--columns", "30", "--ring"),
}
MATRIX = """%%MatrixMarket matrix coordinate real symmetric
5 5 6
1 1 4
2 2 4
3 3 4
5 5 4
2 1 -1
4 4 2.5
"""
Results = dict[tuple[str, ...], dict[str, Any]]
HEADER = struct.Struct("<8sqqqq")


def launch(site: Any, build: Build, ranks: int, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """A run that resizes nothing, in the site's folder."""
    program, *options = arguments
    start = command(build, ranks, build.program(program), options)
    return subprocess.run(
        start.arguments,
        cwd=site.folder,
        env=site.environment | start.environment,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )


def result(site: Any, mpi: str, ranks: int, *arguments: str) -> dict[str, Any]:
    """The line of results of a run that must succeed and leave nothing."""
    build = choose(mpi)
    program, *options = arguments
    runner = [
        sys.executable,
        str(RUNNER),
        "--mpiexec",
        str(build.mpiexec),
        "--kind",
        build.kind,
        "-n",
        str(ranks),
    ]
    limits = ["--timeout", str(LIMIT), "--repeat-on-hang", str(REPEATS)]
    environment = site.environment | command(build, ranks, build.program(program)).environment
    # Processes that come while the program iterates, as those that are woken, come too late for so few.
    environment |= {"NEREUS_PROCESS_STRATEGIES": "none", "NEREUS_WAKE": "off"}
    run = subprocess.run(
        [*runner, *limits, "--", str(build.program(program)), *options, "--result", "line.json"],
        cwd=site.folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT * (REPEATS + 2),
    )
    assert run.returncode == 0, run.stdout + run.stderr
    line = json.loads((site.folder / "line.json").read_text())
    assert isinstance(line, dict)
    return line


@pytest.fixture(scope="module")
def alone() -> Results:
    """Results of runs on one process, by their options: each is made once."""
    return {}


def chain_of(first: int, seed: str) -> list[int]:
    """Every size, in an order that the seed decides; no size follows itself."""
    others = [size for size in SIZES if size != first]
    random.Random(seed).shuffle(others)
    return others


def resizes(chain: list[int], step: int = 3) -> list[str]:
    return [word for at, ranks in enumerate(chain, 1) for word in ("--resize", f"{at * step}:{ranks}")]


def some(value: int | str, is_sample: bool) -> Any:
    """A parameter that `make test` leaves out unless it is a sample."""
    return value if is_sample else pytest.param(value, marks=pytest.mark.whole)


def same_work(line: dict[str, Any]) -> dict[str, Any]:
    """What must not depend on processes."""
    return {key: line[key] for key in line.keys() - {"ranks", "resizes", "seconds"}}


@pytest.mark.parametrize("first", [some(first, first == 4) for first in SIZES])
@pytest.mark.parametrize("system", [some(system, "7" not in system) for system in SYSTEMS])
def test_resized_run_is_bitwise_equal_to_a_fixed_one(
    site: Any, mpi: str, alone: Results, system: str, first: int
) -> None:
    if mpi == "openmpi" and first != 4:
        pytest.skip("Open MPI takes a second for a resize: one chain of six sizes suffices")
    chain = chain_of(first, system)
    options = (*SYSTEMS[system], "--tolerance", "0", "--iterations", "20")
    if "fewer" in system:  # so small a system is solved at once: the work ends before the chain
        chain = chain[:1]
        options = (*SYSTEMS[system], "--tolerance", "0", "--iterations", "9")
    if options not in alone:
        alone[options] = result(site, "mpich", 1, *options)
    resized = result(site, mpi, first, *options, *resizes(chain, 1 if "fewer" in system else 3))
    assert same_work(resized) == same_work(alone[options])
    if options[0] != CG or "fewer" not in system:
        assert (resized["resizes"], resized["ranks"]) == (len(chain), chain[-1])


@pytest.mark.parametrize(
    "way", ["baseline-inter.col", some("baseline-intra.p2p", False), some("merge.col", False)]
)
def test_results_are_the_same_with_every_method(site: Any, mpich: str, way: str) -> None:
    process, transfer = way.split(".")
    for system in ("irregular", "dense"):
        alone = result(site, mpich, 1, *SYSTEMS[system])
        settings = (f"--nereus-process-method={process}", f"--nereus-transfer-method={transfer}")
        resized = result(site, mpich, 2, *SYSTEMS[system], *resizes([4, 1, 3]), *settings)
        assert same_work(resized) == same_work(alone)
        assert resized["resizes"] == 3


def test_conjugate_gradient_finds_the_solution(site: Any, mpi: str) -> None:
    line = result(site, mpi, 3, *SYSTEMS["irregular"], "--tolerance", "1e-10")
    assert line["converged"]
    assert line["true_residual"] <= 1.01e-10
    assert line["error"] < 1e-7


def test_jacobi_file_holds_the_solution_whatever_the_resizes(site: Any, mpi: str) -> None:
    options = (*SYSTEMS["dense"], "--write", "x.bin", "--write-every", "4", "--tolerance", "1e-13")
    (site.folder / "x.bin").write_bytes(b"from a run before" * 1000)
    line = result(site, mpi, 2, *options, *resizes([5, 1, 3]))
    assert line["writes"] == line["iterations"] // 4 + (line["iterations"] % 4 > 0)
    stored = struct.unpack("<120d", (site.folder / "x.bin").read_bytes())
    assert max(abs(each - 1 - row % 7) for row, each in enumerate(stored)) < 1e-10


@pytest.mark.parametrize("piece", ["64", "100000"])
def test_each_copy_in_the_jacobi_file_is_the_solution(site: Any, mpi: str, piece: str) -> None:
    file = ("--write", "x.bin", "--write-every", "4", "--copies", "3", "--piece", piece)
    options = (*SYSTEMS["dense"], *file, "--tolerance", "0", "--iterations", "60")
    result(site, mpi, 2, *options, *resizes([5, 1, 3]))
    stored = struct.unpack("<360d", (site.folder / "x.bin").read_bytes())
    assert stored[:120] == stored[120:240] == stored[240:]
    assert max(abs(each - 1 - row % 7) for row, each in enumerate(stored[:120])) < 1e-2


def test_matrix_info_matches_the_file(site: Any, mpich: str) -> None:
    site.write("small.mtx", MATRIX)
    assert site.nereus("matrix", "convert", "small.mtx", "small.nm").code == 0
    told = site.nereus("matrix", "info", "small.nm", "--json").document
    assert (told["rows"], told["nonzeros"], told["symmetric"]) == (5, 7, True)
    assert told["unbalance"]["2"] == pytest.approx(5 / 7 * 2)


@pytest.mark.parametrize("ranks", [some(1, False), 4, some(7, False)])
def test_matrix_from_a_file_is_solved_on_any_number_of_processes(site: Any, mpi: str, ranks: int) -> None:
    site.write("small.mtx", MATRIX)
    assert site.nereus("matrix", "convert", "small.mtx", "small.nm").code == 0
    line = result(site, mpi, ranks, CG, "--matrix", "small.nm", "--resize", "1:2")
    assert line["rows"] == 5
    assert line["error"] < 1e-7


def whole(**changed: int) -> bytes:
    """A file of a matrix with ones on the diagonal of 3 rows, or what is wrong with it."""
    fields = {"version": 1, "rows": 3, "columns": 3, "nonzeros": 3, "start": 1, "column": 1} | changed
    header = HEADER.pack(b"NEREUS-M", *(fields[name] for name in ("version", "rows", "columns", "nonzeros")))
    starts = struct.pack("<4q", 0, fields["start"], 2, 3)
    return header + starts + struct.pack("<3q", 0, fields["column"], 2) + struct.pack("<3d", 1, 1, 1)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "too few for a header"),
        (b"%%MatrixMarket matrix coordinate real symmetric\n", "is no matrix of"),
        (whole(version=2), "version 2: allowed is 1"),
        (whole(columns=4), "must be square"),
        (whole(rows=-1, columns=-1), "-1 rows: allowed is 0 .."),
        (whole(nonzeros=-5), "-5 nonzeros: allowed is 0 .."),
        (whole()[:-1], "has 119 bytes, but its header states 120"),
        (whole() + b"0", "has 121 bytes, but its header states 120"),
        (whole(start=3), "row 1 begins at nonzero 3 and ends at 2: starts must not fall"),
        (whole(start=-1), "starts must not fall"),
        (whole(column=3), "nonzero 1 is in column 3: allowed is 0 .. 2"),
        (whole(column=-1), "nonzero 1 is in column -1: allowed is 0 .. 2"),
        (whole()[:-8] + struct.pack("<d", float("nan")), "nonzero 2 is no finite number"),
    ],
)
def test_broken_matrix_is_refused_in_one_line(site: Any, mpich: str, content: bytes, expected: str) -> None:
    (site.folder / "bad.nm").write_bytes(content)
    run = launch(site, choose(mpich), 2, CG, "--matrix", "bad.nm")
    complaints = [line for line in run.stderr.splitlines() if line.startswith("nereus")]
    assert run.returncode == 2, run.stderr
    assert len(complaints) == 1, run.stderr
    assert complaints[0].startswith("nereus-cg: bad.nm: ")
    assert expected in complaints[0]
    assert run.stdout == ""


@pytest.mark.parametrize("ranks", [1, 3])
def test_matrices_without_rows_or_nonzeros_are_solved(site: Any, mpich: str, ranks: int) -> None:
    empty = HEADER.pack(b"NEREUS-M", 1, 0, 0, 0) + struct.pack("<q", 0)
    zero = HEADER.pack(b"NEREUS-M", 1, 3, 3, 0) + struct.pack("<4q", 0, 0, 0, 0)
    for content in (empty, zero):
        (site.folder / "none.nm").write_bytes(content)
        line = result(site, mpich, ranks, CG, "--matrix", "none.nm")
        assert (line["iterations"], line["true_residual"], line["converged"]) == (0, 0.0, True)


def test_indefinite_matrix_ends_the_run(site: Any, mpich: str) -> None:
    (site.folder / "minus.nm").write_bytes(whole()[:-24] + struct.pack("<3d", -1, 1, -1))
    run = launch(site, choose(mpich), 2, CG, "--matrix", "minus.nm")
    assert run.returncode == 1
    assert "iteration 1: p.Ap = -1.000000: the matrix is not positive definite" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((CG,), "is required"),
        ((CG, "--poisson", "4", "--irregular", "4"), "is required and 2 were given"),
        ((CG, "--poisson", "0"), "0 not in range"),
        ((CG, "--poisson", "1291"), "1291 not in range"),
        ((CG, "--irregular", "10", "--points", "7"), "requires"),
        ((CG, "--poisson", "4", "--resize", "5"), "5: allowed is AT:RANKS"),
        ((CG, "--poisson", "4", "--resize", "0:2"), "0:2: allowed is AT:RANKS"),
        ((CG, "--poisson", "4", "--resize", "2:0"), "2:0: allowed is AT:RANKS"),
        ((CG, "--poisson", "4", "--resize", "2:70000"), "2:70000: allowed is AT:RANKS"),
        ((CG, "--poisson", "4", "--tolerance", "-1"), "-1"),
        ((CG, "--poisson", "4", "--nereus-memory=none"), "memory"),
        ((CG, "--poisson", "4", "--result", "no/folder"), "no/folder: cannot be written"),
        ((CG, "--matrix", "nothing.nm"), "nothing.nm: No such file"),
        ((JACOBI,), "--size is required"),
        ((JACOBI, "--size", "4", "--write-every", "3"), "requires"),
        ((JACOBI, "--size", "4", "--copies", "3"), "requires"),
        ((JACOBI, "--size", "4", "--write", "x.bin", "--copies", "0"), "0 not in range"),
        ((JACOBI, "--size", "4", "--write", "no/folder"), "no/folder: cannot be made"),
        ((JACOBI, "--size", "4", "word"), "word: there is no such option"),
    ],
)
def test_bad_input_gives_one_line_and_starts_nothing(
    site: Any, mpich: str, arguments: tuple[str, ...], expected: str
) -> None:
    run = launch(site, choose(mpich), 2, *arguments)
    complaints = [line for line in run.stderr.splitlines() if line.startswith("nereus")]
    assert run.returncode == 2, run.stderr
    assert len(complaints) == 1, run.stderr
    assert expected in complaints[0]
    assert list(site.folder.iterdir()) == []


def test_unreached_resize_is_reported(site: Any, mpich: str) -> None:
    run = launch(site, choose(mpich), 1, CG, "--poisson", "3", "--iterations", "2", "--resize", "9:2")
    assert run.returncode == 0
    assert "nereus-cg: --resize 9:2 was not reached: the run ended after 2 iterations" in run.stderr
