# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: data frames of a trace that say what its time line says."""

from pathlib import Path

import pandas
import pytest
from a_trace import AProcess, generation, two, write

import nereus


def test_frames_of_a_trace_have_its_calls_and_messages(tmp_path: Path) -> None:
    first, second = two()
    first.sends(0, 1, size=40, tag=3).add("Testall", 20, 30, group=0, number=7).add("Barrier", 50, 80)
    second.receives(10, 60, 0, 40, tag=3)
    found = nereus.load(write(tmp_path / "traced", [first, second]))
    assert (found.kind, found.notes) == ("trace", ())
    calls = found.calls.set_index(["process", "call"])
    assert calls.index.to_list() == [(0, "Send"), (0, "Testall"), (0, "Barrier"), (1, "Recv")]
    send = calls.loc[(0, "Send")]
    assert (send.bytes, send.peer, send.tag, send.communicator) == (40, 1, 3, "MPI_COMM_WORLD")
    assert calls.loc[(0, "Testall")].tests == 7
    assert calls.loc[(0, "Barrier")].isna().tolist().count(True) == 2, "it has no peer and no tag"
    assert calls.call_seconds.tolist() == pytest.approx([10e-9, 10e-9, 30e-9, 50e-9])
    assert calls.begin_seconds.tolist() == pytest.approx([0, 20e-9, 50e-9, 10e-9])
    (message,) = found.messages.to_dict("records")
    assert message == {
        "source": 0,
        "destination": 1,
        "sent_seconds": 0.0,
        "received_seconds": pytest.approx(60e-9),
        "bytes": 40,
        "tag": 3,
    }
    assert found.processes[["process", "rank", "finished"]].to_dict("list") == {
        "process": [0, 1],
        "rank": [0, 1],
        "finished": [True, True],
    }


def test_frames_of_a_trace_have_generations_and_phases(tmp_path: Path) -> None:
    process = AProcess().add("generation", 5, size=0).add("phase", 10, size=1).add("Barrier", 20, 30)
    process.lines = [generation(0, 0, [[0, 0, 1, 1]]), {"event": "phase", "phase": 1, "name": "solve"}]
    found = nereus.load(write(tmp_path / "traced", [process]))
    assert found.generations[["job", "generation", "ranks", "rank", "process"]].to_dict("records") == [
        {"job": "j", "generation": 0, "ranks": 1, "rank": 0, "process": 0}
    ]
    assert found.phases.phase.tolist() == ["solve"]
    assert found.phases.end_seconds.tolist() == pytest.approx([25e-9])


def test_frames_of_a_trace_have_states(tmp_path: Path) -> None:
    process = AProcess().add("resize:sending", 5).add("resize:", 15).add("iteration", 20, size=3)
    found = nereus.load(write(tmp_path / "traced", [process.add("Barrier", 25, 30)]))
    assert found.states[["activity", "state", "process"]].to_dict("records") == [
        {"activity": "resize", "state": "sending", "process": 0},
        {"activity": "iteration", "state": "3", "process": 0},
    ]
    assert found.states.begin_seconds.tolist() == pytest.approx([0, 15e-9])
    assert found.states.end_seconds.tolist() == pytest.approx([10e-9, 25e-9])


def test_what_a_trace_lacks_is_in_its_notes(tmp_path: Path) -> None:
    first, second = two()
    found = nereus.load(write(tmp_path / "traced", [first.sends(0, 1), second]))
    assert found.notes == ("ends of messages left out, as the other one is not surely known: 1",)
    assert found.messages.empty
    assert found.messages.dtypes["bytes"] == "int64"


def test_bytes_beyond_what_a_column_holds_stay_what_they_are(tmp_path: Path) -> None:
    found = nereus.load(write(tmp_path / "traced", [AProcess().add("Put", 0, 5, 2**63 + 9)]))
    assert found.calls.bytes.tolist() == [2**63 + 9]


def test_two_traces_are_compared_by_their_calls(tmp_path: Path) -> None:
    one = nereus.load(write(tmp_path / "one", [AProcess().sends(0, 0, size=8).sends(20, 0, size=8)]))
    other = nereus.load(write(tmp_path / "other", [AProcess().sends(0, 0, size=4)]))
    from nereus.analysis.frames.comparison import compared

    rows = {(row.frame, row.figure): row.ratio for row in compared(one, other)}
    assert rows["calls", "bytes"] == 0.25
    assert rows["calls", "call_seconds"] == pytest.approx(0.5)
    assert pandas.notna(rows["calls", "bytes"])
