# SPDX-License-Identifier: BSD-3-Clause
"""What `nereus simulate workload --json` prints (docs/reference/simulate-workload.md)."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from nereus.simulation.workload.changes import changes_of
from nereus.simulation.workload.comparison import Comparison, Row, Variant, summary
from nereus.simulation.workload.figures import Interval


def document(comparison: Comparison, rows: list[Row]) -> dict[str, Any]:
    """All rows, and what they come to."""
    return {
        "cores": comparison.workload.cores,
        "left_out": dict(comparison.left_out),
        "rows": [row.document() for row in rows],
        "summary": _by_variant(summary(rows)),
        "changes_percent": _by_variant(changes_of(rows)),
    }


def _by_variant(found: Mapping[Variant, Mapping[str, Interval]]) -> list[dict[str, Any]]:
    return [
        {**asdict(variant), **{name: asdict(each) for name, each in measures.items()}}
        for variant, measures in found.items()
    ]
