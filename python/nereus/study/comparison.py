# SPDX-License-Identifier: BSD-3-Clause
"""Emulated over real, speed-up, alpha, progress: quotients of medians of cells. All are pure."""

from collections.abc import Iterator
from statistics import median
from typing import Any

from nereus.report.transfer_figures import Course, common_iteration, progress_seconds, ratio
from nereus.study.cells import Found, Key
from nereus.study.model import Application
from nereus.study.preferred import Cell
from nereus.study.statistics import spread
from nereus.study.variants import variant

Row = dict[str, Any]

#: Columns of growth rates and the measures that they are quotients of.
GROWTH = {
    "compute": "compute_seconds",
    "communication": "communication_seconds",
    "reconfiguration": "reconfiguration_seconds",
    "total": "total_seconds",
}


def heading(key: Key) -> Row:
    """What names a cell in all tables."""
    application, (before, after), name = key
    sizes = str(before) if name is None else f"{before}-{after}"
    return {"application": application, "sizes": sizes, "from": before, "to": after, "variant": name}


def growth(found: Found) -> list[Row]:
    """Emulated over real, where both have runs (2024, Figs. 7, 8, 11, 13)."""
    rows = []
    for key in found.cells:
        application = found.study.application(key[0])
        if application.emulates is None:
            continue
        real: Key = (application.emulates, key[1], key[2])
        if real in found.cells:
            rows.append(_growth_row(found, key, real, application))
    return rows


def _growth_row(found: Found, key: Key, real: Key, application: Application) -> Row:
    row = {**heading(key), "emulates": real[0], "load": found.study.load_of(application)}
    for column, name in GROWTH.items():
        row[column] = ratio(_median(found, key, name), _median(found, real, name))
    return {**row, "runs": min(len(found.cells[key]), len(found.cells[real]))}


def emulated_over_real(rows: list[Row]) -> dict[str, Row | None]:
    """How well emulations hit the total time, for each load."""
    return {load: _over([row for row in rows if row["load"] == load]) for load in ("balanced", "unbalanced")}


def _over(rows: list[Row]) -> Row | None:
    totals = spread([row["total"] for row in rows if row["total"] is not None])
    if totals is None:
        return None
    own = {"median": totals.median, "min": totals.least, "max": totals.greatest}
    return {**own, "cells": totals.runs, "runs": sum(row["runs"] for row in rows)}


def speedup(found: Found) -> list[Row]:
    """Total time of the reference over that of each variant (2024, Fig. 12)."""
    rows = []
    for key, runs in found.cells.items():
        reference: Key = (key[0], key[1], found.study.reference)
        if key[2] is None or reference not in found.cells:
            continue
        value = ratio(_median(found, reference, "total_seconds"), _median(found, key, "total_seconds"))
        own = {"load": found.study.load_of(found.study.application(key[0])), "reference": reference[2]}
        rest = min(len(runs), len(found.cells[reference]))
        rows.append({**heading(key), **own, "speedup": value, "runs": rest})
    return rows


def background(found: Found) -> list[Row]:
    """What happens while data moves: alpha, omega, iterations, progress."""
    return [
        {
            **heading(key),
            "alpha": _alpha(found, key),
            "omega": _median(found, key, "omega"),
            "iterations": _median(found, key, "background_iterations"),
            "progress": progress,
            "runs": len(found.cells[key]),
        }
        for group in _pairs(found)
        for key, progress in _progress(found, group)
    ]


def _alpha(found: Found, key: Key) -> float | None:
    """An asynchronous variant over the blocking one ("Análisis", section IV.C)."""
    way = variant(key[2] or "")
    if way.blocking:
        return None
    moved = "redistribution_seconds"
    return ratio(_median(found, key, moved), _median(found, (key[0], key[1], way.blocking_name), moved))


def _pairs(found: Found) -> Iterator[list[Key]]:
    """The cells of all variants, for each application and pair of sizes."""
    groups: dict[tuple[str, Cell], list[Key]] = {}
    for key in found.cells:
        if key[2] is not None:
            groups.setdefault(key[:2], []).append(key)
    yield from groups.values()


def _progress(found: Found, keys: list[Key]) -> Iterator[tuple[Key, float | None]]:
    """Martín-Álvarez et al. 2025, section 5.4, over the variants of one pair."""
    courses = {key: course for key in keys if (course := _course(found, key)) is not None}
    common = common_iteration(list(courses.values()))
    for key in keys:
        yield key, progress_seconds(courses[key], common) if key in courses else None


def _course(found: Found, key: Key) -> Course | None:
    seconds = _median(found, key, "redistribution_seconds")
    following = _median(found, key, "next_iteration_seconds")
    if seconds is None or following is None:
        return None
    meanwhile = _median(found, key, "background_iterations") or 0.0
    return Course(seconds, meanwhile, following, not variant(key[2] or "").blocking)


def _median(found: Found, key: Key, name: str) -> float | None:
    values = found.values(key, name)
    return median(values) if values else None
