# SPDX-License-Identifier: BSD-3-Clause
"""What a trace is limited to goes to the monitor, and comes back from its folder."""

import json
from pathlib import Path

import pytest

from nereus.analysis.trace.call_names import named_calls
from nereus.analysis.trace.kinds import SETTINGS
from nereus.analysis.trace.settings import TraceSettings, settings_of

LIMITED = TraceSettings(["Recv", "Send"], 2048, "0-3", "5-7", 0.5, paused=True)


@pytest.mark.parametrize("settings", [TraceSettings(), LIMITED])
def test_settings_come_back_as_they_were_written(tmp_path: Path, settings: TraceSettings) -> None:
    settings.write(tmp_path)
    assert settings_of(tmp_path) == settings


def test_trace_without_limits_needs_no_variables() -> None:
    assert TraceSettings().variables() == {}
    assert not list(TraceSettings().sentences())


def test_limits_are_variables_of_the_monitor() -> None:
    assert LIMITED.variables() == {
        "NEREUS_MONITOR_TRACE_CALLS": "Recv,Send",
        "NEREUS_MONITOR_TRACE_MIN_BYTES": "2048",
        "NEREUS_MONITOR_TRACE_RANKS": "0-3",
        "NEREUS_MONITOR_TRACE_WINDOWS": "on",
        "NEREUS_MONITOR_TRACE_ITERATIONS": "5-7",
        "NEREUS_MONITOR_TRACE_RESIZES": "0.5",
    }


def test_trace_of_a_former_version_has_no_limits(tmp_path: Path) -> None:
    assert settings_of(tmp_path) == TraceSettings()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "nereus-trace", "version": 2, "ranks": "0"}', "{"]
)
def test_file_that_is_none_of_ours_has_no_limits(tmp_path: Path, text: str) -> None:
    (tmp_path / SETTINGS).write_text(text)
    assert settings_of(tmp_path) == TraceSettings()


@pytest.mark.parametrize("name", TraceSettings.__dataclass_fields__)
@pytest.mark.parametrize("value", [None, True, -1, 1.5, "x", [], [1], ["x"], {}, {"x": []}])
def test_values_of_other_types_are_passed_over(tmp_path: Path, name: str, value: object) -> None:
    (tmp_path / SETTINGS).write_text(json.dumps({"format": "nereus-trace", "version": 1, name: value}))
    found = settings_of(tmp_path)
    assert all(isinstance(each, str) for each in found.sentences())
    assert getattr(found, name) in (value, getattr(TraceSettings(), name))


def test_calls_are_named_with_or_without_mpi_and_by_groups() -> None:
    assert named_calls("MPI_Send,Barrier,Send") == ["Barrier", "Send"]
    assert {"Put", "Rget"} < set(named_calls("one-sided"))
    assert "Alltoall" in named_calls("collective")


@pytest.mark.parametrize("text", ["", "Send,", "send", "MPI_", "Comm_rank"])
def test_other_names_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no call of MPI that is traced; allowed are names such as Send"):
        named_calls(text)
