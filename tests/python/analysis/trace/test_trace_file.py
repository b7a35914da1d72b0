# SPDX-License-Identifier: BSD-3-Clause
"""What a process left is read, also where it is cut off or damaged; bad files are one line."""

from pathlib import Path

import numpy as np
import pytest
from a_trace import AProcess
from hypothesis import given
from hypothesis import strategies as st

from nereus.analysis.trace.error import TraceError
from nereus.analysis.trace.file import EVENT, EVENTS_AT, HEAD, ProcessTrace, read_process, shorten


def read(folder: Path, content: bytes) -> ProcessTrace:
    path = folder / "it.trace"
    path.write_bytes(content)
    return read_process(path)


def some(count: int) -> AProcess:
    process = AProcess()
    for number in range(count):
        process.sends(100 * number, peer=0, size=number)
    return process


def test_events_are_read_with_their_names_and_times(tmp_path: Path) -> None:
    process = AProcess(rank=1, ranks=4).sends(5, 3, 80, tag=9, end=25).add("Barrier", 30, 50, thread=2)
    trace = read(tmp_path, process.content())
    assert (trace.world, trace.rank, trace.ranks, trace.host) == ("aaaa", 1, 4, "h")
    assert [trace.names[name] for name in trace.name] == ["Send", "Barrier"]
    assert (trace.begin - trace.begun).tolist() == [5, 30]
    assert (trace.end - trace.begun).tolist() == [25, 50]
    assert trace.thread.tolist() == [0, 2]
    assert (trace.events["peer"][0], trace.events["tag"][0], trace.events["bytes"][0]) == (3, 9, 80)


def test_overwritten_ring_is_read_from_its_oldest_event(tmp_path: Path) -> None:
    process = some(4)
    process.recorded = 6  # the last two lie in the place of the first two
    trace = read(tmp_path, process.content())
    assert trace.events["bytes"].tolist() == [2, 3, 0, 1]
    assert trace.overwritten == 2


def test_file_that_grew_when_the_process_was_killed_is_not_overwritten(tmp_path: Path) -> None:
    process = some(4)
    process.recorded, process.most = 5, 100
    trace = read(tmp_path, process.content())
    assert trace.events["bytes"].tolist() == [0, 1, 2, 3]
    assert trace.overwritten == 0


def test_room_that_was_not_used_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "it.trace"
    process = some(4)
    process.recorded, process.most = 2, 100
    path.write_bytes(process.content())
    shorten(path)
    assert path.stat().st_size == EVENTS_AT + 2 * EVENT.itemsize
    assert read_process(path).events["bytes"].tolist() == [0, 1]
    other = tmp_path / "other"
    other.write_bytes(b"nereus")
    shorten(other)
    assert other.read_bytes() == b"nereus"


def test_cut_off_file_is_read_up_to_there(tmp_path: Path) -> None:
    trace = read(tmp_path, some(5).content()[: -EVENT.itemsize - 7])
    assert trace.events["bytes"].tolist() == [0, 1, 2]
    assert trace.damaged == 2


def test_event_that_was_not_written_is_left_out(tmp_path: Path) -> None:
    process = some(3)
    process.rows[1] = (0, *process.rows[1][1:])
    trace = read(tmp_path, process.content())
    assert trace.events["bytes"].tolist() == [0, 2]
    assert trace.damaged == 0


@pytest.mark.parametrize("begin", [-1, 2**61])
def test_event_at_no_time_is_damaged(tmp_path: Path, begin: int) -> None:
    process = some(3)
    process.rows[1] = (process.rows[1][0], begin, *process.rows[1][2:])
    assert read(tmp_path, process.content()).damaged == 1


def test_event_without_a_name_is_damaged(tmp_path: Path) -> None:
    process = some(3)
    process.rows[1] = (77 << 54, *process.rows[1][1:])
    assert read(tmp_path, process.content()).damaged == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is no trace of a process"),
        (b"nereusm1" + bytes(1000), "is no trace of a process"),
        (b"nereust2" + bytes(10**5), "has version '2'; 1 is known"),
        (b"nereust1" + bytes(300), "is cut off at 308 bytes, within its head"),
        (b"nereust1" + bytes(EVENTS_AT), "most = 0: allowed is 1 .. 16777216"),
    ],
)
def test_other_content_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(TraceError, match=message.replace(".", r"\.")):
        read(tmp_path, content)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("rank", 1),
        ("rank", -1),
        ("ranks", 0),
        ("ranks", 2**30),
        ("room", 2**40),
        ("recorded", 2**63),
        ("begun", -1),
        ("begun_unix", np.nan),
        ("begun_unix", 1e300),
        ("begun_unix", 1e11),
        ("most", 2**40),
        ("most", 1),
        ("compared_at_end", -1),
        ("clock_error", -1),
        ("clock_offset", 2**62),
    ],
)
def test_number_in_the_head_out_of_range_is_refused(tmp_path: Path, key: str, value: float) -> None:
    content = bytearray(some(2).content())
    head = np.frombuffer(content, dtype=HEAD, count=1).copy()
    head[key] = value
    content[: HEAD.itemsize] = head.tobytes()
    with pytest.raises(
        TraceError, match=r"(most|room|recorded|ranks?|begun|begun_unix|clock_\w+|compared_at_end) = "
    ):
        read(tmp_path, bytes(content))


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="cannot be read: No such file"):
        read_process(tmp_path / "none.trace")


@given(at=st.integers(0, EVENTS_AT + 200), value=st.integers(0, 255), cut=st.integers(0, 400))
def test_damaged_bytes_never_end_in_another_exception(
    tmp_path_factory: pytest.TempPathFactory, at: int, value: int, cut: int
) -> None:
    content = bytearray(some(5).content())
    content[min(at, len(content) - 1)] = value
    try:
        trace = read(tmp_path_factory.mktemp("damaged"), bytes(content[: len(content) - cut]))
    except TraceError:
        return
    assert len(trace.begin) == len(trace.end) == len(trace.name) == len(trace.events)
