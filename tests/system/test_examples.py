# SPDX-License-Identifier: BSD-3-Clause
"""Examples under a supervisor with the settings that there are by themselves; ctest runs them without one."""

import os
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT


def example(mpi: str, name: str) -> Path:
    folder = Path(os.environ.get("NEREUS_TEST_PROGRAMS", ROOT / "build"))
    path = folder / mpi / "examples" / name
    if not path.exists():
        pytest.skip(f"{path} is not built; `make build` builds it")
    return path


def with_late_newcomers(site: Any, program: Path) -> Path:
    """The program, whose newcomers do not start before it has ended."""
    path = Path(site.folder / "late")
    path.write_text(f'#!/bin/sh\n[ -z "$NEREUS_PARTY" ] || sleep 60\nexec {program} "$@"\n')
    path.chmod(0o755)
    return path


def test_job_that_ends_before_its_newcomers_start_reports_only_that(site: Any, mpi: str) -> None:
    """Launchers say nothing of newcomers that were ended."""
    program = with_late_newcomers(site, example(mpi, "example_01"))
    done = site.nereus("run", "--quiet", "--mpi", mpi, "-n", "2", "--", program)
    assert (done.code, done.out) == (0, "sum 511500 after 0 resizes\n")
    assert done.err.splitlines() == [
        "nereus: resize 1 from 2 to 3 processes was rolled back: the job ended while its newcomers were "
        "starting (with NEREUS_PROCESS_STRATEGIES=none the application waits for them)",
        "nereus: resize 2 to 1 processes was dropped: the job ended before it began",
    ]


def test_advised_setting_helps(site: Any, sampled_mpi: str) -> None:
    words = ("run", "--quiet", "--mpi", sampled_mpi, "-n", "2", "--", example(sampled_mpi, "example_01"))
    done = site.nereus(*words, NEREUS_PROCESS_STRATEGIES="none")
    assert (done.code, done.out, done.err) == (0, "sum 511500 after 2 resizes\n", "")
