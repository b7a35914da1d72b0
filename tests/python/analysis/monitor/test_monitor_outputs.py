# SPDX-License-Identifier: BSD-3-Clause
"""What is made of a record: files of Open MPI's monitoring, rates, tables, the picture."""

import json
import re
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest
from a_run import HEADER, Line, communicator, moved, process, to_all, world, write
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from rich.console import Console

from nereus.analysis.monitor.flows import Flows, flows
from nereus.analysis.monitor.live import latest_of_job, rates, sums
from nereus.analysis.monitor.model import Recording, RecordingError
from nereus.analysis.monitor.picture import bytes_over_time, figure
from nereus.analysis.monitor.prof import read_prof, write_prof
from nereus.analysis.monitor.reader import read
from nereus.analysis.monitor.table import table

WINDOW = {"event": "window", "window": 3, "kind": "collective", "generation": 0}
RUN = (
    HEADER,
    process(0, 3),
    moved([[1, 2, 10, {"3": 2}]]),
    moved([[1, 1, 4, {"3": 1}]], kind="decomposed"),
    moved([[2, 1, 64, {"7": 1}]], kind="put"),
    moved([[1, 3, 96, {"6": 3}]], kind="get"),
    to_all("all", 8, messages=2),
    {**WINDOW, "rows": [[1, "all", 0, 0, 2, 16]]},
    communicator(0, [[0, 0, 3, 1]]),
    world(3),
    process(1, 3),
    process(2, 3),
    {"event": "unseen", "what": "x", "why": "y"},
)
# As Open MPI 4.1.4 wrote it for rank 0 of a reduce and a message of 40 bytes.
SIZES = ",".join(["0"] * 6 + ["1"] + ["0"] * 59)
OF_OPEN_MPI = f"""\
# POINT TO POINT
E\t0\t1\t40 bytes\t1 msgs sent\t{SIZES}
# OSC
# COLLECTIVES
C\t0\t1\t4000 bytes\t1 msgs sent
D\tMPI_COMM_WORLD\tprocs: 0,1
O2A\t0\t0 bytes\t0 msgs sent
A2O\t0\t4000 bytes\t1 msgs sent
A2A\t0\t0 bytes\t0 msgs sent
"""


def test_open_mpi_monitoring_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "x.0.prof").write_text(OF_OPEN_MPI)
    (tmp_path / "x.1.prof").write_text(f"# POINT TO POINT\nI\t1\t0\t4000 bytes\t1 msgs sent\t{SIZES}\n")
    (tmp_path / "y.0.prof").write_text("another run")
    made = read_prof(tmp_path / "x.1.prof")
    assert made.matrix("bytes", ["point_to_point"]).tolist() == [[0, 40], [0, 0]]
    assert made.matrix("bytes", ["decomposed"]).tolist() == [[0, 0], [4000, 0]]
    assert made.matrix("bytes", ["collective"]).tolist() == [[0, 4000], [0, 0]]
    assert made.matrix("bytes").tolist() == [[0, 40], [4000, 0]], "a collective counts once in a total"
    sent = next(pair for pair in made.document() if pair["kind"] == "point_to_point")
    assert sent["histogram"] == {"6": 1}


def test_files_written_for_open_mpi_tools_are_read_back_unchanged(tmp_path: Path) -> None:
    recording = read(write(tmp_path / "f", *RUN))
    made = flows(recording)
    files = write_prof(recording, made, tmp_path / "p")
    assert [file.name for file in files] == ["p.0.prof", "p.1.prof", "p.2.prof"]
    again = read_prof(files[0])
    assert again.pairs.to_dict() == made.pairs.to_dict()
    assert "A2A\t0\t32 bytes\t2 msgs sent" in files[0].read_text()


def test_damaged_line_of_open_mpi_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "x.0.prof").write_text("# POINT TO POINT\nE\t0\tone\t4 bytes\t1 msgs sent\n")
    with pytest.raises(RecordingError, match=r"x\.0\.prof:2"):
        read_prof(tmp_path / "x.0.prof")


def test_rate_is_the_difference_of_two_samples() -> None:
    def look(messages: int) -> list[bytes]:
        lines = [process(0), moved([[1, messages, messages * 100, {"7": messages}], [2, 1, 1, {"1": 1}]])]
        return [json.dumps(line, separators=(",", ":")).encode() for line in lines]

    (only,) = rates(sums(look(10)), sums(look(30)), 2.0)
    assert only.messages["point_to_point"] == 10.0
    assert only.bytes["point_to_point"] == 1000.0
    assert only.peer == 1
    (new,) = rates({}, sums(look(10)), 1.0)
    assert new.messages["point_to_point"] == 11.0
    (still,) = rates(sums(look(5)), sums(look(5)), 1.0)
    assert still.peer is None


def test_processes_of_a_job_are_shown_by_rank_in_latest_generation() -> None:
    def told(rank: int, generation: int, own_rank: int, members: list[list[int]]) -> list[Line]:
        of_job = {"event": "generation", "generation": generation, "job": "id", "own_rank": own_rank}
        return [process(rank, 3), {**of_job, "members": members}]

    latest = [[0, 2, 1, 1], [0, 0, 1, 1]]  # ranks 2 and 0 of the world are 0 and 1 of the job
    lines = [
        *told(0, 1, 1, latest),
        moved([[2, 3, 30, {"4": 3}]]),
        *told(1, 0, 1, [[0, 0, 3, 1]]),
        *told(2, 1, 0, latest),
        {"event": "supervised", "job": "mine"},
        moved([[0, 1, 9, {"4": 1}]], to_world=1),
    ]
    found = latest_of_job(sums(json.dumps(line, separators=(",", ":")).encode() for line in lines), "mine")
    shown = [(one.rank, one.job_rank, one.generation, one.peer) for one in rates({}, found, 1.0)]
    assert shown == [(2, 0, 1, None), (0, 1, 1, 0)]
    assert not latest_of_job(found, "another")
    plain = sums(json.dumps(line, separators=(",", ":")).encode() for line in (lines[0], lines[-2]))
    assert len(latest_of_job(plain, "mine")) == 1, "a program that tells no generation"


def test_table_shows_traffic_and_what_was_not_recorded(tmp_path: Path) -> None:
    recording = read(write(tmp_path / "f", *RUN))
    console = Console(width=160, record=True, file=(tmp_path / "out").open("w"))
    console.print(table(recording, flows(recording)))
    text = console.export_text()
    for wanted in ("point to point", "allreduce", "not seen: x: y", "3 processes, M, sensor pmpi"):
        assert wanted in text


def test_totals_over_kinds_count_collectives_once(tmp_path: Path) -> None:
    (tmp_path / "x.0.prof").write_text(OF_OPEN_MPI)
    (tmp_path / "x.1.prof").write_text(f"# POINT TO POINT\nI\t1\t0\t4000 bytes\t1 msgs sent\t{SIZES}\n")
    made = read_prof(tmp_path / "x.1.prof")
    console = Console(width=160, record=True, file=(tmp_path / "out").open("w"))
    console.print(table(read(write(tmp_path / "f", *RUN)), made))
    pairs = console.export_text().partition("Pairs that moved most (collectives once")[2]
    rows = [line.split() for line in pairs.splitlines()[1:]]
    assert [row[:3] for row in rows[1:3]] == [["1", "0", "1"], ["0", "1", "1"]]


def test_bytes_over_time_count_every_receiver(tmp_path: Path) -> None:
    recording = read(write(tmp_path / "f", *RUN))
    assert bytes_over_time(recording) == {"collective": {3.0: 32}}


@pytest.mark.parametrize(
    "lines", [RUN, (HEADER,), (HEADER, process(0, 1), world(1))], ids=["run", "empty", "alone"]
)
def test_every_record_has_a_picture(tmp_path: Path, lines: tuple[object, ...]) -> None:
    recording = read(write(tmp_path / "f", *lines))  # type: ignore[arg-type]
    titles = [axes.get_title() for axes in figure(recording, flows(recording)).axes]
    assert {"bytes", "messages", "bytes of a message", "sizes"} <= {
        title.partition(" (")[0] for title in titles
    }


def _texts(axes: Axes) -> list[Text]:
    return [label for label in axes.get_xticklabels() if label.get_text()]


@pytest.mark.parametrize("bins", [range(1, 11), range(1, 24), [1, 2, 3, 40], [0], range(0, 45, 3)])
def test_size_labels_do_not_overlap(tmp_path: Path, bins: Iterable[int]) -> None:
    of_sizes = moved([[1, 1, 8, {str(size): 1 for size in bins}]])
    made = figure(*_read(tmp_path, HEADER, process(0, 2), of_sizes, world(2)))
    made.canvas.draw()
    (sizes,) = [axes for axes in made.axes if axes.get_title().startswith("sizes")]
    places = [label.get_window_extent() for label in _texts(sizes)]
    assert places
    assert not [one for one, other in pairwise(places) if one.x1 + 4 > other.x0]
    assert all(re.fullmatch(r"\d+ ([KMGT]i)?B", label.get_text()) for label in _texts(sizes))


@pytest.mark.parametrize("amounts", [(5, 9), (40_000_000, 30_000_000), (10, 10**12), (2**30, 2**30)])
def test_axes_show_bytes_with_unit(tmp_path: Path, amounts: tuple[int, int]) -> None:
    to = [moved([[other, 1, size, {"3": 1}]]) for other, size in enumerate(amounts, 1)]
    rows = [[1, "peer", 1, 0, 1, amounts[0]]]
    window = {**WINDOW, "kind": "point_to_point", "rows": rows}
    made = figure(*_read(tmp_path, HEADER, process(0, 3), *to, window, world(3)))
    made.canvas.draw()
    (over_time,) = [axes for axes in made.axes if axes.get_title().startswith("over time")]
    (bar, *_) = [axes for axes in made.axes if axes.get_label() == "<colorbar>"]
    for axes in (over_time, bar):
        least, most = axes.get_ylim()
        seen = [label for label in axes.get_yticklabels() if least <= label.get_position()[1] <= most]
        labels = [label.get_text() for label in seen]
        assert 2 <= len(labels) <= 20
        assert axes.yaxis.get_offset_text().get_text() == ""
        assert all(re.fullmatch(r"[\d.]+ ([KMGT]i)?B", label) for label in labels), labels


def _scales(made: Figure) -> dict[str, int]:
    """What they are called, and where they begin."""
    images = [image for axes in made.axes for image in axes.images]
    bars = [(image.colorbar, image.get_clim()[0]) for image in images]
    return {bar.ax.get_ylabel(): round(least or 0) for bar, least in bars if bar is not None}


def test_scale_begins_at_0_or_says_where(tmp_path: Path) -> None:
    alike = [moved([[to, 50 + to, 50_000, {"10": 50 + to}]]) for to in (1, 2)]
    scales = _scales(figure(*_read(tmp_path, HEADER, process(0, 3), *alike, world(3))))
    assert scales == {"bytes": 0, "messages": 0, "bytes of a message": 0}
    far = [moved([[1, 5, 50, {"3": 5}]]), moved([[2, 900, 90_000_000, {"17": 900}]])]
    scales = _scales(figure(*_read(tmp_path, HEADER, process(0, 3), *far, world(3))))
    assert scales == {
        "bytes, logarithmic, from 50 B": 50,
        "messages, logarithmic, from 5": 5,
        "bytes of a message, logarithmic, from 10 B": 10,
    }


def test_kinds_over_time_differ_without_colours_and_name_their_window(tmp_path: Path) -> None:
    windows = [
        {**WINDOW, "kind": kind, "rows": [[1, "peer", 1, 0, 1, 100]]} for kind in ("point_to_point", "put")
    ]
    made = figure(*_read(tmp_path, HEADER, process(0, 3), *windows, world(3)))
    (over_time,) = [axes for axes in made.axes if axes.get_title().startswith("over time")]
    assert len({str(line.get_linestyle()) for line in over_time.lines}) == 2
    assert over_time.get_ylabel() == "sent in a window of 1 s"


def _read(tmp_path: Path, *lines: Line) -> tuple[Recording, Flows]:
    recording = read(write(tmp_path / "f", *lines))
    return recording, flows(recording)
