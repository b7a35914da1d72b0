# SPDX-License-Identifier: BSD-3-Clause
"""The iteration is found where calls repeat, whatever comes before, behind and in between, and only there."""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nereus.analysis.capture.pattern import pieces

_QUICK = settings(deadline=None, max_examples=60)
few = st.integers(0, 4)
iterations = st.lists(few, min_size=1, max_size=12)
others = st.lists(st.integers(5, 9), max_size=30)


def is_primitive(word: list[int]) -> bool:
    """Whether it is no repetition itself."""
    doubled = word + word
    return not any(doubled[shift : shift + len(word)] == word for shift in range(1, len(word)))


def found(sequence: list[int]) -> list[tuple[int, int]]:
    """Periods and iterations of the pieces that repeat."""
    all_pieces = pieces(np.array(sequence, np.int64))
    assert [piece.first for piece in all_pieces[1:]] == [piece.end for piece in all_pieces[:-1]]
    assert not all_pieces or (all_pieces[0].first, all_pieces[-1].end) == (0, len(sequence))
    return [(piece.period, piece.times) for piece in all_pieces if piece.runs]


@_QUICK
@given(iterations, st.integers(20, 60), st.permutations(range(10, 25)), st.permutations(range(30, 45)))
def test_period_of_loop_is_found_between_prologue_and_epilogue(
    word: list[int], times: int, before: list[int], behind: list[int]
) -> None:
    assume(is_primitive(word))
    # A short loop in the iteration may come as often in a row as the least pattern.
    assume(all(word[at] != word[at - 1] for at in range(1, len(word))))
    assert found(before + word * times + behind) == [(len(word), times)]


@_QUICK
@given(
    st.lists(st.integers(0, 20), min_size=3, max_size=12, unique=True),
    st.integers(4, 30),
    st.integers(3, 8),
    st.integers(1, 3),
)
def test_periodic_extra_calls_do_not_hide_iterations(
    word: list[int], between: int, times: int, extra: int
) -> None:
    sequence = (word * between + [50 + at for at in range(extra)]) * times
    ((period, iterations_found),) = found(sequence)
    if period == len(word):
        assert iterations_found == between * times
    else:
        assert (period, iterations_found) == (len(word) * between + extra, times)


@_QUICK
@given(st.integers(10, 60), st.integers(30, 200))
def test_short_rounds_with_extra_call_may_become_the_iteration(rounds: int, steps: int) -> None:
    sequence = ([1, 2] * steps + [3]) * rounds
    ((period, times),) = found(sequence)
    assert (period, times) in ((2 * steps + 1, rounds), (2, steps * rounds))
    assert period == 2 or period <= 96


@_QUICK
@given(st.integers(15, 60), st.integers(15, 60))
def test_phases_with_different_patterns_are_separated(first: int, second: int) -> None:
    assert found([1, 2, 3] * first + [10, 11] + [4, 5, 4, 6, 7] * second) == [(3, first), (5, second)]


def test_phase_that_recurs_after_another_counts_as_two() -> None:
    assert found([1, 2, 3] * 100 + [4, 5] * 150 + [1, 2, 3] * 80) == [(3, 100), (2, 150), (3, 80)]


@_QUICK
@given(st.integers(0, 2**32 - 1))
def test_calls_in_random_order_have_no_pattern(seed: int) -> None:
    sequence = np.random.default_rng(seed).integers(0, 6, 2000).astype(np.int64)
    covered = sum(piece.covered for piece in pieces(sequence))
    assert covered < 0.2 * len(sequence)


@given(others)
@_QUICK
def test_any_sequence_is_partitioned_completely(sequence: list[int]) -> None:
    found(sequence)


def test_three_iterations_suffice_for_a_pattern() -> None:
    assert found([1, 2, 3, 4] * 3) == [(4, 3)]
