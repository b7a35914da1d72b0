# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: I/O phases that begin when foretold, also where a job is resized before."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nereus.coordinator.known_jobs import About, Command, KnownJob
from nereus.policy.parameters import Parameters
from nereus.policy.performance import Curve, Measured
from nereus.policy.prediction import IoPhase, Prediction

TUNED = Parameters(overhead=1.0)
SECONDS = Curve(0.0, 4.0, 0.0)  # of an iteration
EVERY = 100  # iterations between I/O phases
PROFILE = [Measured(ranks, SECONDS.seconds(ranks)) for ranks in (1, 2, 4, 8)]


class Run:
    """A job that computes as SECONDS says and writes for 2 s, on a clock of its own."""

    def __init__(self, ranks: int = 2, **more: Any) -> None:
        told = {"most": 100, "profile": PROFILE, **more}
        self.now, self.iteration, self.ranks, self.number = 0.0, 0, ranks, 0
        self.known = KnownJob(About("a", {"h1": ranks}, **told), 0.0)

    def compute(self, iterations: int) -> None:
        self.now += iterations * SECONDS.seconds(self.ranks)
        self.iteration += iterations

    def resize(self, ranks: int, command: int = 0, seconds: float = 1.0) -> None:
        self.now += seconds
        self.ranks = ranks
        self.known.resized({"h1": ranks}, self.iteration, self.now)
        self.known.took(seconds, TUNED.overhead_weight)
        self.known.did(command)

    def ask(self) -> None:
        self.number += 1
        self.known.asked(self.number, self.iteration, self.now)

    def write(self, wait: float = 0.0) -> None:
        self.ask()
        start, self.now = self.now, self.now + wait
        self.known.granted(self.now)
        self.now += 2.0
        self.known.wrote(self.number, IoPhase(start, wait, 2.0, self.iteration, self.ranks), TUNED)

    def period(self, **more: float) -> None:
        self.compute(EVERY)
        self.write(**more)

    def foretold(self) -> Prediction:
        found = self.known.prediction(TUNED)
        assert found is not None
        return found


@pytest.fixture
def run() -> Run:
    """Behind its fourth phase."""
    made = Run()
    for _ in range(4):
        made.period()
    return made


def test_a_job_of_which_nothing_happened_since_writes_a_period_later(run: Run) -> None:
    found = run.foretold()
    assert found.next_iteration == 500
    assert found.period == pytest.approx(202.0)
    assert found.next_start == pytest.approx(run.now + 200.0)
    assert run.known.job(run.now + 100.0, 8, TUNED).iteration == 450


@settings(deadline=None)
@given(
    grow_at=st.integers(1, 60),
    more=st.integers(1, 30),
    restore_after=st.integers(1, 39),
    seen=st.integers(0, 99),
)
def test_what_is_foretold_before_a_shift_is_what_comes(
    grow_at: int, more: int, restore_after: int, seen: int
) -> None:
    """And it stays so at each step: told, grown, restored, and seen at some iteration."""
    run = Run()
    for _ in range(4):
        run.period()
    begin, restore_at = run.iteration, grow_at + restore_after
    run.known.told(Command(1, "a", 2 + more, begin + grow_at, ""))
    run.known.told(Command(2, "a", 2, begin + restore_at, "", loan=1))
    expected = [run.foretold().next_start]
    done = 0
    for until, act in sorted([(grow_at, 1), (restore_at, 2), (seen, 0)]):
        run.compute(until - done)
        done = until
        if act == 0:
            run.known.at_iteration(run.iteration, run.now)
        else:
            run.resize(2 + more if act == 1 else 2, act)
        expected.append(run.foretold().next_start)
    run.compute(EVERY - done)
    assert expected == pytest.approx([run.now] * 4)
    assert run.foretold().period == pytest.approx(202.0)


def test_ranks_that_came_late_are_expected_late_the_next_time(run: Run) -> None:
    errors = []
    for command in (1, 3):
        run.known.told(Command(command, "a", 4, run.iteration + 10, ""))
        expected = run.foretold().next_start
        run.compute(15)
        run.known.learn_lag(command, run.iteration, TUNED.overhead_weight)
        run.resize(4, command)
        run.compute(EVERY - 15)
        errors.append(expected - run.now)
        run.write()
        run.known.told(Command(command + 1, "a", 2, None, ""))
        run.resize(2, command + 1)
    assert errors == pytest.approx([-5.0, 0.0])
    assert run.known.job(run.now, 8, TUNED).lag == 5


def test_a_shift_that_was_refused_foretells_what_was_before(run: Run) -> None:
    before = run.foretold()
    run.known.told(Command(1, "a", 4, run.iteration + 10, ""))
    assert run.foretold().next_start < before.next_start
    assert [each.number for each in run.known.will_not_do(1)] == [1]
    assert run.foretold() == before


def test_a_resize_that_nobody_asked_for_moves_the_next_phase(run: Run) -> None:
    run.compute(50)
    run.resize(4)
    found = run.foretold()
    assert found.next_start == pytest.approx(run.now + 50.0)
    assert found.period == pytest.approx(102.0)


def test_a_word_of_a_phase_that_comes_behind_a_resize_does_not_undo_it(run: Run) -> None:
    """Both are of the same iteration; the job computes on behind the resize."""
    run.compute(EVERY)
    phase = IoPhase(run.now, 0.0, 2.0, run.iteration, 2)
    run.now += 2.0
    run.resize(4)
    run.known.wrote(5, phase, TUNED)
    assert run.foretold().next_start == pytest.approx(run.now + 100.0)
    run.compute(EVERY)
    run.known.wrote(6, IoPhase(run.now, 0.0, 2.0, run.iteration, 4), TUNED)
    assert [each.resized for each in run.known.phases][-2:] == [True, False]


def test_who_waits_for_its_turn_writes_later_and_so_does_its_next_phase(run: Run) -> None:
    run.compute(EVERY)
    asked = run.now
    run.ask()
    assert run.foretold().next_start == pytest.approx(asked + 2.0 + 200.0)
    seen = run.known.job(asked + 30.0, 8, TUNED)
    assert seen.prediction is not None
    assert seen.prediction.next_start == pytest.approx(asked + 30.0 + 2.0 + 200.0)
    assert seen.iteration == 500
    run.known.granted(asked + 40.0)
    assert run.foretold().next_start == pytest.approx(asked + 40.0 + 2.0 + 200.0)


def test_an_old_request_is_not_taken_for_the_present_one(run: Run) -> None:
    run.compute(EVERY)
    run.ask()
    before = run.foretold()
    run.known.asked(4, 400, run.now + 5.0)
    assert run.foretold() == before


def test_a_job_that_passed_where_it_would_have_written_foretells_nothing(run: Run) -> None:
    run.known.at_iteration(501, run.now + 202.0)
    assert run.known.prediction(TUNED) is None
    run.iteration, run.now = 600, run.now + 402.0
    run.write()
    assert run.known.prediction(TUNED) is not None


def test_a_job_that_is_late_is_expected_now_and_after_a_period_no_more(run: Run) -> None:
    due = run.foretold().next_start
    late = run.known.job(due + 5.0, 8, TUNED).prediction
    assert late is not None
    assert late.next_start == due + 5.0
    assert run.known.job(due + 203.0, 8, TUNED).prediction is None


def test_two_files_at_one_checkpoint_are_one_phase() -> None:
    run = Run()
    for _ in range(4):
        run.compute(EVERY)
        run.write()
        run.now += 0.5
        run.write()
    found = run.foretold()
    assert (len(run.known.phases), found.stride) == (4, EVERY)
    assert found.confidence == pytest.approx(1.0)
    assert found.duration == pytest.approx(4.5)


def test_a_clock_that_jumps_back_begins_anew(run: Run) -> None:
    run.known.wrote(5, IoPhase(-1e6, 0.0, 2.0, 500, 2), TUNED)
    assert run.known.prediction(TUNED) is None
    assert len(run.known.phases) == 1
    for number in (6, 7):
        run.known.wrote(number, IoPhase(-1e6 + 202.0 * (number - 5), 0.0, 2.0, 100 * number, 2), TUNED)
    assert run.foretold().period == pytest.approx(202.0)


def test_times_of_sizes_are_learned_from_phases_and_make_a_model() -> None:
    run = Run(profile=())
    for ranks in (2, 4, 8):
        run.resize(ranks)
        for _ in range(3):
            run.period()
    model = run.known.model(TUNED)
    assert [model.seconds(ranks) for ranks in (2, 4, 8, 16)] == pytest.approx([2.0, 1.0, 0.5, 0.25])
    assert run.known.overhead(TUNED) == 1.0


def test_what_resizes_take_follows_the_latest(run: Run) -> None:
    run.resize(4, seconds=2.0)
    run.resize(2, seconds=4.0)
    assert run.known.overhead(TUNED) == 3.0


def test_a_job_that_comes_with_iterations_done_is_there() -> None:
    known = KnownJob(About("a", {"h1": 2}, 4, iteration=700), 5.0)
    assert known.job(6.0, 8, TUNED).iteration == 700


def test_what_was_known_before_a_restart_foretells_again(run: Run) -> None:
    after = KnownJob(About("a", {"h1": 2}, 100, iteration=410), run.now + 20.0)
    after.restore(run.known.phases, [Measured(2, 2.0)], TUNED)
    found = after.prediction(TUNED)
    assert found is not None
    assert found.next_start == pytest.approx(run.foretold().next_start)


@pytest.mark.parametrize(("free", "most"), [(0, 2), (3, 5), (1000, 100)])
def test_a_job_may_have_what_is_free_and_what_it_allows(run: Run, free: int, most: int) -> None:
    assert run.known.job(run.now, free, TUNED).most == most
