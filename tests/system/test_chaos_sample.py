# SPDX-License-Identifier: BSD-3-Clause
"""A sample of what `make chaos` does for hours."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "chaos"


@pytest.mark.whole
@pytest.mark.timeout(1800)
def test_jobs_survive_random_kills_or_end_with_a_message(site: Any, mpich: str, openmpi: str) -> None:
    # Some three minutes on two cores; the same trials everywhere, however long they take.
    result = subprocess.run(
        [SCRIPT, "--seed", "1", "--trials", "60", "--jobs", "4", "--json"],
        env=site.environment,
        capture_output=True,
        text=True,
        timeout=1700,
        check=False,
    )
    document = json.loads(result.stdout)
    assert document["violations"] == []
    for mpi in (mpich, openmpi):
        assert document["counts"][mpi]["killed"] > 0
    assert result.returncode == 0
