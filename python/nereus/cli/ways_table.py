# SPDX-License-Identifier: BSD-3-Clause
"""Which ways to make processes work with an MPI: tried for `nereus doctor`, shown as method by strategies."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from nereus.bench.combinations import Combination, all_combinations
from nereus.bench.process_trials import which_work
from nereus.cli.trial_bar import TrialBar
from nereus.launch import Build, LaunchError
from nereus.methods import PROCESS_METHODS
from nereus.probe import Feature, joining


def find_ways(build: Build, stopped: Callable[[], bool]) -> dict[str, Any]:
    """Try joining and all ways anew; documents for the keys `joining` and `ways`."""
    joins = joining(build, fresh=True, stopped=stopped)
    reach = {"works": joins.works, "reason": joins.reason, "environment": dict(joins.environment)}
    try:
        with TrialBar(build.name, len(all_combinations())) as bar:
            found = which_work(
                build,
                joins,
                fresh=True,
                stopped=stopped,
                tell=lambda trial: bar.advance(trial.combination.text),
            )
    except LaunchError as problem:
        found = {way: Feature(False, str(problem)) for way in all_combinations()}
    return {"joining": reach, "ways": _documents(found)}


def _documents(found: Mapping[Combination, Feature]) -> list[dict[str, Any]]:
    return [
        {
            "method": way.method,
            "strategies": list(way.strategies),
            "works": feature.works,
            "reason": feature.reason,
        }
        for way, feature in found.items()
    ]


def _cause(way: dict[str, Any]) -> str:
    """The reason without addresses in memory, by which MPIs make texts of one cause differ."""
    return re.sub(r"\b0x[0-9a-f]+", "0x...", way["reason"])


def ways_table(ways: list[dict[str, Any]]) -> RenderableType:
    """A row for each set of strategies, a column for each method; reasons are numbered and stand below."""
    reasons = list(dict.fromkeys(_cause(way) for way in ways if not way["works"]))
    cells: dict[str, dict[str, str]] = {}
    for way in ways:
        answer = "yes" if way["works"] else f"no ({reasons.index(_cause(way)) + 1})"
        cells.setdefault("+".join(way["strategies"]) or "none", {})[way["method"]] = answer
    grid = Table("strategies", *PROCESS_METHODS, box=None, pad_edge=False)
    for words, answers in cells.items():
        grid.add_row(words, *[answers.get(method, "-") for method in PROCESS_METHODS])
    notes = [Text(f"({number}) {reason}") for number, reason in enumerate(reasons, start=1)]
    return Group(grid, *notes)
