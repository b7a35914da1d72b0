# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: the picture of policies by cores, whose bars are the figures of the document."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from matplotlib.patches import Rectangle

from nereus.policy.loading import load
from nereus.simulation.jobs import Result, load_trace, simulate
from nereus.simulation.jobs.bars import figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import BboxBase

Nereus = Callable[..., tuple[int, str, str]]
Sizes = Mapping[int, Sequence[Result]]
TABLE_2 = Path(__file__).parents[4] / "examples" / "simulate" / "table-2.toml"


@pytest.fixture
def table_2(paper: Callable[..., Result]) -> Sizes:
    return {
        cores: [paper("table-2.toml", name, cores) for name in ("fair", "io-based")] for cores in (36, 82)
    }


@pytest.fixture
def traced(tmp_path: Path, trace: Callable[[int, int, int], str]) -> Callable[..., Sizes]:
    """So many jobs without I/O and flops."""

    def made(jobs: int, *sizes: int) -> Sizes:
        file = tmp_path / "day.swf"
        file.write_text(trace(jobs, 64, 3))
        names = ("none", "fair")
        return {
            cores: [simulate(load_trace(file, cores), name, load(name)) for name in names] for cores in sizes
        }

    return made


def rows(drawn: "Figure", columns: int) -> "list[list[Axes]]":
    axes = drawn.axes
    return [axes[first : first + columns] for first in range(0, len(axes), columns)]


def stacks(axes: "Axes") -> dict[int, list[float]]:
    """Heights of the parts of each bar from the bottom, whose lower ends are where the part below ends."""
    found: dict[int, list[float]] = {}
    for bar in axes.patches:
        assert isinstance(bar, Rectangle)
        parts = found.setdefault(round(bar.get_x() + bar.get_width() / 2), [])
        assert bar.get_y() == pytest.approx(sum(parts))
        parts.append(bar.get_height())
    return found


def around(axes: "Axes") -> "BboxBase":
    """With all that belongs to it."""
    box = axes.get_tightbbox()
    assert box is not None
    return box


def labels(drawn: "Figure", columns: int) -> list[str]:
    return [first.get_ylabel() for first, *_ in rows(drawn, columns)]


@pytest.mark.parametrize("sizes", [["36"], ["36", "82"]])
def test_picture_is_written_to_the_requested_file(nereus: Nereus, tmp_path: Path, sizes: list[str]) -> None:
    file = tmp_path / "new" / "bars.png"
    cores = [argument for size in sizes for argument in ("--cores", size)]
    code, _, err = nereus("simulate", TABLE_2, *cores, "--policy", "fair", "--bars", file)
    assert (code, f"written: {file}" in err) == (0, True)
    assert file.read_bytes().startswith(b"\x89PNG")


def test_bars_of_a_job_match_the_document(table_2: Sizes) -> None:
    ranks, waits, flops = rows(figure(table_2), 2)
    for column, results in enumerate(table_2.values()):
        for at, result in enumerate(results):
            told = result.document()
            jobs = told["jobs"]
            mean = [job["delay_seconds"] / job["phases"] for job in jobs]
            assert stacks(ranks[column])[at] == [job["ranks"] for job in jobs]
            assert stacks(waits[column])[at] == pytest.approx(mean)
            assert sum(stacks(flops[column])[at]) == pytest.approx(told["flops"])


def test_picture_shows_cores_jobs_policies_and_gains(table_2: Sizes) -> None:
    drawn = figure(table_2)
    first, second = drawn.axes[:2]
    assert [axes.get_title(loc="left") for axes in (first, second)] == ["36 cores", "82 cores"]
    assert [tick.get_text() for tick in drawn.axes[-1].get_xticklabels()] == ["fair", "io-based"]
    assert {text.get_text() for text in drawn.legends[0].get_texts()} == {"A1", "A2", "A3", "A4"}
    assert {text.get_text() for text in first.texts} >= {str(job.ranks) for job in table_2[36][1].jobs}
    fair, by_io = table_2[36]
    gain = f"{100 * (by_io.flops / fair.flops - 1):+.1f} %"
    assert gain in {text.get_text() for text in rows(drawn, 2)[2][0].texts}


def many(results: Sequence[Result], length: int) -> list[Result]:
    """Policies with names of so many words, whose second and third jobs have next to no ranks."""
    made = []
    for number in range(16):
        result = results[min(number, 1)]
        jobs = [replace(job, ranks=1) if job.name in ("A2", "A3") else job for job in result.jobs]
        made.append(replace(result, policy=f"policy-{number}-" * length, jobs=jobs))
    return made


@pytest.mark.parametrize("length", [1, 3])
def test_texts_in_the_picture_do_not_overlap(table_2: Sizes, length: int) -> None:
    drawn = figure(
        {cores: many(results, length) for cores, results in zip((210, 10**7), table_2.values(), strict=True)}
    )
    drawn.draw_without_rendering()
    for axes in drawn.axes:
        shown = [text for text in axes.texts if text.get_visible() and text.get_text()]
        boxes = [text.get_window_extent() for text in shown]
        assert boxes
        assert [pair for pair in combinations(boxes, 2) if pair[0].overlaps(pair[1])] == []
    panels = [around(axes) for axes in drawn.axes]
    assert [pair for pair in combinations(panels, 2) if pair[0].overlaps(pair[1])] == []
    legend = drawn.legends[0].get_window_extent()
    assert max(panel.x1 for panel in panels) <= legend.x0
    assert legend.x1 <= drawn.bbox.x1


def test_many_jobs_are_drawn_as_cores_in_use_and_waits_for_cores(
    traced: Callable[..., Sizes],
) -> None:
    results = traced(60, 32, 64)
    drawn = figure(results)
    assert labels(drawn, 2) == ["cores that jobs have, mean", "waits for cores,\nsum of the jobs (s)"]
    assert drawn.legends == []
    cores, waits = rows(drawn, 2)
    for column, size in enumerate(results):
        for at, result in enumerate(results[size]):
            told = result.document()
            assert sum(stacks(cores[column])[at]) == pytest.approx(told["core_seconds"] / result.makespan)
            assert sum(stacks(waits[column])[at]) == pytest.approx(told["queue_seconds"])


def test_consecutive_jobs_are_not_drawn_with_more_ranks_than_cores(
    traced: Callable[..., Sizes],
) -> None:
    results = traced(10, 16)
    assert sum(job.ranks for job in results[16][0].jobs) > 16
    drawn = figure(results)
    assert labels(drawn, 1)[0] == "cores that jobs have, mean"
    assert all(sum(parts) <= 16 for parts in stacks(drawn.axes[0]).values())
    assert len(drawn.legends[0].get_texts()) == len(results[16][0].jobs)


def test_custom_policies_are_distinguished(table_2: Sizes) -> None:
    def names(*policies: str) -> list[str]:
        for result, policy in zip(table_2[36], policies, strict=True):
            result.policy = policy
        return [tick.get_text() for tick in figure({36: table_2[36]}).axes[-1].get_xticklabels()]

    assert names("far/away/a.py:A", "b.py:A") == ["a.py:A", "b.py:A"]
    assert names("far/a.py:A", "near/a.py:A") == ["far/a.py:A", "near/a.py:A"]
