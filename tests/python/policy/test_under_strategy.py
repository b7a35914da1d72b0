# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: real jobs that a strategy resizes as it does those of a simulated queue."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nereus.policy.decisions import Leave, Policy, Resize, State
from nereus.policy.foreign import PolicyError, guarded
from nereus.policy.jobs import Job
from nereus.policy.parameters import Parameters
from nereus.policy.performance import Curve, Falling, Performance
from nereus.policy.policies import BY_NAME
from nereus.policy.prediction import Prediction
from nereus.policy.strategies import STRATEGIES
from nereus.policy.strategies.keep import KeepLeast
from nereus.policy.sweep import Sweep
from nereus.policy.under_strategy import PREFIX, UnderStrategy
from nereus.simulation.workload import job as queued
from nereus.simulation.workload.orders.fcfs import FirstComeFirstServed
from nereus.simulation.workload.resizing import Malleable
from nereus.simulation.workload.running import Running
from nereus.simulation.workload.speedup import Amdahl, Downey, Measured, Speedup

MODELS = [Amdahl(0.5), Amdahl(0.99), Downey(12, 0.5), Measured((1, 4, 6, 24), (100.0, 90.0, 30.0, 28.0))]


@dataclass(frozen=True)
class Modelled:
    """The times of a simulated job, for a real one."""

    speedup: Speedup
    asked: int
    error: float = 0.0
    fastest: float = 10.0**9

    def seconds(self, ranks: float) -> float:
        return self.speedup.time_factor(int(ranks), self.asked)

    def times(self, factor: float) -> Performance:
        return self


def real(name: str, ranks: int, preferred: int, most: int, free: int, between: Performance) -> Job:
    may_have = min(most, ranks + free)
    return Job(name, ranks, may_have, 1, None, between, lambda more: 0.0, came_with=preferred, ever=most)


def told(resizes: Sequence[Resize]) -> dict[int, int]:
    return {int(each.job): each.ranks for each in resizes}


@dataclass(frozen=True)
class Case:
    """Jobs of (present, preferred, most) ranks, in the order in which they came."""

    jobs: list[tuple[int, int, int]]
    speedup: Speedup
    least_factor: float
    cores: int

    def least(self, preferred: int) -> int:
        return max(1, -int(-self.least_factor * preferred // 1))

    def state(self, free: int) -> State:
        jobs = [
            real(str(number), ranks, preferred, most, free, Modelled(self.speedup, preferred))
            for number, (ranks, preferred, most) in enumerate(self.jobs)
        ]
        return State(0.0, jobs, free)

    def queue(self, name: str, order: FirstComeFirstServed, resized: dict[int, int]) -> Malleable:
        """The same jobs on the machine of a workload; `resized`: what becomes of them."""

        def resize(running: Running, ranks: int, now: float) -> None:
            running.resize(ranks, now)
            resized[running.request.number] = ranks

        malleable = Malleable(order, STRATEGIES[name], resize)
        for number, (ranks, preferred, most) in enumerate(self.jobs):
            least = self.least(preferred)
            job = queued.Job(str(number), 0.0, preferred, 100.0, 100.0, queued.Kind.MALLEABLE, least, most)
            request = queued.Request(number, preferred, least, 100.0, self.speedup)
            malleable.started(Running(request, queued.Outcome(job, 0.0, ranks)))
        return malleable


@st.composite
def cases(draw: st.DrawFn) -> Case:
    factor = draw(st.sampled_from([0.0, 0.25, 0.5, 1.0]))
    jobs = []
    for _ in range(draw(st.integers(1, 5))):
        preferred = draw(st.integers(1, 16))
        most = draw(st.integers(preferred, 24))
        least = max(1, -int(-factor * preferred // 1))
        jobs.append((draw(st.integers(least, most)), preferred, most))
    has = sum(ranks for ranks, _, _ in jobs)
    cores = max(has + draw(st.integers(0, 30)), *(most for _, _, most in jobs), 1)
    return Case(jobs, draw(st.sampled_from(MODELS)), factor, cores)


@pytest.mark.parametrize("name", STRATEGIES)
@given(case=cases())
@settings(max_examples=80, deadline=None)
def test_idle_cores_go_to_the_same_jobs_here_and_in_a_simulated_queue(name: str, case: Case) -> None:
    free = case.cores - sum(ranks for ranks, _, _ in case.jobs)
    simulated: dict[int, int] = {}
    case.queue(name, FirstComeFirstServed(case.cores), simulated).take_idle(free, 0.0)
    parameters = Parameters(least_factor=case.least_factor)
    decided = BY_NAME[f"{PREFIX}{name}"]().decide(case.state(free), parameters)
    assert told([each for each in decided if isinstance(each, Resize)]) == simulated


@pytest.mark.parametrize("name", STRATEGIES)
@given(case=cases(), data=st.data())
@settings(max_examples=80, deadline=None)
def test_job_that_waits_gets_cores_of_the_same_jobs_here_and_in_a_simulated_queue(
    name: str, case: Case, data: st.DataObject
) -> None:
    has = sum(ranks for ranks, _, _ in case.jobs)
    free, lacks = case.cores - has, data.draw(st.integers(0, has))
    simulated: dict[int, int] = {}
    order = FirstComeFirstServed(case.cores)
    order.submitted(queued.Request(99, free + lacks, free + lacks, 100.0, case.speedup), 0.0)
    started = case.queue(name, order, simulated).give_to_first(free, 0.0)
    parameters = Parameters(least_factor=case.least_factor)
    decided = BY_NAME[f"{PREFIX}{name}"]().make_room(case.state(free), lacks, parameters)
    assert decided is not None and told(decided) == simulated
    assert started == bool(decided)


def job(name: str, ranks: int, free: int = 10, between: Performance | None = None, **more: int) -> Job:
    came_with, ever = more.get("came_with", ranks), more.get("ever", 100)
    return real(name, ranks, came_with, ever, free, between or Curve(1.0, 100.0, 0.0))


def grown(policy: str, jobs: Sequence[Job], free: int = 10, **parameters: float) -> dict[str, int]:
    found = BY_NAME[policy]().decide(State(0.0, jobs, free), Parameters(**parameters))  # type: ignore[arg-type]
    return {each.job: each.ranks for each in found if isinstance(each, Resize)}


def test_each_strategy_is_a_policy_and_says_so_in_its_reason() -> None:
    assert {f"{PREFIX}{name}" for name in STRATEGIES} <= BY_NAME.keys()
    (found,) = BY_NAME["strategy-fair"]().decide(State(0.0, [job("a", 2)], 3), Parameters())
    assert found == Resize("a", 5, "idle cores, by the strategy fair")


def test_strategy_fair_makes_jobs_equal_where_fair_gives_all_alike() -> None:
    jobs = [job("a", 2), job("b", 8)]
    assert grown("strategy-fair", jobs) == {"a": 10, "b": 10}
    assert grown("fair", jobs) == {"a": 7, "b": 13}


def test_nobody_gets_more_than_it_may_have_or_while_it_is_resized() -> None:
    assert grown("strategy-keep-least", [job("a", 2, ever=6), job("b", 2)]) == {"a": 6, "b": 8}
    busy = Job("a", 2, 12, 1, None, Curve(1.0, 100.0, 0.0), lambda more: 0.0, resizing=True)
    assert grown("strategy-keep-least", [busy, job("b", 2)]) == {"b": 12}
    assert grown("strategy-keep-least", [job("a", 2)], free=0) == {}
    assert grown("strategy-keep-least", [job("a", 2)], settle=5.0) == {}


def test_throughput_gives_nothing_to_a_job_of_which_no_gain_is_known() -> None:
    unknown = Falling((2,), (1.0,))
    assert grown("strategy-throughput", [job("a", 2, between=unknown), job("b", 2)]) == {"b": 12}
    assert grown("strategy-throughput", [job("a", 2, between=unknown)]) == {}


def test_io_gives_less_to_a_job_that_writes_much() -> None:
    """A phase of 50 s after each 50 s, on two ranks, and none."""
    writes = Prediction(0.0, 100.0, 50.0, 0.0, 10, 10, 1.0)
    jobs = [replace(job("a", 2), prediction=writes), job("b", 2)]
    by_io, by_speedup = (grown(f"strategy-{name}", jobs) for name in ("io", "speedup"))
    assert by_io["b"] > by_speedup["b"] > by_io.get("a", 2)
    assert grown("strategy-io", [job("a", 2), job("b", 2)]) == by_speedup


def test_job_with_fewer_ranks_than_it_came_with_gives_none_below_its_least() -> None:
    policy = BY_NAME["strategy-fair"]()
    jobs = [job("a", 3, came_with=8), job("b", 6, came_with=8)]
    assert told_names(policy.make_room(State(0.0, jobs, 0), 2, Parameters())) == {"b": 4}
    assert policy.make_room(State(0.0, jobs, 0), 3, Parameters()) == []
    smaller = Parameters(least_factor=0.25)
    assert told_names(policy.make_room(State(0.0, jobs, 0), 4, smaller)) == {"b": 2}
    assert told_names(policy.make_room(State(0.0, jobs, 0), 5, smaller)) == {"a": 2, "b": 2}


def told_names(resizes: Sequence[Resize] | None) -> dict[str, int]:
    return {each.job: each.ranks for each in resizes or []}


def test_strategy_behind_a_sweep_says_who_makes_room() -> None:
    state = State(0.0, [job("a", 4)], 0)
    assert told_names(Sweep(BY_NAME["strategy-fair"]()).make_room(state, 1, Parameters())) == {"a": 3}
    assert Sweep(BY_NAME["fair"]()).make_room(state, 1, Parameters()) is None


class Own(Policy):
    def __init__(self, says: Any) -> None:
        self._says = says

    def make_room(self, state: State, cores: int, parameters: Parameters) -> Sequence[Resize] | None:
        if isinstance(self._says, BaseException):
            raise self._says
        return self._says  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("says", "text"),
    [
        (KeyError("x"), "policy Own: make_room: KeyError: 'x'"),
        ([3], "policy Own: make_room: 3: allowed are Resize with whole numbers and a text"),
        ([Leave("a", "no")], "policy Own: make_room: "),
    ],
)
def test_mistake_of_ones_own_policy_that_makes_room_ends_a_simulation_with_its_name(
    says: Any, text: str
) -> None:
    with pytest.raises(PolicyError) as caught:
        guarded(Own(says)).make_room(State(0.0, [], 0), 1, Parameters())
    assert str(caught.value).startswith(text)


def test_what_ones_own_policy_says_of_room_is_kept() -> None:
    for says in (None, [], [Resize("a", 1, "why")]):
        assert guarded(Own(says)).make_room(State(0.0, [], 0), 1, Parameters()) == says


def test_our_strategies_are_not_guarded_and_others_are() -> None:
    ours, other = BY_NAME["strategy-fair"](), UnderStrategy(KeepLeast(), "mine")
    assert guarded(ours) is ours
    assert guarded(other) is not other
