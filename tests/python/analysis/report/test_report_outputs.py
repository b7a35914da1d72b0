# SPDX-License-Identifier: BSD-3-Clause
"""What people look at: summary, CSV, picture, Proteo's files."""

import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from matplotlib.figure import Figure
from rich.console import Console

from nereus.analysis.report import ResultError, draw, read, table, write_csv, write_proteo
from nereus.analysis.report.picture import LABEL_ROWS, colours, figure, label_rows
from nereus.analysis.report.timeline import Timeline, pause_spans
from nereus.analysis.report.units import bytes_text, duration_text, seconds_text


def shown(results: Any) -> str:
    console = Console(file=io.StringIO(), width=80)
    console.print(table(results))
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def row(text: str, start: str) -> list[str]:
    """The cells of the first table row whose first cell is `start`."""
    rows = (re.split(" {2,}", line.strip()) for line in text.splitlines())
    return next(cells for cells in rows if cells[0] == start)


def legend_of(made: Figure) -> list[str]:
    (legend,) = made.legends
    return [text.get_text() for text in legend.get_texts()]


def with_undone(begin: Any) -> Any:
    run = begin([2, 8])
    run.starts()
    run.iterates([0.1] * 3)
    run.undoes(8, "host [n3] is down")
    run.iterates([0.1] * 3)
    run.finishes(intact=False)
    return run


def test_table_has_the_energy_of_the_host(complete: Any) -> None:
    folder = complete.write()
    used = {"package_joules": 120.0, "seconds": 10.0, "packages": 2, "watts": 12.0}
    (folder / "energy.json").write_text(json.dumps(used))
    assert "120 J, 12.0 W in the mean, of all that this host did" in shown(read(folder))


def test_summary_shows_each_generation_and_resize(complete: Any) -> None:
    text = shown(read(complete.write()))
    assert row(text, "2") == ["2", "5", "1", "120 ms", "100 ms", "140 ms", "matrix 108 ms"]
    assert row(text, "2 → 4") == ["2 → 4", "merge", "12.0 ms", "6.00 ms", "3.60 ms", "3.52 KiB", "✓"]
    assert row(text, "p2p blocking") == ["p2p blocking", "2.40 ms", "2.34 KiB"]
    assert row(text, "4 → 1")[-1] == "-"
    assert "made up · MPICH Version: 5.0.2 · n1\n2.66 s in all, data intact\n" in text


def test_summary_shows_iterations_during_background_transfer(in_background: Any) -> None:
    text = shown(read(in_background.write()))
    assert row(text, "2 → 4")[:5] == ["2 → 4", "merge", "12.0 ms", "6.00 ms", "3.60 ms"]
    assert row(text, "rma-lockall") == ["rma-lockall", "2.40 ms", "2.34 KiB"]
    assert row(text, "wait-drains") == ["wait-drains", "2 it."]


def test_summary_fits_a_usual_terminal(complete: Any) -> None:
    wide = {"process_method": "baseline-intra", "bytes_moved": 3_813_655_465, "from": 1024}
    wide |= {"transfer_method": "rma-lockall", "transfer_strategy": "nonblocking"}
    complete.iterates([100.0])
    complete.resizes(4096, meanwhile=1, **wide)
    text = shown(read(complete.write()))
    assert "…" not in text
    assert row(text, "1024 → 4096")[-2] == "3.55 GiB"


def test_summary_shows_rollbacks_and_damaged_data(begin: Any) -> None:
    text = shown(read(with_undone(begin).write()))
    assert "2 → 8 ranks rolled back while making: host [n3] is down" in text
    assert "DATA NOT INTACT" in text


def test_summary_reports_an_unfinished_run(complete: Any) -> None:
    del complete.lines[-1]
    assert "did not finish" in shown(read(complete.write()))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0.00 s"), (1.5, "1.50 s"), (0.0123, "12.3 ms"), (4e-5, "40.0 µs"), (123.4, "123 s"), (None, "-")],
)
def test_times_are_shown_in_readable_units(seconds: float | None, text: str) -> None:
    assert seconds_text(seconds) == text


def test_sizes_and_durations_are_shown_in_readable_units() -> None:
    assert [bytes_text(n) for n in (0, 1023, 1536, 3_813_655_465)] == [
        "0 B",
        "1023 B",
        "1.50 KiB",
        "3.55 GiB",
    ]
    assert [duration_text(s) for s in (-1, 5.4, 75, 4000)] == ["0:00", "0:05", "1:15", "1:06:40"]


def test_csv_files_hold_every_iteration_and_resize(complete: Any, tmp_path: Path) -> None:
    paths = write_csv(read(complete.write()), tmp_path / "csv")
    generations, resizes, iterations = (pandas.read_csv(path) for path in paths)
    assert list(generations["ranks"]) == [2, 4, 1]
    assert list(generations["iteration_median_seconds"][:2]) == [0.12, 0.07]
    assert list(generations["stage_0_median_seconds"][:1]) == pytest.approx([0.108])
    assert list(resizes["pause_seconds"]) == [0.012, 0.2]
    assert list(resizes["moved_bytes"]) == [3600, 3600]
    assert list(iterations["iteration"]) == list(range(16))
    assert list(iterations["ranks"]) == [2] * 5 + [4] * 5 + [1] * 6
    assert list(iterations["background"]) == [False] * 4 + [True] + [False] * 11
    assert not any(iterations["moving"])
    assert list(iterations["stage_1_seconds"].isna()) == [False] * 15 + [True]


def test_csv_files_hold_background_transfers(in_background: Any, tmp_path: Path) -> None:
    _, resizes, iterations = (
        pandas.read_csv(path) for path in write_csv(read(in_background.write()), tmp_path)
    )
    assert list(iterations["moving"]) == [False] * 3 + [True] * 2 + [False] * 2
    (found,) = resizes.to_dict("records")
    assert (found["transfer_method"], found["transfer_strategy"]) == ("rma-lockall", "wait-drains")
    assert (found["background_seconds"], found["background_iterations"]) == (pytest.approx(0.0036), 2)
    assert (found["shared_bytes"], found["predicted_seconds"]) == (1200, 0.5)


def test_csv_lists_rolled_back_resizes_with_reason(begin: Any, tmp_path: Path) -> None:
    resizes = pandas.read_csv(write_csv(read(with_undone(begin).write()), tmp_path)[1])
    assert list(resizes["outcome"]) == ["undone while making"]
    assert list(resizes["reason"]) == ["host [n3] is down"]


def test_picture_is_a_png_with_a_colour_per_number_of_ranks(complete: Any, tmp_path: Path) -> None:
    from matplotlib.colors import to_rgb
    from matplotlib.image import imread

    draw([read(complete.write())], tmp_path / "new" / "picture.png")
    pixels = imread(tmp_path / "new" / "picture.png")[:, :, :3]
    assert pixels.shape[0] > 500
    assert pixels.shape[1] > 1000
    for colour in colours([1, 2, 4]).values():
        assert (abs(pixels - to_rgb(colour)).max(axis=2) < 0.02).sum() > 20


def test_picture_names_every_size_and_marks_every_resize(complete: Any) -> None:
    made = figure([read(complete.write())])
    axes = made.axes[0]
    assert legend_of(made) == ["1 rank", "2 ranks", "4 ranks", "pause", "during a resize"]
    assert [text.get_text() for text in axes.texts] == ["2 → 4, 12.0 ms", "4 → 1, 200 ms"]
    assert axes.get_ylabel() == "time of an iteration [ms]"


def test_picture_distinguishes_waiting_for_processes_from_moving_data(in_background: Any) -> None:
    made = figure([read(in_background.write())])
    axes = made.axes[0]
    assert legend_of(made)[-2:] == ["during a resize", "while constant data moved"]
    marks = {
        marker: sum(np.size(line.get_xdata()) for line in axes.lines if line.get_marker() == marker)
        for marker in "os"
    }
    assert marks == {"o": 2, "s": 2}


def test_picture_shades_the_pause_after_the_last_iteration(complete: Any) -> None:
    from matplotlib.patches import Rectangle

    axes = figure([read(complete.write())]).axes[0]
    pause = axes.patches[0]
    assert isinstance(pause, Rectangle)
    # After 0.6 s of iterations; 0.3 s of calibration before them do not count.
    assert pause.get_x() == pytest.approx(0.6)
    assert pause.get_width() == pytest.approx(0.012)


def test_picture_shows_rolled_back_resizes_and_damaged_data(begin: Any) -> None:
    made = figure([read(with_undone(begin).write())])
    axes = made.axes[0]
    assert "resize rolled back" in legend_of(made)
    assert [text.get_text() for text in axes.texts] == ["2 → 8 rolled back"]
    assert "NOT INTACT" in axes.get_title(loc="left")


def test_runs_beside_each_other_share_axes_and_colours(complete: Any, in_background: Any) -> None:
    made = figure([read(complete.write()), read(in_background.write())])
    upper, lower = made.axes
    assert upper.get_xlim() == lower.get_xlim()
    assert upper.get_ylim() == lower.get_ylim()
    assert "2 → 4, 12.0 ms" in [text.get_text() for text in lower.texts]
    assert legend_of(made)[:4] == ["1 rank", "2 ranks", "4 ranks", "pause"]
    assert legend_of(made).count("2 ranks") == 1


def test_timeline_leaves_out_the_calibration_of_each_generation(complete: Any) -> None:
    results = read(complete.write())
    iterating = sum(i.seconds for g in results.generations for i in g.iterations)
    pausing = sum(resize.event.pause_seconds for resize in results.resizes)
    assert Timeline(results).end == pytest.approx(iterating + pausing)


def test_axis_of_the_picture_ends_with_the_total_in_its_title(begin: Any) -> None:
    run = begin([2, 4])
    run.clock = 0.05  # the job starts
    run.starts(calibrates=0.0)
    run.iterates([0.1] * 3)
    run.clock += 0.2  # a second phase begins with a calibration
    run.calibration += 0.2
    run.iterates([0.1] * 2, phase=1)
    run.resizes(4)
    run.clock += 0.04  # data is taken over, which the total has
    run.iterates([0.05] * 2)
    run.finishes()
    results = read(run.write())
    axes = figure([results]).axes[0]
    assert results.end is not None
    total = results.end.total_seconds
    assert Timeline(results).end == pytest.approx(total) == pytest.approx(0.702)
    assert axes.get_title(loc="left") == "made up: 702 ms in all, without calibration"
    assert axes.get_xlim()[1] == pytest.approx(1.015 * total)


def test_pause_is_shaded_where_the_application_stood_still(begin: Any) -> None:
    """A transfer in the background begins when processes are made, and ends with variable data."""
    run = begin([2, 4])
    run.starts()
    run.iterates([0.1] * 3, background=1)
    run.clock += 0.14
    run.iterates([0.1] * 2, background=2)
    run.resizes(4, meanwhile=2, pause_seconds=0.152)
    run.iterates([0.05])
    run.finishes()
    axes = figure([read(run.write())]).axes[0]
    bands = [(patch.get_x(), patch.get_width()) for patch in axes.patches]  # type: ignore[attr-defined]
    assert bands == [pytest.approx((0.3, 0.14)), pytest.approx((0.64, 0.012))]
    assert [text.get_text() for text in axes.texts] == ["2 → 4, 152 ms"]


def test_picture_uses_log_scale_for_short_and_long_iterations(begin: Any) -> None:
    run = begin([2])
    run.starts()
    run.iterates([0.001, 0.2])
    axes = figure([read(run.write())]).axes[0]
    assert axes.get_yscale() == "log"


def test_every_number_of_ranks_has_its_own_colour() -> None:
    for count in (1, 8, 9, 60):
        assert len(set(colours(list(range(1, count + 1)) * 2).values())) == count


def test_resize_labels_do_not_overlap() -> None:
    assert label_rows([(0.1, 0.1), (0.15, 0.1), (0.21, 0.1)]) == [0, 1, 0]
    assert label_rows([(0.5, 0.1)] * (LABEL_ROWS + 1)) == [*range(LABEL_ROWS), None]


PHASES = """\
Phase 0: Qty_Stages=2, Qty_Iters=15
\tStage 0: PT=1, T_stage=0.050000, bytes=0, Granularity=600, Involved_Procs=0, T_capped=0
\tStage 1: PT=8, T_stage=0.000000, bytes=8, Granularity=600, Involved_Procs=0, T_capped=0
Phase 1: Qty_Stages=1, Qty_Iters=1
\tStage 0: PT=9, T_stage=0.050000, bytes=4096, Granularity=600, Involved_Procs=0, T_capped=0
"""


def test_proteo_global_file_is_written(complete: Any, tmp_path: Path) -> None:
    write_proteo(read(complete.write()), tmp_path)
    # 801 bytes are 101 elements of 8; pauses are as long as the sum of their parts.
    assert (tmp_path / "R0_Global.out").read_text() == (
        "Config loaded: R=2, Phases=2, SDR=101, ADR=500, Rigid=0, Capture_Method=0\n"
        + PHASES
        + "".join(
            f"Group {n}: Iters=5, Procs={r}, Factors=1.000000, Dist=2, RM=1, SM=1, RS=0, SS=0\n"
            for n, r in enumerate((2, 4, 1))
        )
        + "T_RMS: 0.000000 0.000000 \n"
        "T_spawn: 0.006000 0.100000 \n"
        "T_SR: 0.002400 0.040000 \n"
        "T_AR: 0.003600 0.060000 \n"
        "T_US: 0.000000 0.000000 \n"
        "T_Malleability: 0.012000 0.200000 \n"
        "T_total: 2.662000\n"
    )


def test_proteo_local_file_is_written_for_each_generation(complete: Any, tmp_path: Path) -> None:
    paths = write_proteo(read(complete.write()), tmp_path, run_number=3)
    names = ["R3_G0NP2ID0.out", "R3_G1NP4ID0.out", "R3_G2NP1ID0.out", "R3_Global.out"]
    assert [path.name for path in paths] == names
    assert paths[0].read_text() == (
        "Config: SDR=101, ADR=500, Rigid=0, Capture_Method=0\n"
        + PHASES
        + "Group 0: Iters=5, Procs=2, Factors=1.000000, Dist=2, RM=1, SM=1, RS=0, SS=0, parents=0, children=4"
        "\n"
        "R_Phase 0\n\tIters: 5\n\tAsync_Iters: 1\n"
        "\tT_iter: 0.100000 0.110000 0.120000 0.130000 0.140000 \n"
        "\tT_stage 0: 0.090000 0.099000 0.108000 0.117000 0.126000 \n"
        "\tT_stage 1: 0.010000 0.011000 0.012000 0.013000 0.014000 \n"
        "R_Phase 1\n\tIters: 0\n\tAsync_Iters: 0\n\tT_iter: \n\tT_stage 0: \n"
    )
    assert ", parents=4, children=0\n" in paths[2].read_text()
    assert "R_Phase 1\n\tIters: 1\n" in paths[2].read_text()


def test_methods_are_written_with_proteo_numbers(begin: Any, tmp_path: Path) -> None:
    run = begin([2, 4])
    run.run["groups"][1] |= {
        "process_method": "baseline-inter",
        "transfer_method": "col",
        "placement": "spread",
    }
    run.run |= {"barrier": True, "capture": "median"}
    run.announces()
    run.starts()
    run.finishes()
    write_proteo(read(run.write()), tmp_path)
    text = (tmp_path / "R0_Global.out").read_text()
    assert "Rigid=1, Capture_Method=2\n" in text
    assert "Dist=1, RM=0, SM=0, RS=0, SS=3\n" in text


@pytest.mark.parametrize(
    ("words", "method", "numbers"),
    [
        (["auto"], "merge", "0"),
        (["asynchronous", "single"], "merge", "1/2"),
        (["multiple"], "baseline-inter", "3/4"),
        (["asynchronous", "parallel"], "baseline-intra", "1/5"),
    ],
)
def test_strategies_are_written_with_proteo_numbers(
    begin: Any, tmp_path: Path, words: list[str], method: str, numbers: str
) -> None:
    run = begin([2, 4])
    run.run["groups"][1] |= {"process_strategies": words, "process_method": method}
    run.announces()
    run.starts()
    run.finishes()
    write_proteo(read(run.write()), tmp_path)
    assert f"RS=0, SS={numbers}\n" in (tmp_path / "R0_Global.out").read_text()


@pytest.mark.parametrize(
    ("method", "strategy", "numbers"),
    [
        ("col", "nonblocking", "RM=0, SM=1, RS=2"),
        ("p2p", "thread", "RM=1, SM=1, RS=1"),
        ("rma-lock", "wait-drains", "RM=2, SM=1, RS=3"),
        ("rma-lockall", "blocking", "RM=3, SM=1, RS=0"),
    ],
)
def test_transfers_are_written_with_proteo_numbers(
    begin: Any, tmp_path: Path, method: str, strategy: str, numbers: str
) -> None:
    run = begin([2, 4])
    run.run["groups"][1] |= {"transfer_method": method, "transfer_strategy": strategy}
    run.announces()
    run.starts()
    run.finishes()
    write_proteo(read(run.write()), tmp_path)
    assert f"{numbers}, SS=0\n" in (tmp_path / "R0_Global.out").read_text()


def test_proteo_files_hold_the_choices_of_auto(begin: Any, tmp_path: Path) -> None:
    chosen = {"transfer_method": "auto", "transfer_strategy": "auto"}
    run = begin([2, 4, 8])
    run.run["groups"] = [group | chosen for group in run.run["groups"]]
    run.announces()
    run.starts()
    run.iterates([0.1])
    run.resizes(4, transfer_method="rma-lock", transfer_strategy="thread")
    run.iterates([0.1])
    run.undoes(8, "no host")
    run.finishes()
    write_proteo(read(run.write()), tmp_path)
    text = (tmp_path / "R0_Global.out").read_text()
    assert "Procs=4, Factors=1.000000, Dist=2, RM=2, SM=1, RS=1" in text
    assert "Procs=8, Factors=1.000000, Dist=2, RM=1, SM=1, RS=0" in text
    assert "RM=2, SM=1, RS=1" in (tmp_path / "R0_G1NP4ID0.out").read_text()


def test_strategy_without_proteo_number_is_refused(begin: Any, tmp_path: Path) -> None:
    run = begin([2, 4])
    run.run["groups"][1]["process_strategies"] = ["join"]
    run.announces()
    run.starts()
    run.finishes()
    with pytest.raises(
        ResultError, match="process_strategies = join: Proteo's form has numbers for auto, asy"
    ):
        write_proteo(read(run.write()), tmp_path)


def test_unfinished_run_has_no_proteo_global_file(complete: Any, tmp_path: Path) -> None:
    del complete.lines[-1]
    names = [path.name for path in write_proteo(read(complete.write()), tmp_path)]
    assert names == ["R0_G0NP2ID0.out", "R0_G1NP4ID0.out", "R0_G2NP1ID0.out"]


def test_method_without_proteo_number_is_refused(complete: Any, tmp_path: Path) -> None:
    complete.lines[0] = complete.lines[0].replace('"p2p"', '"pigeon"')
    with pytest.raises(ResultError, match="transfer_method = pigeon: Proteo's form has numbers for p2p, col"):
        write_proteo(read(complete.write()), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_iterations_beside_a_resize_that_was_rolled_back_are_no_pause_of_the_next(begin: Any) -> None:
    run = begin([2, 8, 4])
    run.starts()
    run.iterates([0.1] * 2, background=1)
    run.clock += 0.2  # the first resize holds the application up
    run.iterates([0.1], background=1)
    run.undoes(8, "host [n3] is down")
    run.iterates([0.1] * 2)
    run.resizes(4, pause_seconds=0.1)
    results = read(run.write())
    (resize,) = results.resizes
    assert all(start >= results.undone[0].time for start, _ in pause_spans(results, resize))
