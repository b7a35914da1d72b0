# SPDX-License-Identifier: BSD-3-Clause
"""Ways to make processes: each comes to its turn in each round, and figures are medians of all rounds."""

from collections.abc import Iterator, Sequence

from nereus.bench.combinations import Combination
from nereus.bench.process_rows import Spread, rows_of
from nereus.bench.process_trials import FAILURES, SECONDS, Bench, Sizes, Trial

NONE, SINGLE = Combination("merge"), Combination("merge", ("single",))


class Scripted(Bench):
    """Tries nothing; `bad` ways fail."""

    def __init__(self, bad: Sequence[Combination]) -> None:
        self.bad = bad

    def trials(self, combinations: Sequence[Combination]) -> Iterator[Trial]:
        yield from (Trial(way, way not in self.bad) for way in combinations)


def test_each_round_tries_every_way_once() -> None:
    made = Scripted([]).rounds([NONE, SINGLE], 3, lambda way: None)
    assert [trial.combination for trial in made] == [NONE, SINGLE] * 3


def test_failing_way_is_given_up_and_still_counted() -> None:
    told: list[Combination] = []
    made = Scripted([NONE]).rounds([NONE, SINGLE], 5, told.append)
    assert sum(trial.combination == NONE for trial in made) == FAILURES
    assert sum(trial.combination == SINGLE for trial in made) == 5
    assert (told.count(NONE), told.count(SINGLE)) == (5, 5)


def test_one_slow_trial_does_not_move_the_median() -> None:
    assert Spread.of([1.0, 1.25, 0.75, 1.0, 30.0]) == Spread(1.0, 0.25)
    assert Spread.of([]) is None


def test_way_that_was_never_tried_has_no_row() -> None:
    way, other = Combination("merge"), Combination("merge", ("single",))
    trial = Trial(way, True, "", dict.fromkeys(SECONDS, 1.0))
    (row,) = rows_of("mpich", Sizes(2, 4), [way, other], [trial])
    assert row.combination == way
