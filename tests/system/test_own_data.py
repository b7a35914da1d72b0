# SPDX-License-Identifier: BSD-3-Clause
"""Programs in Python whose functions save, load and move data that is no array."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest
from test_heat import run

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None, reason="mpi4py is not installed: make build does so"
)

APPLICATION = Path(__file__).with_name("own_data_application.py")
LIMIT = 60.0


def test_functions_in_python_move_data_and_refuse_by_an_exception(site: Any, mpi: str) -> None:
    result = run(site, mpi, 2, APPLICATION, "resize", "3", "1", "2")
    assert result.said == {"result": "ERR_TRANSFER", "intact": True, "size": 2, "loads": 0}
    assert "ValueError: not now" in result.err


def test_functions_in_python_save_and_load_pieces(site: Any, mpi: str) -> None:
    words = ("run", "--mpi", mpi, "--quiet", "--save", "saved")
    saved = site.nereus(*words, "-n", "3", "--", sys.executable, APPLICATION, "save", limit=LIMIT)
    assert (saved.code, saved.out) == (75, ""), saved.err
    continued = site.nereus(
        *words, "--resume", "saved", "-n", "2", "--", sys.executable, APPLICATION, "save", limit=LIMIT
    )
    assert continued.said == {"result": "continued", "intact": True, "size": 2, "loads": 1}


def test_job_continues_from_the_epoch_that_its_program_asked_for(site: Any, mpi: str) -> None:
    words = ("run", "--mpi", mpi, "-n", "3", "--protect", "memory", "--protect-every", "1h")
    result = site.nereus(*words, "--", sys.executable, APPLICATION, "protect", limit=LIMIT)
    assert result.said == {"result": "continued", "intact": True, "size": 3, "loads": 1}
    assert "in memory (recovery 1)" in result.err
