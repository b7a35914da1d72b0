# SPDX-License-Identifier: BSD-3-Clause
"""What other tools read in the files is what the trace has: each format by a reader of its own."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from a_trace import AProcess, generation, two, write
from matplotlib.legend import Legend
from matplotlib.text import Annotation
from paraver_reader import read_paraver

from nereus.analysis.trace.export import FORMATS, export
from nereus.analysis.trace.export.picture import figure
from nereus.analysis.trace.file import NO_PEER
from nereus.analysis.trace.model import Timeline
from nereus.analysis.trace.run import read_run

Slice = tuple[int, str, int, int]  # process, name, begin, end


@pytest.fixture
def run(tmp_path: Path) -> Timeline:
    """Two ranks, one with two threads; a newcomer; messages, a resize with its states, an odd phase."""
    first, second = two()
    newcomer = AProcess("bbbb", begun_unix=1.7e9 + 1)
    first.add("generation", 0, size=0).add("phase", 5, size=1)
    first.sends(10, 1, size=40, tag=3).sends(30, 1, size=41, tag=3).add("Barrier", 50, 50)
    first.add("Test", 52, 53, number=4).add("Allreduce", 51, 90, 8, thread=1)
    first.add("resize:making", 92).add("resize:sending", 95).add("resize:", 99)
    first.add("generation", 100, size=1).add("iteration", 100, size=12).add("Barrier", 190, 200)
    second.add("generation", 5, size=0).receives(6, 30, 0, 40, tag=3, number=1)
    second.receives(30, 60, 0, 41, tag=3, number=2)
    newcomer.add("generation", 110, size=1).add("Barrier", 180, 210)
    second.host = "other"
    first.lines = [
        generation(0, 0, [[0, 0, 2, 1]]),
        generation(1, 0, [[0, 0, 1, 1], [1, 0, 1, 1]]),
        {"event": "phase", "phase": 1, "name": 'so"lve \u00e9'},
    ]
    second.lines = [generation(0, 1, [[0, 0, 2, 1]])]
    newcomer.lines = [generation(1, 1, [[1, 0, 1, 1], [0, 0, 1, 1]])]
    return read_run(write(tmp_path / "traced", [first, second, newcomer]))


@pytest.fixture
def file(run: Timeline, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """In the format that the test names."""
    chosen = FORMATS[request.param]
    if chosen.package:
        pytest.importorskip(chosen.package)
    path = tmp_path / f"it{chosen.suffix}"
    export(run, chosen, path)
    assert not [part for part in tmp_path.iterdir() if part.name.startswith(".")], "no folder of ours is left"
    return path


def in_ns(microseconds: float) -> int:
    return round(1000 * microseconds)


def calls_of(run: Timeline) -> Counter[Slice]:
    return Counter(
        (place, track.names[name], begin, end)
        for place, track in enumerate(run.tracks)
        for name, begin, end in zip(
            track.name.tolist(), track.begin.tolist(), track.end.tolist(), strict=True
        )
    )


def spans_of(run: Timeline) -> Counter[Slice]:
    found = Counter(
        (span.track, f"generation {span.generation}: rank {span.rank} of {span.ranks}", span.begin, span.end)
        for span in run.generations
    )
    return found + Counter((span.track, span.state, span.begin, span.end) for span in run.states)


def messages_of(run: Timeline) -> list[tuple[int, int, int, int]]:
    """Source, destination, begin of the send, end of the receive."""
    return [tuple(row) for row in run.messages[["source", "destination", "sent", "received"]].tolist()]


@pytest.mark.parametrize("file", ["chrome"], indirect=True)
def test_chrome_has_each_call_and_message(run: Timeline, file: Path) -> None:
    document = json.loads(file.read_text())
    assert document["otherData"]["started_unix"] == run.started_unix
    events = document["traceEvents"]
    slices = Counter(
        (event["pid"] - 1, event["name"], in_ns(event["ts"]), in_ns(event["ts"]) + in_ns(event["dur"]))
        for event in events
        if event["ph"] == "X"
    )
    assert slices == calls_of(run) + spans_of(run)
    send = next(event for event in events if event.get("name") == "Send")
    assert send["args"] == {"bytes": 40, "peer": 1, "tag": 3, "communicator": "MPI_COMM_WORLD"}
    assert next(event for event in events if event.get("name") == "Test")["args"] == {
        "tests": 4,
        "communicator": "MPI_COMM_WORLD",
    }
    starts = {event["id"]: event for event in events if event["ph"] == "s"}
    ends = {event["id"]: event for event in events if event["ph"] == "f"}
    assert starts.keys() == ends.keys()
    arrows = [
        (start["pid"] - 1, ends[number]["pid"] - 1, in_ns(start["ts"]), in_ns(ends[number]["ts"]) + 1)
        for number, start in starts.items()
        if start["name"] == "message"
    ]
    assert arrows == messages_of(run)
    assert len(starts) - len(arrows) == len(run.successions) == 2
    for event in [*starts.values(), *ends.values()]:
        assert any(
            each["ph"] == "X"
            and (each["pid"], each["tid"]) == (event["pid"], event["tid"])
            and each["ts"] <= event["ts"] <= each["ts"] + each["dur"]
            for each in events
        ), "an arrow begins and ends in a slice"
    counters = {event["name"] for event in events if event["ph"] == "C"}
    assert counters == {"bytes in flight", "imbalance", "ranks"}


@pytest.mark.parametrize("file", ["perfetto"], indirect=True)
def test_perfetto_has_each_call_and_message(run: Timeline, file: Path) -> None:
    """Packets are read by time, and arrows in the way of Perfetto's flow tracker."""
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

    trace = Trace()
    trace.ParseFromString(file.read_bytes())
    described = [packet.track_descriptor for packet in trace.packet if packet.HasField("track_descriptor")]
    tracks = {track.uuid: track for track in described}
    process = {
        uuid: (track.process.pid or tracks[track.parent_uuid].process.pid) - 1
        for uuid, track in tracks.items()
        if not track.HasField("counter")
    }
    names = {
        (packet.trusted_packet_sequence_id, name.iid): name.name
        for packet in trace.packet
        for name in packet.interned_data.event_names
    }
    open_slices: dict[int, list[tuple[str, int]]] = {}
    slices: Counter[Slice] = Counter()
    begun: dict[int, tuple[int, int]] = {}
    arrows: dict[int, tuple[int, int, int, int]] = {}
    events = [packet for packet in trace.packet if packet.HasField("track_event")]
    for packet in sorted(events, key=lambda packet: int(packet.timestamp)):
        event, time = packet.track_event, packet.timestamp
        place = process.get(event.track_uuid, -1)
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            name = event.name or names[packet.trusted_packet_sequence_id, event.name_iid]
            open_slices.setdefault(event.track_uuid, []).append((name, time))
        elif event.type == TrackEvent.TYPE_SLICE_END:
            name, begin = open_slices[event.track_uuid].pop()
            slices[place, name, begin, time] += 1
        elif event.type == TrackEvent.TYPE_INSTANT:
            assert open_slices[event.track_uuid], "within the call that saw the message"
        for flow in event.flow_ids:
            assert flow not in begun
            begun[flow] = (place, time)
        for flow in event.terminating_flow_ids:
            arrows[flow] = (begun[flow][0], place, begun[flow][1], time)
    assert not any(open_slices.values())
    assert slices == calls_of(run) + spans_of(run)
    assert arrows.keys() == begun.keys()
    assert [arrows[flow] for flow in sorted(arrows)][: len(run.messages)] == messages_of(run)
    assert len(arrows) == len(run.messages) + len(run.successions)
    counted = {
        tracks[packet.track_event.track_uuid].name
        for packet in events
        if packet.track_event.type == TrackEvent.TYPE_COUNTER
    }
    assert counted == {"bytes in flight", "imbalance", "ranks"}


@pytest.mark.parametrize("file", ["otf2"], indirect=True)
def test_otf2_has_each_call_and_message(run: Timeline, file: Path) -> None:
    import otf2

    with otf2.reader.open(str(file / "traces.otf2")) as archive:
        places = {group: place for place, group in enumerate(archive.definitions.location_groups)}
        open_regions: dict[Any, list[tuple[str, int]]] = {}
        slices: Counter[Slice] = Counter()
        sends, receives = [], []
        for location, event in archive.events:
            place, kind = places[location.group], type(event).__name__
            if kind == "Enter":
                open_regions.setdefault(location, []).append((event.region.name, event.time))
            elif kind == "Leave":
                name, begin = open_regions[location].pop()
                assert name == event.region.name
                slices[place, name.removeprefix("MPI_"), begin, event.time] += 1
            elif kind == "MpiSend":
                assert open_regions[location][-1][0] == "MPI_Send"
                sends.append((place, event.receiver, event.time, event.msg_length, event.msg_tag))
            else:
                assert open_regions[location][-1][0] == "MPI_Recv"
                receives.append((event.sender, place, event.time + 1, event.msg_length, event.msg_tag))
        assert archive.definitions.clock_properties.realtime_timestamp == int(run.started_unix * 10**9)
    assert not any(open_regions.values())
    named = {span.state: f"{span.activity}: {span.state}" for span in run.states}
    expected = calls_of(run) + Counter(
        {
            (place, named.get(name, name), *times): many
            for (place, name, *times), many in spans_of(run).items()
        }
    )
    assert slices == expected
    rows = run.messages[["source", "destination", "sent", "received", "bytes", "tag"]].tolist()
    assert sends == [(source, to, sent, size, tag) for source, to, sent, _, size, tag in rows]
    assert receives == [(source, to, received, size, tag) for source, to, _, received, size, tag in rows]


@pytest.mark.parametrize("file", ["paraver"], indirect=True)
def test_paraver_has_each_call_and_message(run: Timeline, file: Path) -> None:
    found = read_paraver(file)
    names = next(values for values in found.values.values() if "MPI_Send" in values.values())
    call = next(kind for kind, values in found.values.items() if values is names)
    calls = Counter(
        (task, names[value], time) for task, _, time, kind, value in found.events if kind == call and value
    )
    assert calls == Counter(
        {(place, f"MPI_{name}", begin): times for (place, name, begin, _), times in calls_of(run).items()}
    )
    assert sum(kind == call and value == 0 for *_, kind, value in found.events) == run.calls
    assert sorted(found.messages) == sorted(
        tuple(row)
        for row in run.messages[["source", "destination", "sent", "received", "bytes", "tag"]].tolist()
    )
    for activity in run.activities:
        spans = [span for span in run.states if span.activity == activity]
        kind = next(kind for kind, name in found.types.items() if name == f"State of {activity}")
        entered = [
            (task, found.values[kind][value], time)
            for task, _, time, event, value in found.events
            if event == kind and value
        ]
        assert sorted(entered) == sorted((span.track, span.state, span.begin) for span in spans)
    assert found.threads == [2, 1, 1]
    assert found.nodes == [0, 1, 0]
    assert found.rows["NODE"] == ["h", "other"]
    assert found.cores == [1, 3, 2], "cores are numbered host by host"
    for task, thread, begin, end, _ in found.states:
        others = [
            each for each in found.states if each[:2] == (task, thread) and each[2] < end and begin < each[3]
        ]
        assert len(others) <= 1 or begin == end, "a thread is in one state at a time"


@pytest.mark.parametrize("file", ["picture"], indirect=True)
def test_picture_is_one(file: Path) -> None:
    assert file.read_bytes().startswith(b"\x89PNG")


def test_picture_shows_each_kind_of_call_and_who_has_a_rank_next(run: Timeline) -> None:
    drawn = figure(run)
    (axes,) = drawn.axes
    assert axes.get_title(loc="left").startswith("traced: ")
    assert axes.get_title(loc="left").endswith("9 calls, 2 messages")
    assert [text.get_text() for text in axes.get_yticklabels()] == [track.label for track in run.tracks]
    legend = [text.get_text() for text in next(iter(axes.findobj(Legend))).get_texts()]
    expected = ["messages", "collectives", "waiting", "a resize goes on", "a message", "a generation"]
    expected.append("who has the rank next")
    assert legend == expected
    ranks = {text.get_text() for text in axes.texts if text.get_text()}
    assert ranks == {"rank 0 of 2", "rank 1 of 2"}
    arrows = [text for text in axes.texts if isinstance(text, Annotation) and text.arrow_patch is not None]
    assert len(arrows) == 1, "rank 1 goes to the newcomer"


def test_picture_joins_calls_that_cannot_be_told_apart(tmp_path: Path) -> None:
    process = AProcess()
    for number in range(10_000):
        process.add("Barrier", 1000 * number, 1000 * number + 10)
    drawn = figure(read_run(write(tmp_path / "traced", [process])))
    (bars,) = drawn.axes[0].collections[:1]
    assert 1 <= len(bars.get_paths()) < 3000


@pytest.mark.parametrize("name", FORMATS)
def test_run_without_events_is_a_file(tmp_path: Path, name: str) -> None:
    if FORMATS[name].package:
        pytest.importorskip(FORMATS[name].package)
    path = tmp_path / f"it{FORMATS[name].suffix}"
    export(read_run(write(tmp_path / "traced", two())), FORMATS[name], path)
    assert path.exists()


@pytest.mark.parametrize("name", FORMATS)
def test_failure_leaves_what_was_there(
    tmp_path: Path, run: Timeline, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a disk is full in the middle."""

    def fail(_: Timeline, path: Path) -> None:
        path.write_text("half")
        raise OSError(28, "No space left on device")

    path = tmp_path / f"it{FORMATS[name].suffix}"
    path.write_text("before")
    monkeypatch.setitem(FORMATS[name].__dict__, "write", fail)
    with pytest.raises(OSError, match="No space"):
        export(run, FORMATS[name], path)
    assert path.read_text() == "before"
    assert sorted(part.name for part in tmp_path.iterdir()) == [path.name, "traced"]


def test_any_time_and_size_is_written(tmp_path: Path) -> None:
    """Threads that overlap, calls that take no time, sizes beyond 2^63, peers that are nobody."""
    process = AProcess()
    random = np.random.default_rng(1)
    for thread in range(3):
        time = 0
        for _ in range(200):
            took = int(random.integers(0, 50))
            process.add(
                "Put", time, time + took, int(random.choice([0, 7, 2**63 + 5])), NO_PEER, thread=thread
            )
            time += took + int(random.integers(0, 3))
    run = read_run(write(tmp_path / "traced", [process]))
    for name, chosen in FORMATS.items():
        if not chosen.package or __import__("importlib.util").util.find_spec(chosen.package):
            export(run, chosen, tmp_path / f"{name}{chosen.suffix}")
    document = json.loads((tmp_path / "chrome.json").read_text())
    assert sum(event["ph"] == "X" for event in document["traceEvents"]) == 600
    read_paraver(tmp_path / "paraver.prv")
