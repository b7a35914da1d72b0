# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: what `nereus resize` tells of a resize that is done."""

from typing import Any

import pytest

from nereus.cli.resize import outcome
from nereus.supervisor import RESIZED

REPORT = {"from": 3, "to": 6, "pause_seconds": 0.25, "process_seconds": 0.125, "process_method": "merge"}
DONE = "resized 3 → 6 ranks: pause 250 ms (processes 125 ms, merge)"
PLACED = "ranks are placed by what they sent each other: 86 MB are sent between hosts instead of 215 MB"


def answer(**more: Any) -> dict[str, Any]:
    return {"kind": "resized", "code": RESIZED, "report": {**REPORT, **more}}


def test_placement_of_ranks_is_shown() -> None:
    assert outcome(answer(placed=PLACED), 6) == (True, f"{DONE}; {PLACED}")


@pytest.mark.parametrize("report", [{}, {"placed": ""}])
def test_resize_without_placement_shows_none(report: dict[str, str]) -> None:
    assert outcome(answer(**report), 6) == (True, DONE)
