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

from nereus.study import StudyError, is_study
from nereus.study.cells import find
from nereus.study.document import document
from nereus.study.figures import Bars, charts, draw
from nereus.study.findings import interval, papers
from nereus.study.page import page, write_pictures
from nereus.study.tables import write_tables

FIGURES = [
    "growth-compute", "growth-communication", "growth-fixed", "reconfiguration-blocking",
    "reconfiguration", "growth-reconfiguration", "growth-total", "speedup", "preferred-total_seconds",
    "preferred-redistribution_seconds", "alpha", "omega", "iterations", "progress",
]  # fmt: skip


STUDY = """\
name = "small"
repetitions = 3
pairs = [[1, 2]]
variants = ["Baseline-COLS", "Merge-COLS", "Merge-COLA"]

[[applications]]
name = "cg"
command = ["cg"]
iterations = 100
resize = ["--resize", "{iteration}:{to}"]
"""


def report(folder: Any) -> dict[str, Any]:
    return document(find(folder.write()))


@pytest.fixture(scope="module")
def made(complete: Any) -> dict[str, Any]:
    """The report on the complete study."""
    return document(find(complete.path))


def row(rows: list[dict[str, Any]], **keys: Any) -> dict[str, Any]:
    (found,) = [each for each in rows if all(each[key] == value for key, value in keys.items())]
    return found


def test_an_emulation_is_compared_with_its_program_cell_by_cell(made: dict[str, Any]) -> None:
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


def test_emulations_with_and_without_a_resize_are_told_apart(begin: Callable[..., Any]) -> None:
    folder = begin(f'{STUDY}\n[[applications]]\nname = "cg-emulated"\nemulates = "cg"\n')
    for planned in folder.runs:
        real = planned.application == "cg"
        folder.good(planned, 4.0 if real else 3.0 if planned.variant is None else 5.0)
    over = report(folder)["emulated_over_real"]["balanced"]
    assert (over["fixed"]["median"], over["fixed"]["max"]) == (0.75, 0.75)
    assert (over["resized"]["median"], over["resized"]["min"]) == (pytest.approx(1.25), pytest.approx(1.25))
    assert (over["min"], over["max"]) == (0.75, pytest.approx(1.25))


def test_runs_that_an_emulation_was_made_from_are_in_no_figure(made: dict[str, Any]) -> None:
    assert made["runs"] == {"planned": 386, "good": 386, "failed": 0, "missing": 0}
    assert sum(cell["runs"] for cell in made["cells"]) == 386 - 6


def test_speedup_is_told_over_the_reference(made: dict[str, Any]) -> None:
    cell = {"application": "cg", "sizes": "1-2"}
    assert row(made["speedup"], **cell, variant="Baseline-COLS")["speedup"] == 1.0
    fast = row(made["speedup"], **cell, variant="Merge-COLT")["speedup"]
    assert fast == pytest.approx((2.0 + 0.0303) / (1.0 + 0.0303))


def test_the_reference_is_named_where_speedups_are_told(begin: Callable[..., Any]) -> None:
    folder = begin(STUDY.replace("[[applications]]", 'reference = "Merge-COLS"\n\n[[applications]]', 1))
    for planned in folder.runs:
        folder.good(planned, 1.0)
    made = report(folder)
    assert made["reference"] == "Merge-COLS"
    assert {each["reference"] for each in made["speedup"]} == {"Merge-COLS"}
    (chart,) = [each for each in charts(made) if each.name == "speedup"]
    assert chart.title == "Speed-up of the total time over Merge-COLS"
    assert shaded(made, "speedup") == set()  # the papers' reference is another one


def test_what_happens_while_data_moves_is_told(made: dict[str, Any]) -> None:
    cell = {"application": "cg-emulated", "sizes": "2-4"}
    thread = row(made["background"], **cell, variant="Merge-COLT")
    assert thread["omega"] == pytest.approx(2.0)
    assert thread["alpha"] == pytest.approx(1.0)
    assert thread["iterations"] == 4
    # Blocking: 0.3 s of moving, then the four iterations that the others made meanwhile.
    assert row(made["background"], **cell, variant="Merge-COLS")["progress"] == pytest.approx(0.34)
    assert thread["progress"] == pytest.approx(0.3)
    assert row(made["background"], **cell, variant="Merge-P2PA")["alpha"] is None


def test_progress_is_told_from_the_start_of_the_redistribution(begin: Callable[..., Any]) -> None:
    """2025, section 5.4: equations 1 and 2 have no time in which processes are made."""
    folder = begin(STUDY)
    for planned in folder.runs:
        slow = {} if planned.variant is None else {"committed": {"process_seconds": 9.0}}
        folder.good(planned, 3.0, **slow)
    progress = {each["variant"]: each["progress"] for each in report(folder)["background"]}
    assert progress["Merge-COLA"] == pytest.approx(0.3)
    assert progress["Merge-COLS"] == pytest.approx(0.3 + 4 * 0.01)


def small(begin: Callable[..., Any], fewer: str) -> dict[str, Any]:
    """Three runs of each cell, but two of one variant."""
    folder = begin(STUDY)
    for planned in folder.runs:
        if planned.variant != fewer or planned.repetition < 3:
            folder.good(planned, 3.0)
    return report(folder)


def test_a_quotient_rests_on_the_runs_of_both_sides(begin: Callable[..., Any]) -> None:
    made = small(begin, fewer="Merge-COLA")
    runs = {each["variant"]: each["runs"] for each in made["speedup"]}
    assert runs == {"Baseline-COLS": 3, "Merge-COLS": 6, "Merge-COLA": 5}
    runs = {each["variant"]: each["runs"] for each in made["background"]}
    assert runs["Merge-COLA"] == {"alpha": 5, "omega": 2, "iterations": 2, "progress": 2}
    assert runs["Merge-COLS"] == {"alpha": 0, "omega": 0, "iterations": 3, "progress": 5}


def test_a_figure_counts_each_run_once(begin: Callable[..., Any], made: dict[str, Any]) -> None:
    runs = {chart.name: chart.runs for chart in charts(small(begin, fewer="Merge-COLA"))}
    assert runs == {
        "reconfiguration-blocking": 6, "reconfiguration": 8, "speedup": 8,
        "preferred-total_seconds": 6, "preferred-redistribution_seconds": 6,
        "alpha": 5, "omega": 2, "iterations": 8, "progress": 8,
    }  # fmt: skip
    assert row(made["growth"], application="cg-emulated", sizes="4")["runs"]["total"] == 10
    runs = {chart.name: chart.runs for chart in charts(made)}
    assert (runs["growth-fixed"], runs["growth-total"], runs["speedup"]) == (
        4 * 3 * 5,
        4 * 16 * 5,
        4 * 16 * 5,
    )


def test_the_fastest_variant_is_preferred_everywhere(made: dict[str, Any]) -> None:
    total = row(made["preferred"], application="cg", measure="total_seconds")
    assert total["counts"] == {"Merge-COLT": 4}
    assert total["rule"] == "nearest"
    assert total["runs"] == 4 * 4 * 5
    moved = row(made["preferred"], application="cg", measure="redistribution_seconds")
    assert {cell["variant"] for cell in moved["cells"]} != {None}
    assert len(moved["cells"][0]["equal"]) == 4  # all take the same time


def test_p_values_are_told(made: dict[str, Any]) -> None:
    tested = row(made["differences"], application="cg", sizes="2-4", measure="total_seconds")
    assert tested["rejected"] and tested["p"] < 0.01
    assert len(tested["pairs"]) == 6
    same = row(made["differences"], application="cg", sizes="2-4", measure="redistribution_seconds")
    assert (same["p"], same["reason"], same["pairs"]) == (None, "all values are equal", [])
    normal = [each for each in made["normality"] if each["measure"] == "total_seconds"]
    assert all(0 < each["p"] <= 1 for each in normal)


def test_all_that_the_papers_tested_is_tested_of_each_cell(made: dict[str, Any]) -> None:
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


def test_every_figure_of_the_papers_is_there_and_says_on_what_it_rests(made: dict[str, Any]) -> None:
    found = charts(made)
    assert [chart.name for chart in found] == FIGURES
    assert all(chart.runs > 0 for chart in found)
    with_papers = {chart.name for chart in found if chart.papers}
    assert with_papers == set(FIGURES)


def test_what_the_papers_found_has_a_source_and_a_figure() -> None:
    found = papers()
    assert {finding["figure"] for finding in found} == {*FIGURES, "emulated_over_real"}
    assert all(finding["source"] and finding["text"] for finding in found)
    assert all(("low" in finding) == ("high" in finding) for finding in found)


def test_alpha_is_told_as_the_paper_found_it() -> None:
    """Análisis, section IV.C: its Baseline-COLA has an inter-communicator, and shrinking is uneven."""
    expand, shrink = (each for each in papers() if each["figure"] == "alpha")
    assert "BaselineInter-COLA" in expand["text"] and (expand["low"], expand["high"]) == (0.9, 1.1)
    assert "11 of the 20" in shrink["text"] and "9 of these being Merge-P2PA" in shrink["text"]
    assert "low" not in shrink


def shaded(made: dict[str, Any], name: str) -> set[tuple[str, str]]:
    """Applications and variants whose bars have an interval of the papers behind them."""
    (content,) = [chart.content for chart in charts(made) if chart.name == name]
    assert isinstance(content, Bars)
    return {(application, way) for application, bars in content.intervals.items() for _, way in bars}


def test_only_what_the_papers_measured_is_shaded(made: dict[str, Any]) -> None:
    assert shaded(made, "alpha") == set()  # here are only threads, which that paper does not have
    assert shaded(made, "omega") == set()
    assert {way for _, way in shaded(made, "iterations")} == {"Merge-COLT"}
    assert {application for application, _ in shaded(made, "growth-total")} == {"cg-emulated"}
    assert {application for application, _ in shaded(made, "speedup")} == {"cg", "cg-emulated"}
    assert {application for application, _ in shaded(made, "growth-fixed")} == {
        "cg-emulated",
        "uneven-emulated",
    }


@pytest.mark.parametrize(
    ("figure", "variant", "sizes", "told"),
    [
        ("alpha", "Merge-P2PA", (1, 2), (0.9, 1.1)),
        ("alpha", "Merge-P2PA", (2, 1), None),
        ("alpha", "Merge-P2PT", (1, 2), None),
        ("alpha", "BaselineInter-COLA", (1, 2), None),
        ("omega", "Merge-RMALockWD", (1, 2), (1.0, 2.8)),
        ("omega", "Merge-COLT", (1, 2), None),
        ("iterations", "Merge-RMALockallT", (2, 1), (1.0, 3.0)),
        ("iterations", "Merge-COLA", (2, 1), None),
        ("iterations", "Merge-COLWD", (2, 1), None),
    ],
)
def test_an_interval_holds_for_what_was_measured(
    figure: str, variant: str, sizes: tuple[int, int], told: tuple[float, float] | None
) -> None:
    findings = [each for each in papers() if each["figure"] == figure]
    assert interval(findings, {"from": sizes[0], "to": sizes[1], "variant": variant}) == told


def test_an_interval_stands_behind_its_bars_alone(made: dict[str, Any]) -> None:
    (chart,) = [each for each in charts(made) if each.name == "iterations"]
    drawn = draw(chart)
    shades = [bars for axes in drawn.axes for bars in axes.containers if bars.get_label() == "papers"]
    assert len(shades) == 4 * 4  # applications and pairs of sizes, Merge-COLT each
    bars = [bars for axes in drawn.axes for bars in axes.containers if bars.get_label() != "papers"]
    assert max(each[0].get_width() for each in bars) < min(each[0].get_width() for each in shades)


def test_a_reading_of_ours_is_said_to_be_one() -> None:
    fixed = [each for each in papers() if each["figure"] == "growth-fixed"]
    (unbalanced,) = [each for each in fixed if each["load"] == "unbalanced"]
    assert "our reading" in unbalanced["text"]


def test_the_page_needs_no_other_file(made: dict[str, Any]) -> None:
    text = page(made)
    assert text.count("data:image/png;base64,") == len(FIGURES)
    assert not re.search(r'(src|href)="(?!data:|#)', text)
    assert "Rests on" in text and "2024, Fig. 14" in text
    table = [re.findall("<td>(.*?)</td>", line) for line in text.splitlines() if "<td>balanced" in line]
    assert [line[1:3] for line in table] == [[what, "1.020"] for what in ("no resize", "a resize", "either")]


def test_the_papers_stand_beside_emulated_over_real(made: dict[str, Any]) -> None:
    table = page(made).partition("Emulated over real, total time")[2].partition("</table>")[0]
    told = [re.findall("<td>(.*?)</td>", line)[-1] for line in table.splitlines() if "<td>" in line]
    balanced, unbalanced = told[:3], told[3:]
    assert "below 20 %" in balanced[0] and "less than 15 %, except in one case" in balanced[1]
    assert "around 50 %" in unbalanced[0] and "not measured" in unbalanced[1]
    assert balanced[2] == unbalanced[2] == "-"


@pytest.mark.parametrize("figure", ["growth-reconfiguration", "growth-total"])
def test_what_the_paper_concludes_stands_beside_its_figures(figure: str) -> None:
    concluded = [
        each for each in papers() if each["figure"] == figure and each["source"] == "2024, section 6"
    ]
    assert ["less than 15 %, except in one case" in each["text"] for each in concluded] == [True]


def test_names_cannot_break_the_page(begin: Callable[..., Any]) -> None:
    folder = begin()
    folder.record(folder.runs[0], "failed", "<script>alert(1)</script>")
    text = page(report(folder))
    assert "&lt;script&gt;" in text and "<script>" not in text


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


def test_pictures_are_written_for_each_figure(made: dict[str, Any], tmp_path: Path) -> None:
    written = write_pictures(made, tmp_path / "plots")
    assert [path.stem for path in written] == FIGURES
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written)


def test_a_picture_says_what_it_shows_and_what_the_papers_found(made: dict[str, Any]) -> None:
    for chart in charts(made):
        drawn = draw(chart)
        below = " ".join(drawn.get_supxlabel().split())
        assert drawn.get_suptitle() == chart.title
        assert f"Rests on {chart.runs} runs." in below
        assert all(paper["text"] in below and paper["source"] in below for paper in chart.papers)


@pytest.mark.parametrize("figure", ["alpha", "preferred-redistribution_seconds"])
def test_words_of_a_picture_fit_on_it(made: dict[str, Any], figure: str) -> None:
    (chart,) = [each for each in charts(made) if each.name == figure]
    drawn = draw(chart)
    drawn.canvas.draw()
    frame = drawn.bbox
    words = [text for text in drawn.texts if text.get_text() in (drawn.get_suptitle(), drawn.get_supxlabel())]
    assert len(words) == 2
    for text in words:
        box = text.get_window_extent()
        assert frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1
    assert all(axes.get_window_extent().height > 100 for axes in drawn.axes)


def test_a_study_without_runs_has_a_report(begin: Callable[..., Any]) -> None:
    made = report(begin())
    assert made["runs"] == {"planned": 386, "good": 0, "failed": 0, "missing": 386}
    assert made["emulated_over_real"] == {"balanced": None, "unbalanced": None}
    assert charts(made) == []
    assert "386 were not made" in page(made)


def test_too_few_runs_are_said_and_nothing_is_invented(begin: Callable[..., Any]) -> None:
    folder = begin()
    for planned in folder.runs:
        if planned.repetition <= 2 and planned.application == "cg":
            folder.good(planned, 1.0 + planned.repetition)
    made = report(folder)
    assert {each["reason"] for each in made["differences"]} == {"not enough runs"}
    assert {each["p"] for each in [*made["differences"], *made["normality"]]} == {None}
    cells = [cell for each in made["preferred"] for cell in each["cells"]]
    assert {(cell["variant"], cell["reason"]) for cell in cells} == {(None, "not enough runs")}
    assert "not enough runs" in page(made)
    assert "preferred-total_seconds" not in [chart.name for chart in charts(made)]


def test_a_half_finished_study_is_reported_as_far_as_it_got(begin: Callable[..., Any]) -> None:
    folder = begin()
    runs = folder.runs
    for planned in runs[: len(runs) // 2]:
        folder.good(planned, total_of(planned.repetition))
    found = find(folder.write('{"event": "run", "run": "cg_1_fi'))
    made = document(found)
    assert made["runs"]["good"] == len(runs) // 2
    assert made["runs"]["missing"] == len(runs) - len(runs) // 2
    assert [chart.name for chart in charts(made)] == FIGURES


def total_of(repetition: int) -> float:
    return 1.0 + 0.01 * repetition


def test_failed_and_damaged_runs_are_listed_with_their_reason(begin: Callable[..., Any]) -> None:
    folder = begin()
    failed, damaged, gone, fine = folder.runs[-4:]
    folder.record(failed, "failed", "did not end within 120 s")
    (folder.good(damaged, 1.0) / "run.jsonl").write_text('{"event": "header"\n')
    (folder.good(gone, 1.0) / "run.jsonl").unlink()
    folder.good(fine, 1.0)
    made = report(folder)
    reasons = {failure["run"]: failure["reason"] for failure in made["failures"]}
    assert reasons[failed.name] == "did not end within 120 s"
    assert "run.jsonl:1: is no event" in reasons[damaged.name]
    assert "No such file" in reasons[gone.name]
    assert made["runs"]["good"] == 1


def test_a_run_that_was_tried_again_counts_with_its_last_attempt(begin: Callable[..., Any]) -> None:
    folder = begin()
    planned = folder.runs[-1]
    folder.record(planned, "failed", "died", attempt=1)
    results = folder.good(planned, 1.0)
    results.rename(results.with_name("2"))
    folder.lines.pop()
    folder.record(planned, "good", attempt=2)
    assert report(folder)["runs"] == {"planned": 386, "good": 1, "failed": 0, "missing": 385}


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ('{"event": "header", "format": "other", "version": 1}\n', "runs.jsonl:1: format = 'other'"),
        ('{"event": "header", "format": "nereus-study", "version": 2}\n', "version = 2: 1 is supported"),
        ("no json\n", "runs.jsonl:1: is not JSON"),
        ("[1]\n", "runs.jsonl:1: not an event"),
    ],
)
def test_records_of_something_else_are_refused(begin: Callable[..., Any], records: str, said: str) -> None:
    folder = begin()
    (folder.path / "runs.jsonl").write_text(records)
    with pytest.raises(StudyError, match=re.escape(said)):
        find(folder.path)


def test_a_damaged_record_is_an_error_that_names_its_line(begin: Callable[..., Any]) -> None:
    folder = begin()
    folder.lines.append(json.dumps({"event": "run", "run": "x", "attempt": "1"}))
    with pytest.raises(StudyError, match=r"runs\.jsonl:3: run: attempt"):
        find(folder.write())


def test_a_folder_of_a_run_is_no_study(tmp_path: Path, complete: Any) -> None:
    (tmp_path / "run.jsonl").write_text("{}")
    assert not is_study(tmp_path)
    assert is_study(complete.path)
