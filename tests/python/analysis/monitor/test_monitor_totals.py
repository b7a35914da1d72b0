# SPDX-License-Identifier: BSD-3-Clause
"""All totals over kinds of a record are of the same messages, and headings say of which."""

from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
from a_run import HEADER, Line, communicator, moved, process, to_all, world, write
from rich.console import Console

from nereus.analysis.monitor.flows import Flows, flows, write_csv
from nereus.analysis.monitor.picture import figure
from nereus.analysis.monitor.reader import read
from nereus.analysis.monitor.table import table
from nereus.analysis.monitor.totals import COLLECTIVES_ONCE
from nereus.cli.place_table import what_counts
from nereus.placement import Selection, read_traffic


def of_one_world(name: str, *sent: Line) -> list[Line]:
    """Two processes, of which the first sends."""
    members = communicator(0, [[0, 0, 2, 1]])
    return [process(0, 2, name), members, *sent, world(2, name), process(1, 2, name)]


SEEN = [to_all("all", 100), moved([[1, 3, 90, {"5": 3}]], kind="decomposed")]
UNSEEN = [to_all("all", 7)]


@pytest.fixture
def two_worlds(tmp_path: Path) -> Path:
    """Messages of collectives were seen in the first, and not in the second."""
    return write(
        tmp_path / "two.jsonl", HEADER, *of_one_world("seen", *SEEN), *of_one_world("unseen", *UNSEEN)
    )


def shown(path: Path, made: Flows, tmp_path: Path) -> str:
    console = Console(width=200, record=True, file=(tmp_path / "out").open("w"))
    console.print(table(read(path), made))
    return console.export_text()


def test_collectives_without_observed_messages_stay_in_totals(two_worlds: Path, tmp_path: Path) -> None:
    made = flows(read(two_worlds))
    assert made.matrix("bytes").tolist() == [[0, 90, 0, 0], [0] * 4, [0, 0, 0, 7], [0] * 4]
    assert made.matrix("messages").tolist() == [[0, 3, 0, 0], [0] * 4, [0, 0, 0, 1], [0] * 4]
    assert int(made.counted_sizes["messages"].sum()) == int(made.counted_pairs["messages"].sum()) == 4
    pairs = shown(two_worlds, made, tmp_path).partition("Pairs that moved most")[2]
    assert "90" in pairs
    assert "100" not in pairs
    assert "7 B" in pairs


def test_phase_without_collective_messages_follows_its_world(tmp_path: Path) -> None:
    """Decided for the whole world, and not for the rows of a phase."""
    in_a_phase = [{"event": "phase", "phase": 1, "name": "a"}, to_all("all", 100, phase=1)]
    path = write(tmp_path / "r.jsonl", HEADER, *of_one_world("w", *SEEN, *in_a_phase))
    counted = flows(read(path)).counted_pairs
    assert set(counted["kind"]) == {"decomposed"}
    assert read_traffic(path, Selection()).toarray().tolist() == [[0, 90], [0, 0]]


def test_exported_tables_mark_the_rows_that_count(two_worlds: Path) -> None:
    made = flows(read(two_worlds))
    told = {(pair["source"], pair["kind"]): pair["counted"] for pair in made.document()}
    assert told == {(0, "collective"): False, (0, "decomposed"): True, (2, "collective"): True}
    pairs, sizes = write_csv(made, two_worlds)
    assert pd.read_csv(pairs)["counted"].tolist() == [False, True, True]
    assert pd.read_csv(sizes)["counted"].tolist() == [False, True, True]
    assert read_traffic(pairs, Selection()).toarray().tolist() == made.matrix("bytes").tolist()


def test_table_without_counted_column_is_taken_as_one_world(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("source,destination,kind,bytes\n0,1,collective,5\n0,1,decomposed,3\n1,0,put,2\n")
    assert read_traffic(path, Selection()).toarray().tolist() == [[0, 3], [2, 0]]


def test_headings_of_totals_state_what_counts(two_worlds: Path, tmp_path: Path) -> None:
    recording = read(two_worlds)
    made = flows(recording)
    text = " ".join(shown(two_worlds, made, tmp_path).split())
    assert text.count(COLLECTIVES_ONCE.strip()) == 1, "of the pairs; there is one phase and one generation"
    titles = [axes.get_title().replace("\n", " ") for axes in figure(recording, made).axes]
    for name in ("bytes", "messages", "bytes of a message", "sizes"):
        assert name + COLLECTIVES_ONCE in titles
    assert COLLECTIVES_ONCE in what_counts(two_worlds)
    (tmp_path / "m.txt").write_text("0 1\n1 0\n")
    assert what_counts(tmp_path / "m.txt") == "", "numbers of a matrix count as they are"


def test_picture_titles_do_not_overlap(two_worlds: Path) -> None:
    recording = read(two_worlds)
    made = figure(recording, flows(recording))
    made.canvas.draw()
    places = [axes.title.get_window_extent() for axes in made.axes if axes.get_title()]
    above = [place for place in places if place.y0 > made.bbox.y1 / 2]
    for row in (above, [place for place in places if place not in above]):
        side_by_side = pairwise(sorted(row, key=lambda place: place.x0))
        assert not [one for one, other in side_by_side if one.x1 > other.x0]
    assert all(place.x0 >= 0 and place.x1 <= made.bbox.x1 for place in places)
