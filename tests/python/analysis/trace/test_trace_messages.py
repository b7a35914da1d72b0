# SPDX-License-Identifier: BSD-3-Clause
"""A message has an arrow to the receive that got it, or none."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nereus.analysis.trace.messages import Ends, Side, matched

Row = tuple[int, int, int, int, int]  # group, peer, tag, time, bytes


def side(rows: Sequence[Row], error: int = 0) -> Side:
    """Receives have the numbers 0, 1 and so on."""
    return counted([(*row, number, number, 0) for number, row in enumerate(rows)], error)


def counted(rows: Sequence[tuple[int, ...]], error: int = 0) -> Side:
    """Rows with the first and the last number, and how many they stand for that were not recorded."""
    columns = np.array(rows, dtype=np.int64).reshape(-1, 8).T
    call = np.arange(len(rows))
    size = columns[4].astype(np.uint64)
    group, peer, tag, time, _, number, last, unrecorded = columns
    return Side(group, peer, tag, time, call, size, np.full(len(rows), error), number, last, unrecorded)


def ends(processes: int, ended: bool = True, lost: bool = False, gap: bool = False) -> Ends:
    return Ends(*(np.full(processes, value) for value in (ended, lost, gap)))


def pairs(
    sent: Sequence[Sequence[Row]], received: Sequence[Sequence[Row]], of: Ends | None = None, error: int = 0
) -> tuple[list[tuple[int, int, int, int]], int]:
    """Source, destination, place of the send, place of the receive; and what has no other end."""
    sides = [[side(rows, error) for rows in rows_of] for rows_of in (sent, received)]
    found, unmatched = matched(sides[0], sides[1], of or ends(len(sent)))
    columns = ("source", "destination", "send_call", "receive_call")
    return list(zip(*(found[column].tolist() for column in columns), strict=True)), unmatched


def test_messages_of_one_tag_arrive_in_order() -> None:
    sent = [[(0, 1, 5, 10, 8), (0, 1, 5, 20, 16)], []]
    received = [[], [(0, 0, 5, 30, 8), (0, 0, 5, 40, 16)]]
    assert pairs(sent, received) == ([(0, 1, 0, 0), (0, 1, 1, 1)], 0)


def test_tags_and_communicators_are_apart() -> None:
    sent = [[(0, 1, 5, 10, 8), (0, 1, 6, 20, 8), (1, 1, 5, 30, 8)], []]
    received = [[], [(1, 0, 5, 40, 8), (0, 0, 6, 50, 8), (0, 0, 5, 60, 8)]]
    assert pairs(sent, received) == ([(0, 1, 0, 2), (0, 1, 1, 1), (0, 1, 2, 0)], 0)


def test_messages_to_a_killed_process_have_no_end() -> None:
    sent = [[(0, 1, 0, 10, 8), (0, 1, 0, 20, 8)], []]
    received = [[], [(0, 0, 0, 30, 8)]]
    of = Ends(np.array([True, False]), np.zeros(2, bool), np.zeros(2, bool))
    assert pairs(sent, received, of) == ([(0, 1, 0, 0)], 1)


def test_nothing_is_guessed_where_receives_are_missing() -> None:
    sent = [[(0, 1, 0, 10, 8), (0, 1, 0, 20, 8)], []]
    received = [[], [(0, 0, 0, 30, 8)]]
    assert pairs(sent, received) == ([], 3)


def test_overwritten_events_are_counted_from_the_last_one() -> None:
    sent = [[(0, 1, 0, time, time) for time in (3, 4, 5)], []]
    received = [[], [(0, 0, 0, 10 + size, size) for size in (4, 5)]]
    assert pairs(sent, received, ends(2, lost=True)) == ([(0, 1, 1, 0), (0, 1, 2, 1)], 1)


def test_overwritten_events_of_killed_processes_have_no_arrows() -> None:
    sent = [[(0, 1, 0, 3, 8)], []]
    received = [[], [(0, 0, 0, 10, 8)]]
    assert pairs(sent, received, ends(2, ended=False, lost=True)) == ([], 2)


def test_pairs_that_cannot_have_been_are_left_out() -> None:
    sent = [[(0, 1, 0, 10, 8), (0, 1, 0, 20, 16), (0, 1, 9, 20, 16)], []]
    other_sizes = [[], [(0, 0, 0, 30, 8), (0, 0, 0, 40, 8), (0, 0, 9, 41, 16)]]
    too_early = [[], [(0, 0, 0, 9, 8), (0, 0, 0, 40, 16), (0, 0, 9, 41, 16)]]
    assert pairs(sent, other_sizes) == ([(0, 1, 2, 2)], 4)
    assert pairs(sent, too_early) == ([(0, 1, 2, 2)], 4)


def test_receive_may_be_as_early_as_clocks_are_wrong() -> None:
    sent = [[(0, 1, 0, 10, 8)], []]
    received = [[], [(0, 0, 0, 8, 8)]]
    assert pairs(sent, received) == ([], 2)
    assert pairs(sent, received, error=1) == ([(0, 1, 0, 0)], 0)


def test_nothing_is_guessed_where_recording_was_switched_off() -> None:
    sent = [[(0, 1, 0, 10, 8)], []]
    received = [[], [(0, 0, 0, 30, 8)]]
    assert pairs(sent, received, ends(2, gap=True)) == ([], 2)


def test_unknown_processes_and_communicators_have_no_arrows() -> None:
    sent = [[(-1, 1, 0, 10, 8), (0, -1, 0, 20, 8)], []]
    received = [[], [(-1, 0, 0, 30, 8)]]
    assert pairs(sent, received) == ([], 3)


def test_run_without_messages_has_none() -> None:
    assert pairs([[], []], [[], []]) == ([], 0)


def test_messages_that_were_not_recorded_keep_their_places() -> None:
    """Of three, the sender did not record the first one, and the receiver not the second one."""
    sent = counted([(0, 1, 0, 5, 0, 0, 0, 1), (0, 1, 0, 20, 8, 0, 0, 0), (0, 1, 0, 30, 8, 0, 0, 0)])
    received = counted([(0, 0, 0, 15, 8, 1, 1, 0), (0, 0, 0, 35, 0, 2, 2, 1), (0, 0, 0, 40, 8, 3, 3, 0)])
    found, unmatched = matched([sent, side([])], [side([]), received], ends(2))
    assert found[["send_call", "receive_call"]].tolist() == [(2, 2)]
    assert unmatched == 2


def test_nothing_is_guessed_where_unrecorded_receives_mix_with_others() -> None:
    """The receives with numbers 1 and 3 were not recorded, the one between them was."""
    sent = side([(0, 1, 0, 10 * number, 8) for number in range(3)])
    received = counted([(0, 0, 0, 50, 0, 1, 3, 2), (0, 0, 0, 45, 8, 2, 2, 0)])
    found, unmatched = matched([sent, side([])], [side([]), received], ends(2))
    assert (len(found), unmatched) == (0, 4)


Flow = tuple[int, int]  # tag, whether it is recorded


def recorded(flow: Sequence[Flow], peer: int, time: int) -> Side:
    """One side of messages whose size is their number; a pause ends with what went by in it."""
    rows: list[tuple[int, ...]] = []
    paused: dict[int, list[int]] = defaultdict(list)

    def resume() -> None:
        for tag, numbers in paused.items():
            rows.append((0, peer, tag, time, 0, numbers[0], numbers[-1], len(numbers)))
        paused.clear()

    for number, (tag, is_recorded) in enumerate(flow):
        if is_recorded:
            resume()
            rows.append((0, peer, tag, time, number, number, number, 0))
        else:
            paused[tag].append(number)
    resume()
    return counted(rows)


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans(), st.booleans()), max_size=40))
def test_each_message_that_both_recorded_finds_its_receive(flow: list[tuple[int, bool, bool]]) -> None:
    sent = recorded([(tag, by_sender) for tag, by_sender, _ in flow], 1, 0)
    received = recorded([(tag, by_receiver) for tag, _, by_receiver in flow], 0, 1)
    found, _ = matched([sent, counted([])], [counted([]), received], ends(2))
    both = [number for number, (_, by_sender, by_receiver) in enumerate(flow) if by_sender and by_receiver]
    assert sorted(found["bytes"].tolist()) == both


@given(
    st.lists(
        st.tuples(
            st.integers(0, 3), st.integers(0, 3), st.integers(0, 1), st.integers(0, 2), st.integers(0, 9)
        ),
        max_size=60,
    ),
    st.randoms(use_true_random=False),
)
def test_each_message_finds_its_receive(
    messages: list[tuple[int, int, int, int, int]], random: "np.random.Generator"
) -> None:
    """Receives of different senders and tags mix in any way; those of one keep their order."""
    sent: list[list[Row]] = [[] for _ in range(4)]
    waiting: dict[int, list[tuple[Row, int]]] = defaultdict(list)
    true = set()
    for time, (source, destination, group, tag, size) in enumerate(messages):
        sent[source].append((group, destination, tag, time, size))
        waiting[destination].append(((group, source, tag, 1000, size), len(sent[source]) - 1))
    received: list[list[Row]] = [[] for _ in range(4)]
    for destination, rows in waiting.items():
        queues: dict[tuple[int, int, int], list[tuple[Row, int]]] = defaultdict(list)
        for row, send in rows:
            queues[row[:3]].append((row, send))
        while queues:
            key = random.choice(sorted(queues))
            row, send = queues[key].pop(0)
            if not queues[key]:
                del queues[key]
            true.add((row[1], destination, send, len(received[destination])))
            received[destination].append(row)
    found, unmatched = pairs(sent, received)
    assert (set(found), len(found), unmatched) == (true, len(true), 0)
