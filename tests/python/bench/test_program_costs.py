# SPDX-License-Identifier: BSD-3-Clause
"""What is known of a program's calls before it is timed."""

from pathlib import Path

import calls_of
import pytest
from calls_of import Call

from nereus.analysis.capture import read_traces
from nereus.bench.program_costs import Calls


def calls_in(folder: Path) -> Calls:
    return Calls.of(read_traces(folder))


def test_share_of_communication_is_the_mean_of_processes(tmp_path: Path) -> None:
    quarter = [Call("Send", computed=0.3, in_call=0.1)] * 4
    half = [Call("Recv", computed=0.2, in_call=0.2)] * 2
    calls_of.write_all(tmp_path, [quarter, half])
    found = calls_in(tmp_path)
    assert (found.ranks, found.calls) == (2, 3)
    assert found.communication_percent == pytest.approx(37.5)


def test_time_in_calls_for_files_is_no_communication(tmp_path: Path) -> None:
    calls_of.write(tmp_path, [Call("Send", 0.1, 0.1), Call("File_write", 0.1, 0.7)])
    assert calls_in(tmp_path).communication_percent == pytest.approx(10)


def test_share_is_of_the_time_that_is_known(tmp_path: Path) -> None:
    """Of a program with more calls than are kept, the last part is not known."""
    calls_of.write(tmp_path, [Call("Send", 0.1, 0.1)] * 5, made=1000, seconds=200.0)
    found = calls_in(tmp_path)
    assert found.calls == 1000
    assert found.communication_percent == pytest.approx(50)


def test_program_without_calls_does_not_communicate(tmp_path: Path) -> None:
    calls_of.write(tmp_path, [])
    assert calls_in(tmp_path).communication_percent == 0
