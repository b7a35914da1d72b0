# SPDX-License-Identifier: BSD-3-Clause
"""The report of a study as one JSON document (docs/formats/study.md)."""

from collections.abc import Sequence
from itertools import groupby
from statistics import median
from typing import Any

from nereus.analysis.study.cells import Found, Key
from nereus.analysis.study.comparison import (
    Row,
    background,
    emulated_over_real,
    growth,
    heading,
    speedup,
)
from nereus.analysis.study.findings import papers
from nereus.analysis.study.judgement import judged
from nereus.analysis.study.results import MEASURES, Measures
from nereus.analysis.study.statistics import spread


def document(found: Found) -> dict[str, Any]:
    """All figures of a study."""
    grown = growth(found)
    return {
        "name": found.study.name,
        **{key: found.started.get(key) for key in ("host", "mpi", "library", "cores")},
        "reference": found.study.reference,
        "runs": {
            "planned": found.planned,
            "good": found.good,
            "failed": len(found.failures),
            "missing": found.planned - found.good - len(found.failures),
        },
        "failures": [{"run": run, "reason": reason} for run, reason in found.failures.items()],
        "cells": [_cell(found, key) for key in found.cells],
        **judged(found),
        "growth": grown,
        "emulated_over_real": emulated_over_real(found, grown),
        "speedup": speedup(found),
        "background": background(found),
        "papers": papers(),
    }


def _cell(found: Found, key: Key) -> Row:
    application = found.study.application(key[0])
    own = {"load": found.study.load_of(application), "emulates": application.emulates}
    row = {**heading(key), **own, "runs": len(found.cells[key])}
    for name in MEASURES:
        values = spread(found.values(key, name))
        row[name] = values.document() if values else None
    return {**row, "stages": _stages(found.cells[key])}


def _stages(runs: Sequence[Measures]) -> list[Row]:
    """Medians over the runs by place, where all of them have the same stages."""
    names = [[(stage.name, stage.kind) for stage in run.stages] for run in runs]
    if len(list(groupby(names))) != 1:
        return []
    times = zip(*([stage.seconds for stage in run.stages] for run in runs), strict=True)
    return [
        {"name": name, "kind": kind, "seconds": median(column)}
        for (name, kind), column in zip(names[0], times, strict=True)
    ]
