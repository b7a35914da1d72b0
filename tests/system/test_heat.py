# SPDX-License-Identifier: BSD-3-Clause
"""Programs in Python as jobs: what they compute, their views of arrays, and their errors."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nereus.launch import choose
from nereus.probe import probe

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None, reason="mpi4py is not installed: make build does so"
)

HEAT = Path(__file__).resolve().parents[2] / "examples" / "heat" / "heat.py"
APPLICATION = Path(__file__).with_name("heat_application.py")
SWAPS = Path(__file__).with_name("swap_application.py")
# heat.f90 prints the same: examples/heat/CMakeLists.txt.
CHECKSUM = "eadb903bbdef7dee"
LIMIT = 60.0
TRIALS = {"mpich": 1, "openmpi": 3}  # MPI_Comm_spawn of Open MPI 4.1.4 sometimes hangs: conftest.py
# Open MPI 4 warns now and then of a connection that came before it knew the process.
_EARLY_CONNECTION = re.compile(
    r"(?:\[[^\n]*ORTE_ERROR_LOG: Out of resource in file [^\n]*show_help\.c[^\n]*\n)?"
    r"-{20,}\nWARNING: Open MPI accepted a TCP connection from what appears to be a\n.*?\n-{20,}\n",
    re.DOTALL,
)
WITHOUT_SUPERVISOR = {"NEREUS_PROCESS_STRATEGIES": "none"}


def run(site: Any, mpi: str, ranks: int, program: Path, *arguments: str, **environment: str) -> Any:
    """A Python program under a supervisor, to its end."""
    obstacle = probe(choose(mpi)).obstacle
    if obstacle is not None:
        pytest.skip(f"{mpi} cannot resize jobs: {obstacle}")
    words = ("run", "--mpi", mpi, "-n", str(ranks), "--quiet", "--", sys.executable, program, *arguments)
    for trial in range(1, TRIALS[mpi] + 1):
        try:
            result = site.nereus(*words, limit=LIMIT, **environment)
        except subprocess.TimeoutExpired:
            print(f"trial {trial} exceeded {LIMIT:g} s")
        else:
            assert result.code == 0, result.err
            return result
    return pytest.fail(f"{TRIALS[mpi]} runs with {mpi} exceeded {LIMIT:g} s")


@pytest.mark.parametrize(
    "sizes", [(), (3, 1), (4, 2, 1, 3)], ids=lambda sizes: "-".join(map(str, sizes)) or "fixed"
)
def test_resized_run_is_bitwise_equal_to_a_fixed_one(site: Any, mpi: str, sizes: tuple[int, ...]) -> None:
    result = run(site, mpi, 2, HEAT, *map(str, sizes))
    assert result.out == f"checksum {CHECKSUM} after {len(sizes)} resizes\n"
    assert (_EARLY_CONNECTION.sub("", result.err) if mpi == "openmpi" else result.err) == ""


@pytest.mark.parametrize(
    ("method", "memory"),
    [
        ("merge", "shared"),
        ("baseline-inter", "private"),
        pytest.param("merge", "private", marks=pytest.mark.whole),
        pytest.param("baseline-inter", "shared", marks=pytest.mark.whole),
    ],
)
def test_views_follow_resizes_and_old_ones_keep_their_memory(
    site: Any, sampled_mpi: str, method: str, memory: str
) -> None:
    ways = {"NEREUS_PROCESS_METHOD": method, "NEREUS_MEMORY": memory, "NEREUS_VERIFY": "on"}
    found = run(site, sampled_mpi, 2, APPLICATION, "3", "1", **ways, **WITHOUT_SUPERVISOR).said
    assert (found["good"], found["resizes"]) == (True, 2)
    assert found["last"] == ["RESIZED", 3, 1, "P2P", ""]


@pytest.mark.parametrize("strategies", ["none", "asynchronous"])
def test_swapped_arrays_keep_their_names_after_resizes(site: Any, sampled_mpi: str, strategies: str) -> None:
    ways = {"NEREUS_VERIFY": "on", "NEREUS_PROCESS_STRATEGIES": strategies}
    found = run(site, sampled_mpi, 2, SWAPS, "4", "1", "3", **ways).said
    assert (found["good"], found["resizes"]) == (True, 3)
    of_types, of_shapes = found["refused"]
    assert "'now' of float64 and 'whole' of int64 cannot be swapped" in of_types
    assert "'pairs' of (2,) and 'halves' of (2, 1) cannot be swapped" in of_shapes


def test_newcomers_of_the_supervisor_find_their_packages(site: Any, mpi: str) -> None:
    found = run(site, mpi, 1, APPLICATION, "3", "2").said
    assert (found["good"], found["resizes"]) == (True, 2)


def test_impossible_call_raises_an_exception_with_its_code(site: Any, mpich: str) -> None:
    found = run(site, mpich, 2, APPLICATION).said
    assert found["errors"] == {
        "taken": "Failure ERR_NAME",
        "weights": "ValueError",
        "no weights": "Failure ERR_ARGUMENT",
        "objects": "ValueError",
        "resize": ["Failure ERR_RANGE", "Failure ERR_ROOT"],
        "option": "TypeError",
    }
    assert found["io_phases"] == ["OK", "Failure ERR_STATE", "Failure ERR_STATE", "Failure ERR_ARGUMENT"]


def test_mpi_without_build_is_reported(site: Any, mpich: str, tmp_path: Path) -> None:
    code = "import nereus\ntry: nereus.Job()\nexcept nereus.Failure as why: print(why.code.name, why)"
    environment = site.environment | {"NEREUS_BUILDS": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=True,
    )
    assert done.stdout.startswith(f"ERR_UNSUPPORTED {tmp_path}: no build of Nereus is for the MPI of mpi4py")


def test_commands_do_not_import_mpi4py(site: Any) -> None:
    code = "import nereus.cli.main, sys; print({'mpi4py', 'numpy', 'nereus.binding'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=site.environment,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=True,
    )
    assert done.stdout == "set()\n"
