# SPDX-License-Identifier: BSD-3-Clause
"""What the tests say about a study: normality of cells, differences between variants, preferred variants."""

from collections import Counter
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from nereus.analysis.study.cells import Found
from nereus.analysis.study.comparison import Row, heading
from nereus.analysis.study.preferred import Cell, Fastest, Rule, fastest, preferred
from nereus.analysis.study.statistics import Differences, Verdict, differences, normality

#: What is tested: of 2024 what Figs. 12 to 14 and 9 to 11 show, of "Análisis" what Figs. 2 to 6 do.
TESTED = ("total_seconds", "reconfiguration_seconds", "redistribution_seconds")
#: The whole run decides for Fig. 14 of 2024, moving the data alone for Fig. 6 of "Análisis".
JUDGED = {"total_seconds": Rule.NEAREST, "redistribution_seconds": Rule.ALL}

Groups = Mapping[tuple[str, Cell], Mapping[str, list[float]]]


def _groups(found: Found, name: str) -> Groups:
    """One measure by application and pair of sizes, then by variant."""
    groups: dict[tuple[str, Cell], dict[str, list[float]]] = {}
    for key in found.cells:
        values = found.values(key, name)
        if key[2] is not None and values:
            groups.setdefault(key[:2], {})[key[2]] = values
    return groups


def judged(found: Found) -> dict[str, list[Row]]:
    """The keys normality, differences and preferred of the report."""
    rows: dict[str, list[Row]] = {"normality": [], "differences": [], "preferred": []}
    for name in TESTED:
        groups = _groups(found, name)
        tested = {place: differences(group) for place, group in groups.items()}
        rows["normality"] += _normality(found, name)
        rows["differences"] += [_difference(*place, name, test) for place, test in tested.items()]
        if name in JUDGED:
            rows["preferred"] += _preferred_by(name, groups, tested)
    return rows


def _normality(found: Found, name: str) -> list[Row]:
    """Of all cells that have the measure, those without a resize too (2024, section 5.2)."""
    values = {key: found.values(key, name) for key in found.cells}
    return [
        {**_place(*key), "variant": key[2], "measure": name, **_verdict(normality(own))}
        for key, own in values.items()
        if own
    ]


def _preferred_by(name: str, groups: Groups, tested: Mapping[tuple[str, Cell], Differences]) -> list[Row]:
    best = {place: fastest(groups[place], test) for place, test in tested.items()}
    runs = {place: test.runs for place, test in tested.items()}
    return _preferred(best, runs, name, JUDGED[name])


def _difference(application: str, cell: Cell, name: str, test: Differences) -> Row:
    named = sorted((*sorted(names), p) for names, p in test.pairs.items())
    pairs = [{"one": one, "other": other, "p": p} for one, other, p in named]
    own = {**_place(application, cell), "measure": name, **_verdict(test.verdict)}
    return {**own, "runs": test.runs, "pairs": pairs}


def _preferred(
    best: Mapping[tuple[str, Cell], Fastest], runs: Mapping[tuple[str, Cell], int], name: str, rule: Rule
) -> list[Row]:
    rows = []
    for application, places in groupby(best, key=lambda place: place[0]):
        cells = {cell: best[application, cell] for _, cell in places}
        chosen = preferred(cells, rule)
        rows.append(
            {
                "application": application,
                "measure": name,
                "rule": rule.value,
                "cells": [_cell(cell, cells[cell], way) for cell, way in chosen.items()],
                "counts": dict(Counter(way for way in chosen.values() if way is not None).most_common()),
                "runs": sum(runs[application, cell] for cell, way in chosen.items() if way is not None),
            }
        )
    return rows


def _cell(cell: Cell, best: Fastest, way: str | None) -> dict[str, Any]:
    sizes = {"sizes": f"{cell[0]}-{cell[1]}", "from": cell[0], "to": cell[1]}
    return {**sizes, "variant": way, "equal": best.equal, "reason": best.reason}


def _place(application: str, cell: Cell, way: str | None = "") -> Row:
    return {"application": application, "sizes": heading((application, cell, way))["sizes"]}


def _verdict(verdict: Verdict) -> Row:
    return {"p": verdict.p, "reason": verdict.reason, "rejected": verdict.rejected}
