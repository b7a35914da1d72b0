# SPDX-License-Identifier: BSD-3-Clause
"""Traces that are cut off, changed or not all there are refused in one line; nothing else comes of them."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from calls_of import Call, write, write_all
from hypothesis import given, settings
from hypothesis import strategies as st

from nereus.analysis.capture import CaptureError, read_traces
from nereus.analysis.capture.trace import ROW, read_trace

CALLS = [Call("Allreduce"), Call("Send", bytes=100)] * 10


def test_unsuccessful_tests_count_as_waiting_before_next_call(tmp_path: Path) -> None:
    look = Call("Test", computed=1e-6, in_call=1e-3, in_vain=7)
    trace = read_trace(
        write(tmp_path, [Call("Isend"), look, Call("Test", computed=2e-6, in_call=1e-6), Call("Send")])
    )
    assert [trace.calls(place).call for place in range(trace.size)] == ["Isend", "Test", "Send"]
    assert trace.in_call.tolist() == pytest.approx([10e-6, 1.001e-3, 10e-6])
    assert trace.computed.tolist() == pytest.approx([100e-6, 3e-6, 100e-6])


@pytest.mark.parametrize("change", [-1, 1, -ROW.itemsize, ROW.itemsize])
def test_truncated_rows_are_refused(tmp_path: Path, change: int) -> None:
    file = write(tmp_path, CALLS)
    rows = file.with_suffix(".calls")
    content = rows.read_bytes()
    rows.write_bytes(content[:change] if change < 0 else content + b"\0" * change)
    with pytest.raises(CaptureError, match=r"bytes; 20 calls have 800"):
        read_trace(file)


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 20 * 40 - 1), st.binary(min_size=1, max_size=40), st.booleans())
def test_garbage_is_read_or_refused_with_one_line(place: int, garbage: bytes, is_in_rows: bool) -> None:
    with TemporaryDirectory() as folder:
        file = write(Path(folder), CALLS)
        changed = file.with_suffix(".calls") if is_in_rows else file
        content = changed.read_bytes()
        place %= len(content)
        changed.write_bytes((content[:place] + garbage + content[place + len(garbage) :])[: len(content)])
        try:
            trace = read_trace(file)
        except CaptureError as error:
            assert "\n" not in str(error)
        else:
            assert trace.size <= 20


def test_process_that_did_not_finalize_is_reported_missing(tmp_path: Path) -> None:
    write_all(tmp_path, [CALLS, CALLS])
    (tmp_path / "world-1.json").unlink()
    with pytest.raises(CaptureError, match="1 processes did not reach MPI_Finalize"):
        read_traces(tmp_path)


def test_host_that_does_not_share_the_folder_is_reported_missing(tmp_path: Path) -> None:
    write(tmp_path, CALLS, rank=0, ranks=2)
    with pytest.raises(CaptureError, match="1 of 2 processes"):
        read_traces(tmp_path)


def test_traces_of_two_programs_are_refused(tmp_path: Path) -> None:
    write(tmp_path, CALLS, rank=0)
    write(tmp_path, CALLS, rank=1, world="another")
    with pytest.raises(CaptureError, match="2 programs"):
        read_traces(tmp_path)
