# SPDX-License-Identifier: BSD-3-Clause
"""Figures, pictures and the page of a study: what they show, on what they rest, what the papers found."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure

from nereus.analysis.study.figures import Bars, charts, draw
from nereus.analysis.study.findings import interval, papers
from nereus.analysis.study.page import page, write_pictures

FIGURES = [
    "growth-compute", "growth-communication", "growth-fixed", "reconfiguration-blocking",
    "reconfiguration", "growth-reconfiguration", "growth-total", "speedup", "preferred-total_seconds",
    "preferred-redistribution_seconds", "alpha", "omega", "iterations", "progress",
]  # fmt: skip


def test_speedups_name_their_reference(small: Callable[..., Any]) -> None:
    folder = small('reference = "Merge-COLS"\n')
    for planned in folder.runs:
        folder.good(planned, 1.0)
    made = folder.report()
    assert made["reference"] == "Merge-COLS"
    assert {each["reference"] for each in made["speedup"]} == {"Merge-COLS"}
    (chart,) = [each for each in charts(made) if each.name == "speedup"]
    assert chart.title == "Speed-up of the total time over Merge-COLS"
    assert shaded(made, "speedup") == set()  # the papers' reference is another one


def test_figure_counts_each_run_once(fewer: dict[str, Any], made: dict[str, Any]) -> None:
    runs = {chart.name: chart.runs for chart in charts(fewer)}
    assert runs == {
        "reconfiguration-blocking": 6, "reconfiguration": 8, "speedup": 8,
        "preferred-total_seconds": 6, "preferred-redistribution_seconds": 6,
        "alpha": 5, "omega": 2, "iterations": 8, "progress": 8,
    }  # fmt: skip
    runs = {chart.name: chart.runs for chart in charts(made)}
    assert (runs["growth-fixed"], runs["growth-total"], runs["speedup"]) == (
        4 * 3 * 5,
        4 * 16 * 5,
        4 * 16 * 5,
    )


def test_every_figure_of_the_papers_is_present_with_its_number_of_runs(made: dict[str, Any]) -> None:
    found = charts(made)
    assert [chart.name for chart in found] == FIGURES
    assert all(chart.runs > 0 for chart in found)
    with_papers = {chart.name for chart in found if chart.papers}
    assert with_papers == set(FIGURES)


def test_findings_of_the_papers_have_a_source_and_a_figure() -> None:
    found = papers()
    assert {finding["figure"] for finding in found} == {*FIGURES, "emulated_over_real"}
    assert all(finding["source"] and finding["text"] for finding in found)
    assert all(("low" in finding) == ("high" in finding) for finding in found)


def test_alpha_is_quoted_as_the_paper_found_it() -> None:
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
def test_interval_applies_to_what_was_measured(
    figure: str, variant: str, sizes: tuple[int, int], told: tuple[float, float] | None
) -> None:
    findings = [each for each in papers() if each["figure"] == figure]
    assert interval(findings, {"from": sizes[0], "to": sizes[1], "variant": variant}) == told


def test_interval_is_shaded_behind_its_bars_only(made: dict[str, Any]) -> None:
    (chart,) = [each for each in charts(made) if each.name == "iterations"]
    drawn = draw(chart)
    shades = [bars for bars in bars_of(drawn) if bars.get_label() == "papers"]
    assert len(shades) == 4 * 4  # applications and pairs of sizes, Merge-COLT each
    bars = [bars for bars in bars_of(drawn) if bars.get_label() != "papers"]
    assert max(each[0].get_width() for each in bars) < min(each[0].get_width() for each in shades)


def bars_of(drawn: Figure) -> list[BarContainer]:
    return [bars for axes in drawn.axes for bars in axes.containers if isinstance(bars, BarContainer)]


def test_variant_has_one_colour_in_all_figures_of_a_report(made: dict[str, Any]) -> None:
    looks: dict[str, set[tuple[Any, ...]]] = {}
    for chart in charts(made):
        (legend,) = draw(chart).legends
        for text, patch in zip(legend.get_texts(), legend.get_patches(), strict=True):
            name = text.get_text().split(": ")[-1]  # squares have a number in front of it
            looks.setdefault(name, set()).add((patch.get_facecolor(), patch.get_hatch()))
    variants = {"Baseline-COLS", "Merge-COLS", "Merge-COLT", "Merge-P2PA"}
    assert looks.keys() == {*variants, "without a resize", "papers"}
    assert {len(found) for found in looks.values()} == {1}
    assert len(set.union(*looks.values())) == len(looks)


def test_squares_have_the_colour_of_the_variant_that_their_number_names(made: dict[str, Any]) -> None:
    (chart,) = [each for each in charts(made) if each.name == "preferred-total_seconds"]
    drawn = draw(chart)
    names = {patch.get_facecolor(): patch.get_label() for patch in drawn.legends[0].get_patches()}
    for axes in drawn.axes:
        numbers = [text.get_text() for text in axes.texts]
        assert numbers == [str(names[patch.get_facecolor()]).split(":")[0] for patch in axes.patches]


def bars_in(made: dict[str, Any], name: str) -> Bars:
    (content,) = [chart.content for chart in charts(made) if chart.name == name]
    assert isinstance(content, Bars)
    return content


def test_whiskers_of_times_reach_from_the_least_run_to_the_greatest(made: dict[str, Any]) -> None:
    totals = {
        (row["application"], row["sizes"], row["variant"]): row["total_seconds"] for row in made["cells"]
    }
    over, under = totals["cg-emulated", "1-2", "Merge-COLT"], totals["cg", "1-2", "Merge-COLT"]
    place = ("1 → 2", "Merge-COLT")
    expected = (over["min"] / under["max"], over["max"] / under["min"])
    assert bars_in(made, "growth-total").whiskers["cg-emulated"][place] == pytest.approx(expected)
    reference = totals["cg", "1-2", "Baseline-COLS"]
    expected = (reference["min"] / under["max"], reference["max"] / under["min"])
    found = bars_in(made, "speedup").whiskers["cg"]
    assert found[place] == pytest.approx(expected)
    assert ("1 → 2", "Baseline-COLS") not in found  # over itself


@pytest.mark.parametrize("figure", [name for name in FIGURES if not name.startswith("preferred")])
def test_axes_have_units_and_whiskers_a_meaning(made: dict[str, Any], figure: str) -> None:
    (chart,) = [each for each in charts(made) if each.name == figure]
    assert isinstance(chart.content, Bars)
    drawn = draw(chart)
    whiskers = [
        each for axes in drawn.axes for each in axes.containers if isinstance(each, ErrorbarContainer)
    ]
    assert len(whiskers) == sum(map(len, chart.content.whiskers.values()))
    assert (chart.content.meaning in " ".join(drawn.get_supxlabel().split())) == bool(whiskers)
    is_time = figure in ("reconfiguration", "reconfiguration-blocking", "progress")
    assert all(axes.get_ylabel().endswith("[s]" if is_time else ("/ real", "/ time", "of iterations"))
               for axes in drawn.axes)  # fmt: skip
    assert drawn.axes[-1].get_xlabel().startswith("processes")


def test_disturbed_run_does_not_make_the_others_too_small(small: Callable[..., Any]) -> None:
    folder = small()
    for planned in folder.runs:
        disturbed = planned.variant == "Merge-COLS" and planned.repetition == 3
        folder.good(planned, 60.0 if disturbed else 3.0 if planned.variant == "Merge-COLS" else 3.5)
    (chart,) = [each for each in charts(folder.report()) if each.name == "speedup"]
    drawn = draw(chart)
    assert drawn.axes[0].get_ylim()[0] > 0.5
    assert [each.get_marker() for each in drawn.axes[0].lines].count("v") == 1
    assert "Arrows mark those that reach beyond the picture." in " ".join(drawn.get_supxlabel().split())


def test_our_own_reading_is_marked_as_such() -> None:
    fixed = [each for each in papers() if each["figure"] == "growth-fixed"]
    (unbalanced,) = [each for each in fixed if each["load"] == "unbalanced"]
    assert "our reading" in unbalanced["text"]


def test_page_needs_no_other_file(made: dict[str, Any]) -> None:
    text = page(made)
    assert text.count("data:image/png;base64,") == len(FIGURES)
    assert not re.search(r'(src|href)="(?!data:|#)', text)
    assert "Rests on" in text and "2024, Fig. 14" in text
    table = [re.findall("<td>(.*?)</td>", line) for line in text.splitlines() if "<td>balanced" in line]
    assert [line[1:3] for line in table] == [[what, "1.020"] for what in ("no resize", "a resize", "either")]


def test_papers_values_are_shown_beside_emulated_over_real(made: dict[str, Any]) -> None:
    table = page(made).partition("Emulated over real, total time")[2].partition("</table>")[0]
    told = [re.findall("<td>(.*?)</td>", line)[-1] for line in table.splitlines() if "<td>" in line]
    balanced, unbalanced = told[:3], told[3:]
    assert "below 20 %" in balanced[0] and "less than 15 %, except in one case" in balanced[1]
    assert "around 50 %" in unbalanced[0] and "not measured" in unbalanced[1]
    assert balanced[2] == unbalanced[2] == "-"


@pytest.mark.parametrize("figure", ["growth-reconfiguration", "growth-total"])
def test_conclusions_of_the_paper_are_shown_beside_its_figures(figure: str) -> None:
    concluded = [
        each for each in papers() if each["figure"] == figure and each["source"] == "2024, section 6"
    ]
    assert ["less than 15 %, except in one case" in each["text"] for each in concluded] == [True]


def test_names_are_escaped_in_the_page(begin: Callable[..., Any]) -> None:
    folder = begin()
    folder.record(folder.runs[0], "failed", "<script>alert(1)</script>")
    text = page(folder.report())
    assert "&lt;script&gt;" in text and "<script>" not in text


def test_picture_is_written_for_each_figure(made: dict[str, Any], tmp_path: Path) -> None:
    written = write_pictures(made, tmp_path / "plots")
    assert [path.stem for path in written] == FIGURES
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written)


def test_picture_states_content_and_findings_of_the_papers(made: dict[str, Any]) -> None:
    for chart in charts(made):
        drawn = draw(chart)
        below = " ".join(drawn.get_supxlabel().split())
        assert drawn.get_suptitle() == chart.title
        assert f"Rests on {chart.runs} runs." in below
        assert all(paper["text"] in below and paper["source"] in below for paper in chart.papers)


@pytest.mark.parametrize("figure", ["alpha", "preferred-redistribution_seconds"])
def test_picture_texts_fit_into_the_frame(made: dict[str, Any], figure: str) -> None:
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


def test_study_without_runs_has_a_report(begin: Callable[..., Any]) -> None:
    made = begin().report()
    assert made["runs"] == {"planned": 410, "good": 0, "failed": 0, "missing": 410}
    assert made["emulated_over_real"] == {"balanced": None, "unbalanced": None}
    assert charts(made) == []
    assert "410 were not made" in page(made)
