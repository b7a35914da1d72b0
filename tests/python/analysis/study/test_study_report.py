# SPDX-License-Identifier: BSD-3-Clause
"""What a report says of a study, also of half-finished and broken ones."""

import json
import re
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from nereus.analysis.study import StudyError, is_study
from nereus.analysis.study.cells import find
from nereus.analysis.study.document import document
from nereus.analysis.study.figures import charts
from nereus.analysis.study.page import page
from nereus.analysis.study.tables import write_tables


def row(rows: list[dict[str, Any]], **keys: Any) -> dict[str, Any]:
    (found,) = [each for each in rows if all(each[key] == value for key, value in keys.items())]
    return found


def test_emulation_is_compared_with_its_program_cell_by_cell(made: dict[str, Any]) -> None:
    over = deepcopy(made["emulated_over_real"])
    found = {"median": 1.02, "min": 1.02, "max": 1.02}
    assert over["balanced"].pop("resized") == pytest.approx({**found, "cells": 16, "runs": 160})
    assert over["balanced"].pop("fixed") == pytest.approx({**found, "cells": 3, "runs": 30})
    assert over["balanced"] == pytest.approx({**found, "cells": 19, "runs": 190})
    assert over["unbalanced"]["median"] == pytest.approx(0.95)
    fixed = row(made["growth"], application="cg-emulated", sizes="4")
    assert (fixed["compute"], fixed["communication"]) == (pytest.approx(1.0), pytest.approx(1.0))
    resized = row(made["growth"], application="cg-emulated", sizes="2-4", variant="Merge-COLT")
    assert resized["reconfiguration"] == pytest.approx(1.0)


def test_emulations_with_and_without_resize_are_distinguished(small: Callable[..., Any]) -> None:
    folder = small(after='\n[[applications]]\nname = "cg-emulated"\nemulates = "cg"\n')
    for planned in folder.runs:
        real = planned.application == "cg"
        folder.good(planned, 4.0 if real else 3.0 if planned.variant is None else 5.0)
    over = folder.report()["emulated_over_real"]["balanced"]
    assert (over["fixed"]["median"], over["fixed"]["max"]) == (0.75, 0.75)
    assert (over["resized"]["median"], over["resized"]["min"]) == (pytest.approx(1.25), pytest.approx(1.25))
    assert (over["min"], over["max"]) == (0.75, pytest.approx(1.25))


def test_model_runs_are_excluded_from_figures(made: dict[str, Any]) -> None:
    assert made["runs"] == {"planned": 410, "good": 410, "failed": 0, "missing": 0}
    assert sum(cell["runs"] for cell in made["cells"]) == 410 - 30


def test_speedup_is_relative_to_the_reference(made: dict[str, Any]) -> None:
    cell = {"application": "cg", "sizes": "1-2"}
    assert row(made["speedup"], **cell, variant="Baseline-COLS")["speedup"] == 1.0
    fast = row(made["speedup"], **cell, variant="Merge-COLT")["speedup"]
    assert fast == pytest.approx((2.0 + 0.0303) / (1.0 + 0.0303))


def test_background_transfer_figures_are_reported(made: dict[str, Any]) -> None:
    cell = {"application": "cg-emulated", "sizes": "2-4"}
    thread = row(made["background"], **cell, variant="Merge-COLT")
    assert thread["omega"] == pytest.approx(2.0)
    assert thread["alpha"] == pytest.approx(1.0)
    assert thread["iterations"] == 4
    # Blocking: 0.3 s of moving, then the four iterations that the others made meanwhile.
    assert row(made["background"], **cell, variant="Merge-COLS")["progress"] == pytest.approx(0.34)
    assert thread["progress"] == pytest.approx(0.3)
    assert row(made["background"], **cell, variant="Merge-P2PA")["alpha"] is None


def test_progress_is_measured_from_start_of_redistribution(small: Callable[..., Any]) -> None:
    """2025, section 5.4: equations 1 and 2 have no time in which processes are made."""
    folder = small()
    for planned in folder.runs:
        slow = {} if planned.variant is None else {"committed": {"process_seconds": 9.0}}
        folder.good(planned, 3.0, **slow)
    progress = {each["variant"]: each["progress"] for each in folder.report()["background"]}
    assert progress["Merge-COLA"] == pytest.approx(0.3)
    assert progress["Merge-COLS"] == pytest.approx(0.3 + 4 * 0.01)


def test_quotient_counts_the_runs_of_both_sides(fewer: dict[str, Any], made: dict[str, Any]) -> None:
    assert row(made["growth"], application="cg-emulated", sizes="4")["runs"]["total"] == 10
    runs = {each["variant"]: each["runs"] for each in fewer["speedup"]}
    assert runs == {"Baseline-COLS": 3, "Merge-COLS": 6, "Merge-COLA": 5}
    runs = {each["variant"]: each["runs"] for each in fewer["background"]}
    assert runs["Merge-COLA"] == {"alpha": 5, "omega": 2, "iterations": 2, "progress": 2}
    assert runs["Merge-COLS"] == {"alpha": 0, "omega": 0, "iterations": 3, "progress": 5}


def test_fastest_variant_is_preferred_everywhere(made: dict[str, Any]) -> None:
    total = row(made["preferred"], application="cg", measure="total_seconds")
    assert total["counts"] == {"Merge-COLT": 4}
    assert total["rule"] == "nearest"
    assert total["runs"] == 4 * 4 * 5
    moved = row(made["preferred"], application="cg", measure="redistribution_seconds")
    assert {cell["variant"] for cell in moved["cells"]} != {None}
    assert len(moved["cells"][0]["equal"]) == 4  # all take the same time


def test_p_values_are_reported(made: dict[str, Any]) -> None:
    tested = row(made["differences"], application="cg", sizes="2-4", measure="total_seconds")
    assert tested["rejected"] and tested["p"] < 0.01
    assert len(tested["pairs"]) == 6
    same = row(made["differences"], application="cg", sizes="2-4", measure="redistribution_seconds")
    assert (same["p"], same["reason"], same["pairs"]) == (None, "all values are equal", [])
    normal = [each for each in made["normality"] if each["measure"] == "total_seconds"]
    assert all(0 < each["p"] <= 1 for each in normal)


def test_all_tests_of_the_papers_are_made_for_each_cell(made: dict[str, Any]) -> None:
    resized, fixed = 4 * 4 * 4, 4 * 3  # applications, pairs of sizes or sizes, variants
    tested = Counter(each["measure"] for each in made["normality"])
    assert tested == {
        "total_seconds": resized + fixed,
        "reconfiguration_seconds": resized,
        "redistribution_seconds": resized,
    }
    own = row(made["normality"], application="cg", sizes="4", measure="total_seconds")
    assert own["variant"] is None and 0 < own["p"] <= 1
    assert Counter(each["measure"] for each in made["differences"]) == dict.fromkeys(tested, 4 * 4)
    assert {each["measure"] for each in made["preferred"]} == {"total_seconds", "redistribution_seconds"}


def test_tables_have_a_row_for_each_run_and_cell(complete: Any, made: dict[str, Any], tmp_path: Path) -> None:
    from pandas import read_csv

    written = write_tables(find(complete.path), made, tmp_path / "tables")
    frames = {path.stem: read_csv(path) for path in written}
    assert len(frames["runs"]) == 380
    assert len(frames["cells"]) == 76
    assert len(frames["preferred"]) == 2 * 4 * 4
    first = frames["cells"].iloc[0]
    assert first["total_seconds_median"] == pytest.approx(1.8303)
    assert "failures" not in frames  # there are none


def test_too_few_runs_are_reported_without_made_up_values(begin: Callable[..., Any]) -> None:
    folder = begin()
    for planned in folder.runs:
        if planned.repetition <= 2 and planned.application == "cg":
            folder.good(planned, 1.0 + planned.repetition)
    made = folder.report()
    assert {each["reason"] for each in made["differences"]} == {"not enough runs"}
    assert {each["p"] for each in [*made["differences"], *made["normality"]]} == {None}
    cells = [cell for each in made["preferred"] for cell in each["cells"]]
    assert {(cell["variant"], cell["reason"]) for cell in cells} == {(None, "not enough runs")}
    assert "not enough runs" in page(made)
    assert "preferred-total_seconds" not in [chart.name for chart in charts(made)]


def test_preference_without_result_counts_no_runs(small: Callable[..., Any]) -> None:
    folder = small()
    for planned in folder.runs:
        if planned.variant == "Merge-COLS":
            folder.good(planned, 3.0)
    preferred = folder.report()["preferred"]
    assert [(each["counts"], each["runs"]) for each in preferred] == [({}, 0), ({}, 0)]


def test_unfinished_study_is_reported_as_far_as_it_got(begin: Callable[..., Any]) -> None:
    folder = begin()
    runs = folder.runs
    done = len(runs) * 3 // 4  # programs, and half of the emulations
    for planned in runs[:done]:
        folder.good(planned, total_of(planned.repetition))
    found = find(folder.write('{"event": "run", "run": "cg_1_fi'))
    made = document(found)
    assert made["runs"]["good"] == done
    assert made["runs"]["missing"] == len(runs) - done
    assert len(charts(made)) == 14


def total_of(repetition: int) -> float:
    return 1.0 + 0.01 * repetition


def test_failed_and_damaged_runs_are_listed_with_reason(begin: Callable[..., Any]) -> None:
    folder = begin()
    failed, damaged, gone, fine = folder.runs[-4:]
    folder.record(failed, "failed", "did not end within 120 s")
    (folder.good(damaged, 1.0) / "run.jsonl").write_text('{"event": "header"\n')
    (folder.good(gone, 1.0) / "run.jsonl").unlink()
    folder.good(fine, 1.0)
    made = folder.report()
    reasons = {failure["run"]: failure["reason"] for failure in made["failures"]}
    assert reasons[failed.name] == "did not end within 120 s"
    assert "run.jsonl:1: is no event" in reasons[damaged.name]
    assert "No such file" in reasons[gone.name]
    assert made["runs"]["good"] == 1


def test_repeated_run_counts_with_its_last_attempt(begin: Callable[..., Any]) -> None:
    folder = begin()
    planned = folder.runs[-1]
    folder.record(planned, "failed", "died", attempt=1)
    results = folder.good(planned, 1.0)
    results.rename(results.with_name("2"))
    folder.lines.pop()
    folder.record(planned, "good", attempt=2)
    assert folder.report()["runs"] == {"planned": 410, "good": 1, "failed": 0, "missing": 409}


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ('{"event": "header", "format": "other", "version": 1}\n', "runs.jsonl:1: format = 'other'"),
        ('{"event": "header", "format": "nereus-study", "version": 2}\n', "version = 2: 1 is supported"),
        ("no json\n", "runs.jsonl:1: is not JSON"),
        ("[1]\n", "runs.jsonl:1: not an event"),
    ],
)
def test_records_of_other_kinds_are_refused(begin: Callable[..., Any], records: str, said: str) -> None:
    folder = begin()
    (folder.path / "runs.jsonl").write_text(records)
    with pytest.raises(StudyError, match=re.escape(said)):
        find(folder.path)


def test_damaged_record_is_reported_with_line(begin: Callable[..., Any]) -> None:
    folder = begin()
    folder.lines.append(json.dumps({"event": "run", "run": "x", "attempt": "1"}))
    with pytest.raises(StudyError, match=r"runs\.jsonl:3: run: attempt"):
        find(folder.write())


def test_folder_of_a_single_run_is_not_a_study(tmp_path: Path, complete: Any) -> None:
    (tmp_path / "run.jsonl").write_text("{}")
    assert not is_study(tmp_path)
    assert is_study(complete.path)
