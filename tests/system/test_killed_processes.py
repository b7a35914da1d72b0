# SPDX-License-Identifier: BSD-3-Clause
"""Runs that do not come to their end: whatever ends them, results stay readable and nothing else is left.

That nothing is left is looked at after every test, in conftest.py.
"""

import os
import re
import signal
import subprocess
from typing import Any

import pytest

from nereus.analysis.report import read

# Long enough that no machine finishes it, without calibration; a file stage, whose files must go too.
LONG = """\
[data]
variable_bytes = 80000
[[phases]]
iterations = 1000000
[[phases.stages]]
type = "allgather"
bytes = 8000000
[[phases.stages]]
type = "allreduce"
bytes = 8
[[phases.stages]]
type = "write"
bytes = 4096
"""
GROWING = f"{LONG}[[groups]]\nranks = 2\niterations = 3\n[[groups]]\nranks = 4\n"
FIXED = f"{LONG}[[groups]]\nranks = 2\n"


OPTIONS = ("--no-picture", "--output", "out")


def end_of(process: "subprocess.Popen[str]", site: Any) -> str:
    """Waits for the end; what was said on stderr. The results must be readable."""
    _, errors = process.communicate(timeout=60)
    results = read(site.folder / "out")
    assert not results.finished
    assert sum(generation["iterations"] for generation in results.document()["generations"]) > 0
    assert not (site.folder / "out" / "scratch").exists()
    assert "Traceback" not in errors
    return str(errors)


def test_killed_rank_ends_the_run_with_its_signal_and_results(site: Any, mpi: str) -> None:
    # Without a spawn, which Open MPI does not always survive.
    with site.started("emulate", site.write("long.toml", FIXED), "--mpi", mpi, *OPTIONS) as process:
        site.wait_for_iterations(process, ranks=2)
        os.kill(max(site.processes("nereus-emulator")), signal.SIGKILL)
        errors = end_of(process, site)
    assert process.returncode == 1
    # The launcher tells of one rank, the first that it heard of: seldom one that it has ended itself.
    first = r"a rank (was killed by signal 9 \(SIGKILL\)|ended with exit code 143, perhaps because another)"
    assert re.search(first, errors), errors
    assert "nereus report out" in errors


def test_killed_newcomer_ends_the_run_with_all_its_worlds(site: Any, mpich: str) -> None:
    with site.started("emulate", site.write("long.toml", GROWING), "--mpi", mpich, *OPTIONS) as process:
        site.wait_for_iterations(process, ranks=4)
        ranks = site.processes("nereus-emulator")
        assert len(ranks) == 4
        os.kill(max(ranks), signal.SIGKILL)
        errors = end_of(process, site)
    assert process.returncode == 1
    # A rank that reads from one that is gone aborts, and mpiexec may hear of that first.
    assert "signal 9 (SIGKILL)" in errors or "perhaps because another one had died" in errors


def test_killed_launcher_ends_its_ranks(site: Any, mpi: str) -> None:
    with site.started("emulate", site.write("long.toml", FIXED), "--mpi", mpi, *OPTIONS) as process:
        site.wait_for_iterations(process, ranks=2)
        (launcher,) = site.processes("orterun" if mpi == "openmpi" else "mpiexec")
        os.kill(launcher, signal.SIGKILL)
        errors = end_of(process, site)
    assert process.returncode == 1
    assert "killed by signal 9 (SIGKILL)" in errors


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_resized_run_ends_completely(
    site: Any, mpich: str, number: signal.Signals, code: int
) -> None:
    with site.started("emulate", site.write("long.toml", GROWING), "--mpi", mpich, *OPTIONS) as process:
        site.wait_for_iterations(process, ranks=4)
        process.send_signal(number)
        errors = end_of(process, site)
    assert process.returncode == code
    assert f"stopped by {number.name}" in errors


def test_ctrl_c_ends_a_run_of_fixed_size_completely(site: Any, mpi: str) -> None:
    with site.started("emulate", site.write("long.toml", FIXED), "--mpi", mpi, *OPTIONS) as process:
        site.wait_for_iterations(process, ranks=2)
        process.send_signal(signal.SIGINT)
        end_of(process, site)
    assert process.returncode == 130
