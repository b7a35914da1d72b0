# SPDX-License-Identifier: BSD-3-Clause
"""A sample of what `make chaos` does for hours."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "chaos"


@pytest.mark.whole
@pytest.mark.timeout(600)
def test_jobs_survive_random_kills_or_end_with_a_message(site: Any, mpich: str, openmpi: str) -> None:
    result = subprocess.run(
        [SCRIPT, "--minutes", "3", "--seed", "1", "--json"],
        env=site.environment,
        capture_output=True,
        text=True,
        timeout=550,
        check=False,
    )
    document = json.loads(result.stdout)
    assert document["faults"] == []
    assert sum(counts["kills"] for counts in document["counts"].values()) > 0
    assert result.returncode == 0
