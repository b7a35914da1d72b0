# SPDX-License-Identifier: BSD-3-Clause
"""Emulated over real, speed-up, alpha, progress: quotients of medians of cells. All are pure."""

from collections.abc import Iterable, Iterator, Mapping
from statistics import median
from typing import Any

from nereus.analysis.report.transfer_figures import Course, common_iteration, progress_seconds, ratio
from nereus.analysis.study.cells import Found, Key
from nereus.analysis.study.model import Application
from nereus.analysis.study.preferred import Cell
from nereus.analysis.study.statistics import spread
from nereus.analysis.study.variants import variant

Row = dict[str, Any]
Told = tuple[float | None, int]  # a figure, and the number of runs that it rests on

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
    return {**row, **_columns({column: _quotient(found, key, real, name) for column, name in GROWTH.items()})}


def _columns(told: Mapping[str, Told]) -> Row:
    """Figures that may rest on different numbers of runs."""
    own = {name: value for name, (value, _) in told.items()}
    return {**own, "runs": {name: runs for name, (_, runs) in told.items()}}


def _quotient(found: Found, over: Key, under: Key, name: str) -> Told:
    """A quotient of medians rests on the runs of both; each run counts once, also of a cell over itself."""
    value = ratio(_median(found, over, name), _median(found, under, name))
    return value, 0 if value is None else _runs(found, (over, under), name)


def _runs(found: Found, keys: Iterable[Key], name: str) -> int:
    """How many runs of different cells have the measure."""
    return sum(len(found.values(key, name)) for key in set(keys))


def emulated_over_real(found: Found, rows: list[Row]) -> dict[str, Row | None]:
    """How well emulations hit the total time, for each load."""
    loads = ("balanced", "unbalanced")
    return {load: _over_all(found, [row for row in rows if row["load"] == load]) for load in loads}


def _over_all(found: Found, rows: list[Row]) -> Row | None:
    """Also with and without a resize by themselves: the papers tell these apart (2024, section 6)."""
    over = _over(found, rows)
    resized = [row for row in rows if row["variant"] is not None]
    fixed = [row for row in rows if row["variant"] is None]
    return over and {**over, "resized": _over(found, resized), "fixed": _over(found, fixed)}


def _over(found: Found, rows: list[Row]) -> Row | None:
    totals = spread([row["total"] for row in rows if row["total"] is not None])
    if totals is None:
        return None
    own = {"median": totals.median, "min": totals.least, "max": totals.greatest}
    keys = [key for row in rows if row["total"] is not None for key in _both(row)]
    return {**own, "cells": totals.runs, "runs": _runs(found, keys, "total_seconds")}


def _both(row: Row) -> tuple[Key, Key]:
    """The cells of the emulation and of the program that a row of growth compares."""
    place = (row["from"], row["to"])
    return (row["application"], place, row["variant"]), (row["emulates"], place, row["variant"])


def speedup(found: Found) -> list[Row]:
    """Total time of the reference over that of each variant (2024, Fig. 12)."""
    rows = []
    for key in found.cells:
        reference: Key = (key[0], key[1], found.study.reference)
        if key[2] is None or reference not in found.cells:
            continue
        value, runs = _quotient(found, reference, key, "total_seconds")
        own = {"load": found.study.load_of(found.study.application(key[0])), "reference": reference[2]}
        rows.append({**heading(key), **own, "speedup": value, "runs": runs})
    return rows


def background(found: Found) -> list[Row]:
    """What happens while data moves: alpha, omega, iterations, progress."""
    return [
        _background_row(found, key, progress)
        for group in _pairs(found)
        for key, progress in _progress(found, group)
    ]


def _background_row(found: Found, key: Key, progress: Told) -> Row:
    told = {
        "alpha": _alpha(found, key),
        "omega": _told(found, key, "omega"),
        "iterations": _told(found, key, "background_iterations"),
        "progress": progress,
    }
    return {**heading(key), **_columns(told)}


def _told(found: Found, key: Key, name: str) -> Told:
    return _median(found, key, name), _runs(found, (key,), name)


def _alpha(found: Found, key: Key) -> Told:
    """An asynchronous variant over the blocking one ("Análisis", section IV.C)."""
    way = variant(key[2] or "")
    if way.blocking:
        return None, 0
    return _quotient(found, key, (key[0], key[1], way.blocking_name), "redistribution_seconds")


def _pairs(found: Found) -> Iterator[list[Key]]:
    """The cells of all variants, for each application and pair of sizes."""
    groups: dict[tuple[str, Cell], list[Key]] = {}
    for key in found.cells:
        if key[2] is not None:
            groups.setdefault(key[:2], []).append(key)
    yield from groups.values()


def _progress(found: Found, keys: list[Key]) -> Iterator[tuple[Key, Told]]:
    """Martín-Álvarez et al. 2025, section 5.4, over the variants of one pair.

    A blocking variant is told up to the iteration that the background ones made: it rests on their runs too.
    """
    courses = {key: course for key in keys if (course := _course(found, key)) is not None}
    common = common_iteration(list(courses.values()))
    beside = [key for key, course in courses.items() if course.background]
    for key in keys:
        if key not in courses:
            yield key, (None, 0)
            continue
        rests = [key] if courses[key].background else [key, *beside]
        yield key, (progress_seconds(courses[key], common), _runs(found, rests, "redistribution_seconds"))


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
