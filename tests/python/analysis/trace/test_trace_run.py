# SPDX-License-Identifier: BSD-3-Clause
"""The traces of all processes become one run: times, messages, generations, phases, and what is missing."""

import os
from pathlib import Path

import pytest
from a_trace import AProcess, communicator, generation, two, write

from nereus.analysis.trace.counters import counters
from nereus.analysis.trace.error import TraceError
from nereus.analysis.trace.model import Timeline
from nereus.analysis.trace.run import read_run


def test_times_begin_with_the_first_event(tmp_path: Path) -> None:
    first, second = two()
    first.add("Barrier", 500, 800)
    second.begun += 100
    second.add("Barrier", 450, 700)
    run = read_run(write(tmp_path, [first, second]))
    assert [track.rank for track in run.tracks] == [0, 1]
    assert [track.begin.tolist() for track in run.tracks] == [[0], [50]]
    assert [track.end.tolist() for track in run.tracks] == [[300], [300]]
    assert run.started_unix == pytest.approx(1.7e9 + 500e-9, abs=1e-6)


def test_message_goes_from_its_send_to_the_end_of_the_call_that_saw_it(tmp_path: Path) -> None:
    first, second = two()
    first.add("Barrier", 0, 10).sends(100, 1, size=40, tag=3)
    second.add("Irecv", 20, 30, 100, 0, 3).add("Barrier", 40, 50).add("Wait", 60, 200)
    second.add("received", 200, None, 40, 0, 3, number=1)
    run = read_run(write(tmp_path, [first, second]))
    assert run.messages.tolist() == [(0, 1, 100, 200, 1, 2, 40, 3)]
    assert [name for track in run.tracks for name in track.used_names] == [
        "Barrier",
        "Send",
        "Irecv",
        "Barrier",
        "Wait",
    ]


def test_receives_count_in_the_order_in_which_they_were_posted(tmp_path: Path) -> None:
    first, second = two()
    first.sends(0, 1, size=1).sends(20, 1, size=2)
    second.add("Waitall", 0, 100)
    second.add("received", 100, None, 2, 0, number=2).add("received", 100, None, 1, 0, number=1)
    run = read_run(write(tmp_path, [first, second]))
    assert run.messages["bytes"].tolist() == [1, 2]


def test_communicators_of_the_same_members_are_told_apart(tmp_path: Path) -> None:
    """Each process has its own numbers: the copy is 2 in one and 5 in the other."""
    first, second = two()
    first.lines = [communicator(2, 0, 2, "copy")]
    second.lines = [communicator(5, 1, 2, "copy")]
    first.add("Send", 0, 5, 8, 1, group=2).add("Send", 10, 15, 8, 1, group=1)
    second.add("Recv", 0, 20).add("received", 20, None, 8, 0, group=1, number=1)
    second.add("Recv", 30, 40).add("received", 40, None, 8, 0, group=5, number=2)
    run = read_run(write(tmp_path, [first, second]))
    assert run.messages[["sent", "received"]].tolist() == [(0, 40), (10, 20)]


def test_ranks_go_on_in_the_next_generation(tmp_path: Path) -> None:
    """Rank 1 of two is another process after the resize: one of a world of its own."""
    first, second = two()
    newcomer = AProcess("bbbb", begun_unix=1.7e9 + 1)
    first.add("generation", 0, size=0).add("Barrier", 10, 20).add("generation", 100, size=1).add(
        "Barrier", 190, 200
    )
    second.add("generation", 5, size=0).add("Barrier", 50, 60)
    newcomer.add("generation", 110, size=1).add("Barrier", 180, 210)
    first.lines = [generation(0, 0, [[0, 0, 2, 1]]), generation(1, 0, [[0, 0, 1, 1], [1, 0, 1, 1]])]
    second.lines = [generation(0, 1, [[0, 0, 2, 1]])]
    newcomer.lines = [generation(1, 1, [[1, 0, 1, 1], [0, 0, 1, 1]])]
    run = read_run(write(tmp_path, [first, second, newcomer]))
    spans = [
        (span.track, span.generation, span.rank, span.ranks, span.begin, span.end) for span in run.generations
    ]
    assert spans == [
        (0, 0, 0, 2, 0, 100),
        (0, 1, 0, 2, 100, 200),
        (1, 0, 1, 2, 5, 60),
        (2, 1, 1, 2, 110, 210),
    ]
    assert [(each.rank, each.before.track, each.after.track) for each in run.successions] == [
        (0, 0, 0),
        (1, 1, 2),
    ]


@pytest.mark.parametrize(("is_ended", "restarting"), [(False, [("restarting", 60, 900)]), (True, [])])
def test_recovery_lasts_from_the_last_call_of_lost_processes_to_the_new_generation(
    tmp_path: Path, is_ended: bool, restarting: list[tuple[str, int, int]]
) -> None:
    """Whose processes have all ended by themselves was stopped, and begun again."""
    first, second = two(is_ended=is_ended)
    first.add("generation", 0, size=0).add("Barrier", 10, 20)
    second.add("generation", 5, size=0).add("Barrier", 50, 60)
    new = AProcess("bbbb", begun_unix=1.7e9 + 1)
    new.add("Init", 700, 800).add("generation", 900, size=0).add("Barrier", 910, 920)
    supervised = {"event": "supervised", "job": "a"}
    first.lines = [supervised, generation(0, 0, [[0, 0, 2, 1]])]
    second.lines = [supervised, generation(0, 1, [[0, 0, 2, 1]])]
    again = {"event": "supervised", "job": "b", "continues": "a"}
    new.lines = [again, generation(0, 0, [[0, 0, 1, 1]], job="k")]
    run = read_run(write(tmp_path, [first, second, new]))
    assert {span.job for span in run.generations} == {"a"}
    found = [span for span in run.states if span.activity == "recovery"]
    assert [(span.state, span.begin, span.end) for span in found] == restarting
    assert {span.track for span in found} <= {2}


def test_jobs_that_continue_each_other_in_a_circle_are_read(tmp_path: Path) -> None:
    first, second = two()
    first.lines = [{"event": "supervised", "job": "a", "continues": "b"}]
    second.lines = [{"event": "supervised", "job": "b", "continues": "a"}]
    for each in (first, second):
        each.add("generation", 0, size=0).add("Barrier", 10, 20)
        each.lines.append(generation(0, each.rank, [[0, 0, 2, 1]]))
    assert len(read_run(write(tmp_path, [first, second])).generations) == 2


def test_phases_last_until_the_next_one(tmp_path: Path) -> None:
    process = AProcess().add("phase", 10, size=1).add("Barrier", 20, 30).add("phase", 40, size=0)
    process.add("phase", 50, size=1).add("Barrier", 60, 80)
    process.lines = [{"event": "phase", "phase": 1, "name": "solve"}]
    run = read_run(write(tmp_path, [process]))
    assert states(run) == [("phase", "solve", 0, 30), ("phase", "solve", 40, 70)]


def states(run: Timeline) -> list[tuple[str, str, int, int]]:
    return [(span.activity, span.state, span.begin, span.end) for span in run.states]


def test_states_last_until_the_next_one_of_their_activity(tmp_path: Path) -> None:
    process = AProcess().add("resize:making", 0).add("stage:solve", 5).add("resize:sending", 20)
    process.add("Barrier", 22, 25).add("stage:", 30).add("resize:", 40).add("stage:solve", 50)
    process.add("Barrier", 60, 80)
    run = read_run(write(tmp_path, [process]))
    assert sorted(states(run)) == [
        ("resize", "making", 0, 20),
        ("resize", "sending", 20, 40),
        ("stage", "solve", 5, 30),
        ("stage", "solve", 50, 80),
    ]
    assert run.calls == 2, "marks are no calls"


def test_iterations_end_where_recording_pauses_and_resizes_go_on(tmp_path: Path) -> None:
    process = AProcess().add("iteration", 0, size=7).add("resize:sending", 5).add("iteration", 10, size=8)
    process.add("paused", 30).add("resumed", 50).add("iteration", 60, size=20).add("resize:", 70)
    process.add("Barrier", 80, 90)
    run = read_run(write(tmp_path, [process]))
    assert sorted(states(run)) == [
        ("iteration", "20", 60, 90),
        ("iteration", "7", 0, 10),
        ("iteration", "8", 10, 30),
        ("resize", "sending", 5, 70),
    ]


def test_message_after_a_pause_has_its_arrow(tmp_path: Path) -> None:
    """The first of two was sent and received while neither recorded."""
    first, second = two()
    first.add("Barrier", 0, 5).add("paused", 10)
    first.add("unrecorded sends", 30, None, 1 << 32, 1).add("resumed", 30).sends(40, 1, size=9)
    second.add("Barrier", 0, 5).add("paused", 10)
    second.add("unrecorded receives", 30, None, 1 << 32, 0, number=1).add("resumed", 30)
    second.receives(40, 60, 0, 9, number=2)
    run = read_run(write(tmp_path, [first, second]))
    assert run.messages[["sent", "received", "bytes"]].tolist() == [(40, 60, 9)]
    assert run.unmatched == 0


def test_imbalance_is_of_the_time_outside_of_calls(tmp_path: Path) -> None:
    """Rank 0 is in a call all through the second half, rank 1 never: it has twice the mean outside."""
    first, second = two()
    first.add("Barrier", 0, 0).add("Recv", 500_000, 1_000_000)
    second.add("Barrier", 0, 0).add("Barrier", 1_000_000, 1_000_000)
    run = read_run(write(tmp_path, [first, second]))
    [counter] = counters(run)
    assert (counter.name, counter.unit, len(counter.time)) == ("imbalance", "%", 201)
    assert counter.value[:100].tolist() == [0] * 100
    assert counter.value[100:200].tolist() == [100] * 100


def test_bytes_are_in_flight_until_they_are_seen(tmp_path: Path) -> None:
    first, second = two()
    first.sends(0, 1, size=100).sends(20, 1, size=1)
    second.receives(0, 50, 0, 100, number=1).receives(60, 70, 0, 1, number=2)
    run = read_run(write(tmp_path, [first, second]))
    counter = counters(run)[0]
    assert (counter.time.tolist(), counter.value.tolist()) == ([0, 20, 50, 70], [100, 101, 1, 0])


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    process = AProcess(rank=0, ranks=3, is_ended=False).sends(0, 1).sends(20, 1)
    process.recorded = 5
    notes = read_run(write(tmp_path, [process])).notes
    assert notes == [
        "2 processes left no trace in this folder: do all hosts share it?",
        "rank 0 of world aaaa: its first 3 events were overwritten by later ones",
        "rank 0 of world aaaa: did not reach MPI_Finalize; its trace ends at its last event",
    ]


def test_generation_before_the_first_mark_is_known_where_the_mark_was_overwritten(tmp_path: Path) -> None:
    process = AProcess().add("Barrier", 10, 20).add("generation", 100, size=2).add("Barrier", 150, 200)
    process.recorded = 9
    process.lines = [generation(number, 0, [[0, 0, 1, 1]]) for number in range(3)]
    run = read_run(write(tmp_path, [process]))
    assert [(span.generation, span.begin, span.end) for span in run.generations] == [(1, 0, 90), (2, 90, 190)]


def test_message_whose_call_was_overwritten_has_no_arrow(tmp_path: Path) -> None:
    first, second = two()
    first.sends(0, 1)
    second.add("received", 50, None, 8, 0, number=1).add("Barrier", 60, 70)
    second.recorded = 2 * len(second.rows)
    run = read_run(write(tmp_path, [first, second]))
    assert (len(run.messages), run.unmatched) == (0, 2)


def test_receives_before_a_missing_number_are_not_counted(tmp_path: Path) -> None:
    """The ring lost the second one, which completed early; the first one, which did so late, is there."""
    first, second = two()
    for number in range(4):
        first.sends(20 * number, 1)
    for number in (1, 3, 4):
        second.receives(100 * number, 100 * number + 50, 0, 8, number=number)
    second.recorded = 2 * len(second.rows)
    run = read_run(write(tmp_path, [first, second]))
    assert run.messages["sent"].tolist() == [40, 60]
    assert run.messages["received"].tolist() == [350, 450]


def test_recording_switched_off_leaves_no_arrows_and_is_said(tmp_path: Path) -> None:
    first, second = two()
    first.sends(0, 1).add("off", 10)
    second.receives(0, 50, 0, 8)
    run = read_run(write(tmp_path, [first, second]))
    assert (len(run.messages), run.unmatched) == (0, 2)
    assert run.notes == [
        "rank 0 of world aaaa: messages were not counted while it did not record; its messages have no arrows"
    ]


def test_communicators_of_two_sides_are_told_apart_by_both(tmp_path: Path) -> None:
    """Rank 1 is alone on a side of two: opposite rank 0, and opposite 0 and 2."""

    def sides(number: int, own: list[list[int]], other: list[list[int]]) -> dict[str, object]:
        line = communicator(number, 0, 1, "")
        return {**line, "two_sides": True, "own": own, "members": other}

    all_ranks = [AProcess(rank=rank, ranks=3) for rank in range(3)]
    zero, one, zero_and_two = [[0, 0, 1, 1]], [[0, 1, 1, 1]], [[0, 0, 2, 2]]
    all_ranks[0].lines = [sides(2, zero, one), sides(3, zero_and_two, one)]
    all_ranks[1].lines = [sides(2, one, zero_and_two), sides(3, one, zero)]
    all_ranks[0].add("Send", 0, 5, 8, 0, group=2).add("Send", 10, 15, 8, 0, group=3)
    all_ranks[1].add("Recv", 0, 20).add("received", 20, None, 8, 0, group=2, number=1)
    all_ranks[1].add("Recv", 30, 40).add("received", 40, None, 8, 0, group=3, number=2)
    run = read_run(write(tmp_path, all_ranks))
    assert run.messages[["sent", "received"]].tolist() == [(0, 40), (10, 20)]


def test_useless_file_and_second_trace_of_a_process_are_left_out_and_said(tmp_path: Path) -> None:
    write(tmp_path, [AProcess().sends(0, 0)])
    (tmp_path / "bbbb-0.trace").write_bytes(b"")
    (tmp_path / "copy.trace").write_bytes((tmp_path / "aaaa-0.trace").read_bytes())
    os.mkfifo(tmp_path / "pipe.trace")
    run = read_run(tmp_path)
    assert run.calls == 1
    assert run.notes == [
        f"{tmp_path}/bbbb-0.trace: is no trace of a process",
        f"{tmp_path}/copy.trace: is left out: aaaa-0.trace is of the same process",
    ]


def test_process_that_the_record_does_not_have_has_its_calls_alone(tmp_path: Path) -> None:
    write(tmp_path, [AProcess().sends(0, 0)])
    other = AProcess("bbbb").sends(0, 0)
    (tmp_path / "bbbb-0.trace").write_bytes(other.content())
    run = read_run(tmp_path)
    assert run.calls == 2
    assert run.unmatched == 2
    assert any("the record does not have it" in note for note in run.notes)


def test_process_without_events_is_a_track(tmp_path: Path) -> None:
    run = read_run(write(tmp_path, two()))
    assert (len(run.tracks), run.calls, run.unmatched, run.notes) == (2, 0, 0, [])


@pytest.mark.parametrize("what", ["nothing", "file", "record"])
def test_folder_of_something_else_is_refused(tmp_path: Path, what: str) -> None:
    place = tmp_path / "it"
    if what == "file":
        place.write_text("")
    elif what == "record":
        place.mkdir()
        (place / "record.jsonl").write_text('{"event": "header", "format": "nereus-monitor", "version": 1}\n')
    with pytest.raises(TraceError, match="has no"):
        read_run(place)
