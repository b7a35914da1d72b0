# SPDX-License-Identifier: BSD-3-Clause
"""What is in the file comes out of it, and where it is damaged this is said."""

import json
from pathlib import Path
from random import Random

import pytest
from a_run import HEADER, communicator, moved, process, to_all, world, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nereus.analysis.monitor.encoding import Encoding, encoded
from nereus.analysis.monitor.flows import flows
from nereus.analysis.monitor.kinds import is_recording
from nereus.analysis.monitor.model import RecordingError
from nereus.analysis.monitor.reader import read
from nereus.analysis.monitor.record import begin

SMALL = (HEADER, process(0), moved([[1, 2, 10, {"3": 2}], [3, 1, 0, {"0": 1}]]), world())


def test_message_is_read_with_size_source_and_destination(tmp_path: Path) -> None:
    made = flows(read(write(tmp_path / "f", *SMALL)))
    assert made.document() == [
        {
            **{"source": 0, "destination": 1, "generation": 0, "phase": "", "kind": "point_to_point"},
            **{"messages": 2, "bytes": 10, "histogram": {"3": 2}, "counted": True},
        },
        {
            **{"source": 0, "destination": 3, "generation": 0, "phase": "", "kind": "point_to_point"},
            **{"messages": 1, "bytes": 0, "histogram": {"0": 1}, "counted": True},
        },
    ]
    assert made.matrix().tolist() == [[0, 10, 0, 0], [0] * 4, [0] * 4, [0] * 4]
    assert made.matrix("messages").sum() == 3


@pytest.mark.parametrize(
    ("reach", "reached"), [("all", {0, 3}), ("higher", {3}), ("nobody", set())], ids=lambda value: str(value)
)
def test_message_to_communicator_goes_to_its_members(tmp_path: Path, reach: str, reached: set[int]) -> None:
    members = communicator(1, [[0, 0, 2, 2], [0, 3, 1, 1]])  # ranks 0, 2, 3; this process is rank 2
    recording = read(write(tmp_path / "f", HEADER, process(2), to_all(reach, 8), members))
    assert {pair["destination"] for pair in flows(recording).document()} == reached


def test_message_between_two_groups_goes_to_the_remote_group(tmp_path: Path) -> None:
    members = communicator(0, [[0, 2, 2, 1]], two_sides=True)
    recording = read(write(tmp_path / "f", HEADER, process(0), to_all("all", 8), members))
    assert {pair["destination"] for pair in flows(recording).document()} == {2, 3}


def test_data_of_a_get_flows_to_the_origin_process(tmp_path: Path) -> None:
    recording = read(write(tmp_path / "f", HEADER, process(0), moved([[2, 1, 64, {"7": 1}]], kind="get")))
    (pair,) = flows(recording).document()
    assert (pair["source"], pair["destination"]) == (2, 0)


def test_processes_of_two_worlds_are_read_and_unknown_peers_counted(tmp_path: Path) -> None:
    second = [process(0, 2, "v"), moved([[1, 5, 5, {"1": 5}]]), moved([[0, 7, 7, {"1": 7}]], to_world=1)]
    made = flows(read(write(tmp_path / "f", *SMALL, *second)))
    assert [(place.world, place.rank) for place in made.places][-2:] == [("v", 0), ("v", 1)]
    assert made.matrix("messages")[4, 5] == 5
    assert made.strangers == 7


def test_processes_without_events_are_listed_as_missing(tmp_path: Path) -> None:
    assert read(write(tmp_path / "f", *SMALL)).worlds[0].missing == [1, 2, 3]


def test_events_of_later_versions_are_ignored(tmp_path: Path) -> None:
    recording = read(write(tmp_path / "f", *SMALL, {"event": "new", "x": 1}, {**process(1), "more": 2}))
    assert recording.broken_off is None
    assert 1 in recording.worlds[0].processes


def test_file_without_header_is_refused(tmp_path: Path) -> None:
    for text in ("", "{}\n", "nonsense\n", json.dumps(process(0)) + "\n"):
        path = tmp_path / "f"
        path.write_text(text)
        assert not is_recording(path)
        with pytest.raises(RecordingError, match="the first line"):
            read(path)


def test_other_format_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="version"):
        read(write(tmp_path / "f", {**HEADER, "version": 2}))


def test_cbor_file_has_the_same_content_as_json(tmp_path: Path) -> None:
    files = [write(tmp_path / encoding, *SMALL, encoding=encoding) for encoding in Encoding]
    assert all(is_recording(file) for file in files)
    first, second = (flows(read(file)).document() for file in files)
    assert first == second != []
    assert files[1].stat().st_size < 0.9 * files[0].stat().st_size


@pytest.mark.parametrize("encoding", Encoding)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.integers(0, 2000), st.integers(0, 2**32))
def test_damaged_file_is_read_up_to_the_damage(
    tmp_path: Path, encoding: Encoding, at: int, seed: int
) -> None:
    lines = (*SMALL, process(1), moved([[0, 1, 1, {"1": 1}]]))
    whole = write(tmp_path / "f", *lines, encoding=encoding).read_bytes()
    random = Random(seed)
    header = len(encoded(HEADER, encoding))
    place = header + at % (len(whole) - header)
    damaged = whole[:place] + (random.randbytes(3) + whole[place + 3 :] if seed % 2 else b"")
    path = tmp_path / "g"
    path.write_bytes(damaged)
    recording = read(path)
    flows(recording)
    assert recording.broken_off is None or str(path) in recording.broken_off


def test_record_of_non_utf8_command_can_be_read(tmp_path: Path) -> None:
    for encoding in Encoding:
        file = tmp_path / f"a.{encoding}"
        begin(file, encoding, "0" * 16, ["prog", "\udcff"])
        assert read(file).header.command == ["prog", "\\udcff"]
