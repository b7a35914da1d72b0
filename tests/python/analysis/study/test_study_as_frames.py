# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: data frames of a study that say what its report says."""

from pathlib import Path
from typing import Any

import pandas
import pytest

import nereus
from nereus.analysis.study.cells import find
from nereus.analysis.study.results import MEASURES
from nereus.analysis.study.tables import write_tables


def as_read(column: pandas.Series) -> list[Any]:
    """Values as CSV has them, which knows neither empty texts nor whole numbers beside gaps."""
    try:
        return [None if pandas.isna(value) else float(value) for value in column]
    except ValueError:
        return [None if pandas.isna(value) or value == "" else str(value) for value in column]


@pytest.fixture(scope="module")
def frames(complete: Any) -> nereus.Frames:
    return nereus.load(complete.path)


def test_frames_of_a_study_are_the_tables_of_its_report(
    complete: Any, made: Any, frames: nereus.Frames, tmp_path: Path
) -> None:
    assert (frames.kind, frames.notes) == ("study", ())
    written = write_tables(find(complete.path), made, tmp_path)
    assert {path.stem for path in written} == {name for name in frames if len(frames[name])}
    for path in written:
        there, own = pandas.read_csv(path), frames[path.stem]
        # A measure that no run of a cell has is a column by itself there.
        assert {*there.columns} - {*own.columns} <= set(MEASURES)
        assert path.stem != "differences" or {"p", "pair_p"} <= {*there.columns}
        for name in {*there.columns} & {*own.columns}:
            assert as_read(own[name]) == as_read(there[name]), (path, name)


def test_p_of_two_variants_does_not_hide_that_of_all(made: Any, frames: nereus.Frames) -> None:
    rejected = [row for row in made["differences"] if row["rejected"]]
    assert rejected
    for row in rejected:
        found = frames.differences[
            (frames.differences.application == row["application"])
            & (frames.differences.sizes == row["sizes"])
            & (frames.differences.measure == row["measure"])
        ]
        assert set(found.p) == {row["p"]}
        assert list(found.pair_p) == [pair["p"] for pair in row["pairs"]]


def test_cells_of_the_frames_are_those_of_the_document(made: Any, frames: nereus.Frames) -> None:
    assert len(frames.cells) == len(made["cells"])
    for cell, (_, row) in zip(made["cells"], frames.cells.iterrows(), strict=True):
        assert (cell["application"], cell["sizes"], cell["runs"]) == (row.application, row.sizes, row.runs)
        for name in MEASURES:
            assert pandas.isna(row[f"{name}_median"]) == (cell[name] is None)
            assert cell[name] is None or row[f"{name}_median"] == cell[name]["median"]


def test_study_that_is_not_over_is_loaded_as_far_as_it_got(small: Any) -> None:
    folder = small()
    first, second, *others = folder.runs
    folder.good(first, 3.0)
    folder.record(second, "failed", "it died")
    found = nereus.load(folder.write('{"event": "run", "ru'))
    assert len(found.runs) == 1
    assert found.failures.to_dict("records") == [{"run": second.name, "reason": "it died"}]
    assert found.notes == (f"{folder.path}: {len(others)} of {len(folder.runs)} runs have not been made",)


def test_study_without_runs_has_empty_frames(small: Any) -> None:
    found = nereus.load(small().write())
    assert {len(frame) for frame in found.values()} == {0}
    assert "total_seconds_median" in found.cells


def test_damaged_records_of_a_study_are_named(small: Any) -> None:
    folder = small()
    folder.lines[1] = "{"
    with pytest.raises(nereus.UserError, match=r"runs\.jsonl:2: is not JSON$"):
        nereus.load(folder.write())
