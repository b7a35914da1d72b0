# SPDX-License-Identifier: BSD-3-Clause
"""What a newcomer sees first: `make demo`, from its experiments to its picture."""

import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LIMIT = 300.0
PNG = b"\x89PNG\r\n\x1a\n"


def test_demo_resizes_in_two_ways_and_draws_both(site: Any, mpich: str) -> None:
    results = site.folder / "demo"
    demo = [ROOT / "scripts" / "demo", results]
    done = subprocess.run(
        demo, env=site.environment, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (results / "picture.png").read_bytes().startswith(PNG)
    for way in ("cg", "cg-default"):
        shown = site.nereus("report", results / way, "--json")
        assert [resize["to"] for resize in shown.document["resizes"]] == [4, 1, 3]
