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


def test_undisturbed_job_writes_one_period_later(run: Run) -> None:
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
def test_prediction_before_a_shift_holds_at_each_step(
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


def test_late_ranks_are_expected_late_the_next_time(run: Run) -> None:
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


def test_refused_shift_restores_the_earlier_prediction(run: Run) -> None:
    before = run.foretold()
    run.known.told(Command(1, "a", 4, run.iteration + 10, ""))
    assert run.foretold().next_start < before.next_start
    assert [each.number for each in run.known.will_not_do(1)] == [1]
    assert run.foretold() == before


def test_unrequested_resize_moves_the_next_phase(run: Run) -> None:
    run.compute(50)
    run.resize(4)
    found = run.foretold()
    assert found.next_start == pytest.approx(run.now + 50.0)
    assert found.period == pytest.approx(102.0)


def test_phase_report_after_a_resize_does_not_undo_its_effect(run: Run) -> None:
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


def test_waiting_for_a_turn_delays_this_phase_and_the_next(run: Run) -> None:
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


def test_old_request_is_not_taken_for_the_present_one(run: Run) -> None:
    run.compute(EVERY)
    run.ask()
    before = run.foretold()
    run.known.asked(4, 400, run.now + 5.0)
    assert run.foretold() == before


def test_job_that_skipped_its_expected_phase_has_no_prediction(run: Run) -> None:
    run.known.at_iteration(501, run.now + 202.0)
    assert run.known.prediction(TUNED) is None
    run.iteration, run.now = 600, run.now + 402.0
    run.write()
    assert run.known.prediction(TUNED) is not None


def test_late_job_is_expected_now_and_not_after_a_full_period(run: Run) -> None:
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


def test_clock_that_jumps_back_resets_the_prediction(run: Run) -> None:
    run.known.wrote(5, IoPhase(-1e6, 0.0, 2.0, 500, 2), TUNED)
    assert run.known.prediction(TUNED) is None
    assert len(run.known.phases) == 1
    for number in (6, 7):
        run.known.wrote(number, IoPhase(-1e6 + 202.0 * (number - 5), 0.0, 2.0, 100 * number, 2), TUNED)
    assert run.foretold().period == pytest.approx(202.0)


def test_model_is_learned_from_phases_at_several_sizes() -> None:
    run = Run(profile=())
    for ranks in (2, 4, 8):
        run.resize(ranks)
        for _ in range(3):
            run.period()
    model = run.known.model(TUNED)
    assert [model.seconds(ranks) for ranks in (2, 4, 8, 16)] == pytest.approx([2.0, 1.0, 0.5, 0.25])
    assert run.known.overhead(TUNED) == 1.0


def test_resize_overhead_follows_the_latest_resizes(run: Run) -> None:
    run.resize(4, seconds=2.0)
    run.resize(2, seconds=4.0)
    assert run.known.overhead(TUNED) == 3.0


def test_job_may_arrive_with_iterations_done() -> None:
    known = KnownJob(About("a", {"h1": 2}, 4, iteration=700), 5.0)
    assert known.job(6.0, 8, TUNED).iteration == 700


def test_restored_phases_give_the_same_prediction(run: Run) -> None:
    after = KnownJob(About("a", {"h1": 2}, 100, iteration=410), run.now + 20.0)
    after.restore(run.known.phases, [Measured(2, 2.0)], TUNED)
    found = after.prediction(TUNED)
    assert found is not None
    assert found.next_start == pytest.approx(run.foretold().next_start)


@pytest.mark.parametrize(("free", "most"), [(0, 2), (3, 5), (1000, 100)])
def test_job_may_have_the_free_cores_up_to_its_limit(run: Run, free: int, most: int) -> None:
    assert run.known.job(run.now, free, TUNED).most == most
