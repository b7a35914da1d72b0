# SPDX-License-Identifier: BSD-3-Clause
"""Runs of several jobs, and what the daemon decided meanwhile, on one time line."""

import json
from pathlib import Path

import pytest
from a_trace import AProcess, generation, write

from nereus.analysis.trace.decisions import read_decisions
from nereus.analysis.trace.error import TraceError
from nereus.analysis.trace.export import FORMATS, export
from nereus.analysis.trace.merging import merged
from nereus.analysis.trace.model import Timeline
from nereus.analysis.trace.run import read_run

SECOND = 10**9


def run_of(folder: Path, world: str, begun_unix: float) -> Timeline:
    """One process that sends itself a message, and then waits for a second."""
    process = AProcess(world, begun_unix=begun_unix).add("generation", 0, size=0)
    process.sends(0, 0).receives(20, 40, 0, 8).add("Barrier", 50, SECOND)
    process.lines = [generation(0, 0, [[0, 0, 1, 1]], job=world)]
    return read_run(write(folder, [process]))


@pytest.fixture
def runs(tmp_path: Path) -> list[Timeline]:
    return [run_of(tmp_path / "late", "bbbb", 1.7e9 + 3), run_of(tmp_path / "early", "aaaa", 1.7e9)]


def test_runs_lie_on_one_time_line(runs: list[Timeline]) -> None:
    both = merged(runs)
    assert [track.world for track in both.tracks] == ["aaaa", "bbbb"]
    begins = [int(track.begin[0]) for track in both.tracks]
    assert begins == [0, pytest.approx(3 * SECOND, abs=1000)]
    assert both.messages[["source", "destination"]].tolist() == [(0, 0), (1, 1)]
    assert (both.messages["received"] - both.messages["sent"]).tolist() == [40, 40]
    assert [(span.job, span.track) for span in both.generations] == [("aaaa", 0), ("bbbb", 1)]
    assert both.generations[1].begin == begins[1]
    assert both.successions == []
    assert both.last == begins[1] + SECOND


def test_one_run_stays_what_it_is(runs: list[Timeline]) -> None:
    alone = merged(runs[:1])
    assert alone.tracks[0].begin.tolist() == runs[0].tracks[0].begin.tolist()
    assert alone.messages.tolist() == runs[0].messages.tolist()
    assert alone.started_unix == runs[0].started_unix


def event(seconds: float, kind: str, **facts: object) -> str:
    return json.dumps({"number": 1, "time_unix": 1.7e9 + seconds, "job": "aaaa", "event": kind, **facts})


@pytest.fixture
def events(tmp_path: Path) -> Path:
    path = tmp_path / "events.jsonl"
    lines = [
        event(-5, "came"),
        event(0.5, "decided", before=1, ranks=2, why='cores are "free"', by="fair", at=None),
        event(0.25, "granted", phase=1),
        "",
        event(99, "ended"),
    ]
    path.write_text("\n".join(lines))
    return path


def test_decisions_during_the_run_are_read_in_order(runs: list[Timeline], events: Path) -> None:
    decisions = read_decisions(events, merged(runs))
    assert [each.event for each in decisions] == ["granted", "decided"]
    assert [each.time for each in decisions] == pytest.approx([SECOND / 4, SECOND / 2], abs=1000)
    assert [each.label for each in decisions] == ["granted", "decided 1 to 2 ranks"]
    assert decisions[1].facts["why"] == 'cores are "free"'
    assert decisions[1].facts["at"] == "null"


@pytest.mark.parametrize("name", [name for name, each in FORMATS.items() if each.has_daemon])
def test_decisions_have_a_lane(runs: list[Timeline], events: Path, tmp_path: Path, name: str) -> None:
    if FORMATS[name].package:
        pytest.importorskip(FORMATS[name].package)
    run = merged(runs)
    run.decisions.extend(read_decisions(events, run))
    path = tmp_path / f"it{FORMATS[name].suffix}"
    export(run, FORMATS[name], path)
    if name == "chrome":
        found = [each for each in json.loads(path.read_text())["traceEvents"] if each["ph"] == "i"]
        assert [each["name"] for each in found] == ["granted", "decided 1 to 2 ranks"]
        assert found[1]["args"]["why"] == 'cores are "free"'
    if name == "perfetto":
        from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace

        trace = Trace()
        trace.ParseFromString(path.read_bytes())
        instants = [packet for packet in trace.packet if "daemon" in packet.track_event.categories]
        assert [packet.track_event.name for packet in instants] == ["granted", "decided 1 to 2 ranks"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff", "is no text"),
        (b"{", "events.jsonl:1: "),
        (b"[]", "events.jsonl:1: "),
        (b'{"time_unix": 1.0, "job": "a"}', "events.jsonl:1: event: Field required"),
        (b'\n{"time_unix": 1e300, "job": "a", "event": "b"}', "events.jsonl:2: time_unix: "),
    ],
)
def test_other_files_are_refused_in_one_line(
    runs: list[Timeline], tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(content)
    with pytest.raises(TraceError) as refused:
        read_decisions(path, runs[0])
    assert message in str(refused.value)
    assert "allowed are events of the daemon" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_missing_file_is_refused(runs: list[Timeline], tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="No such file"):
        read_decisions(tmp_path / "none", runs[0])
