# SPDX-License-Identifier: BSD-3-Clause
"""Which ways to make processes work with an MPI: documents for --json, a table of method by strategies."""

import re
from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from nereus.analysis.report.tables import new_table
from nereus.bench.combinations import Combination, all_combinations
from nereus.methods import PROCESS_METHODS
from nereus.methods.strategies import in_a_word
from nereus.probe import Feature

NOT_TRIED = "not tried: the time for this MPI was over"


def ways_documents(found: Mapping[Combination, Feature]) -> list[dict[str, Any]]:
    """A document for each way there is; `works` is None for those that were not tried."""
    return [
        {
            "method": way.method,
            "strategies": list(way.strategies),
            "works": found[way].works if way in found else None,
            "reason": found[way].reason if way in found else NOT_TRIED,
        }
        for way in all_combinations()
    ]


def _cause(way: dict[str, Any]) -> str:
    """The reason without addresses in memory, by which MPIs make texts of one cause differ."""
    return re.sub(r"\b0x[0-9a-f]+", "0x...", way["reason"])


def ways_table(ways: list[dict[str, Any]]) -> RenderableType:
    """A row for each set of strategies, a column for each method; reasons are numbered and stand below."""
    reasons = list(dict.fromkeys(_cause(way) for way in ways if way["works"] is False))
    cells: dict[str, dict[str, str]] = {}
    for way in ways:
        answer = "yes" if way["works"] else "?" if way["works"] is None else ""
        answer = answer or f"no ({reasons.index(_cause(way)) + 1})"
        cells.setdefault(in_a_word(way["strategies"]), {})[way["method"]] = answer
    grid = new_table("strategies", *PROCESS_METHODS)
    for words, answers in cells.items():
        grid.add_row(words, *[answers.get(method, "-") for method in PROCESS_METHODS])
    notes = [Text(f"({number}) {reason}") for number, reason in enumerate(reasons, start=1)]
    untried = sum(way["works"] is None for way in ways)
    if untried:
        notes.append(Text(f"? {untried} of {len(ways)} {NOT_TRIED}; `nereus doctor` goes on with them"))
    return Group(grid, *notes)
