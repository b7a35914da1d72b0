# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: data frames of a record that say what its report says."""

from pathlib import Path
from typing import Any

import pandas
import pytest
from a_run import HEADER, communicator, moved, process, to_all, world, write

import nereus
from nereus.analysis.monitor.document import document
from nereus.analysis.monitor.encoding import Encoding
from nereus.analysis.monitor.flows import flows, write_csv
from nereus.analysis.monitor.prof import write_prof
from nereus.analysis.monitor.reader import read

OPENED = {"event": "file_opened", "file": 1, "name": "out", "mode": 1, "processes": 2, "unix": 101.0}
WROTE = moved([], "write", file=1, messages=2, bytes=64, reach="all")
WINDOW = {"event": "window", "window": 2, "kind": "point_to_point", "generation": 0}
LINES = [
    HEADER,
    process(0, 2),
    communicator(0, [[0, 0, 2, 1]]),
    OPENED,
    WROTE,
    moved([[1, 3, 30, {"4": 3}]]),
    to_all("all", 8),
    {**WINDOW, "rows": [[0, "peer", 0, 1, 3, 30]]},
    process(1, 2),
    world(2),
]


@pytest.mark.parametrize("encoding", Encoding)
def test_frames_of_a_record_are_the_tables_of_its_report(tmp_path: Path, encoding: Encoding) -> None:
    file = write(tmp_path / "record.jsonl", *LINES, encoding=encoding)
    found = nereus.load(file)
    assert (found.kind, found.notes) == ("record", ())
    for path in write_csv(flows(read(file)), file):
        name = path.name.split(".")[1]
        there = pandas.read_csv(path, keep_default_na=False)
        assert found[name].to_dict("records") == there.to_dict("records")


def test_frames_of_a_record_say_what_its_document_says(tmp_path: Path) -> None:
    file = write(tmp_path / "record.jsonl", *LINES)
    recording = read(file)
    wanted: Any = document(recording, flows(recording))
    found = nereus.load(file)
    own = ["world", "rank", "host"]
    places = [{name: each[name] for name in own} for each in wanted["processes"]]
    assert found.processes[own].to_dict("records") == places
    (of_file,) = wanted["files"]
    (row,) = found.files.to_dict("records")
    assert {name: row[name] for name in of_file if name != "closed_unix"} == {
        name: value for name, value in of_file.items() if name != "closed_unix"
    }
    assert pandas.isna(row["closed_unix"]) and of_file["closed_unix"] is None
    assert found.worlds[["world", "ranks", "missing_ranks"]].to_dict("records") == [
        {"world": "w", "ranks": 2, "missing_ranks": 0}
    ]


def test_calls_and_bytes_over_time_are_those_of_the_record(tmp_path: Path) -> None:
    found = nereus.load(write(tmp_path / "record.jsonl", *LINES))
    assert found.calls.to_dict("records") == [{"call": "allreduce", "calls": 1}]
    over_time = {"kind": "point_to_point", "begin_seconds": 2.0, "bytes": 30}
    assert found.over_time.to_dict("records") == [over_time]


def test_record_that_breaks_off_is_loaded_up_to_there_and_says_so(tmp_path: Path) -> None:
    file = write(tmp_path / "record.jsonl", *LINES)
    file.write_bytes(file.read_bytes() + b'{"event": "proc')
    found = nereus.load(file)
    assert found.notes == (f"{file}:{len(LINES) + 1}: the event is cut or damaged: read up to there",)
    assert len(found.pairs) == 2


def test_files_of_open_mpi_have_the_same_pairs_and_nothing_else(tmp_path: Path) -> None:
    file = write(tmp_path / "record.jsonl", *LINES)
    recording = read(file)
    first, *_ = write_prof(recording, flows(recording), tmp_path / "name")
    found = nereus.load(first)
    columns = ["source", "destination", "kind", "messages", "bytes"]
    sent = found.pairs[found.pairs.kind == "point_to_point"][columns]
    assert sent.to_dict("records") == [
        {"source": 0, "destination": 1, "kind": "point_to_point", "messages": 3, "bytes": 30}
    ]
    assert found.notes == (f"{first}: Open MPI's monitoring tells pairs of processes alone",)
    assert len(found.processes) == 2 and {len(found[name]) for name in ("worlds", "calls", "files")} == {0}


def test_sums_beyond_the_numbers_of_numpy_stay_what_they_are(tmp_path: Path) -> None:
    most = 2**63 - 1
    message = moved([[1, 1, most, {"63": 1}]])
    lines = [
        HEADER,
        process(0, 2),
        communicator(0, [[0, 0, 2, 1]]),
        message,
        message,
        process(1, 2),
        world(2),
    ]
    found = nereus.load(write(tmp_path / "record.jsonl", *lines))
    assert found.pairs[["messages", "bytes"]].to_dict("records") == [{"messages": 2, "bytes": 2 * most}]
    prof = tmp_path / "run.0.prof"
    prof.write_text(f"E\t0\t1\t{most} bytes\t1 msgs sent\t0,1\n" * 2)
    assert list(nereus.load(prof).pairs.bytes) == [2 * most]
