# SPDX-License-Identifier: BSD-3-Clause
"""The good runs of a study by what was measured: one cell for each application, sizes and variant."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nereus.analysis.study.error import StudyError
from nereus.analysis.study.loading import load_study
from nereus.analysis.study.model import Study
from nereus.analysis.study.plan import Planned, planned_runs
from nereus.analysis.study.preferred import Cell
from nereus.analysis.study.results import Measures, measure
from nereus.analysis.study.store import FILE_NAME, Record, attempt_folder, read_records

Key = tuple[str, Cell, str | None]  # application, sizes, variant


@dataclass(frozen=True)
class Found:
    """All that a study's folder tells."""

    study: Study
    started: Mapping[str, Any]
    cells: Mapping[Key, list[Measures]]
    planned: int
    good: int
    #: Runs whose latest attempt failed, or whose results cannot be read, and why.
    failures: Mapping[str, str] = field(default_factory=dict)

    def values(self, key: Key, name: str) -> list[float]:
        """One measure of the runs of a cell, of those that have it."""
        found = (getattr(run, name) for run in self.cells.get(key, ()))
        return [value for value in found if value is not None]


def find(folder: Path) -> Found:
    """Read a study's folder; half-finished studies are read as far as they got."""
    study = load_study(folder / FILE_NAME, there=False)
    records = read_records(folder)
    runs = planned_runs(study)
    cells: dict[Key, list[Measures]] = {}
    failures: dict[str, str] = {}
    good = 0
    for planned in runs:
        record = records.runs.get(planned.name)
        if record is None:
            continue
        made = _measured(folder, planned, record)
        if isinstance(made, str):
            failures[planned.name] = made
            continue
        good += 1
        if not planned.model:
            cells.setdefault(key_of(planned), []).append(made)
    ordered = {key: cells[key] for key in _in_order(study) if key in cells}
    return Found(study, records.started, ordered, len(runs), good, failures)


def _in_order(study: Study) -> list[Key]:
    """As the file has applications, sizes and variants; runs are made in random order."""
    kinds: list[tuple[Cell, str | None]] = [((size, size), None) for size in study.all_sizes]
    kinds += [((pair[0], pair[1]), way) for pair in study.pairs for way in study.variants]
    return [(application.name, cell, way) for application in study.applications for cell, way in kinds]


def key_of(planned: Planned) -> Key:
    """The cell that a run belongs to."""
    return planned.application, (planned.before, planned.after), planned.variant


def _measured(folder: Path, planned: Planned, record: Record) -> Measures | str:
    """The measures of a run, or why it has none."""
    if not record.good:
        return record.reason
    try:
        return measure(attempt_folder(folder, planned.name, record.attempt), planned)
    except StudyError as error:
        return str(error)
