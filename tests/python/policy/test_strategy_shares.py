# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: cores that go, many at once, where they would go one by one."""

from collections.abc import Sequence
from functools import partial
from itertools import accumulate
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nereus.policy.strategies import STRATEGIES, Strategy
from nereus.policy.strategies.malleable_job import MalleableJob
from nereus.policy.strategies.shares import Offer, by_levels, getting, giving, shared

#: Of these each core is worth exactly the same to a computer and to people.
EXACT = ["average", "fair"]
MILLION = 10**6


def core_by_core(offers: Sequence[Offer], steps: int) -> list[int]:
    """Plain: of all next steps the one that costs least, again and again."""
    taken = [0] * len(offers)
    for _ in range(steps):
        ahead = [
            (offer.cost(taken[index] + 1), offer.place, index)
            for index, offer in enumerate(offers)
            if taken[index] < offer.room
        ]
        if not ahead or min(ahead)[0] == inf:
            break
        taken[min(ahead)[2]] += 1
    return taken


def amdahl(fraction: float, asked: int, ranks: int) -> float:
    return 1 - fraction + fraction * asked / ranks


def job(least: int, preferred: int, most: int, fraction: float = 0.99) -> MalleableJob:
    return MalleableJob("", least, preferred, most, partial(amdahl, fraction, preferred), is_concave=True)


def offer_of(costs: Sequence[float], place: tuple[float, int], is_sorted: bool = True) -> Offer:
    def cost(number: int) -> float:
        return costs[number - 1]

    return Offer(cost, place, len(costs), is_sorted)


@st.composite
def sorted_offers(draw: st.DrawFn) -> list[Offer]:
    """Many equal costs, of one job and of several."""
    made = []
    for number, place in enumerate(draw(st.permutations(range(draw(st.integers(1, 6)))))):
        more = draw(st.lists(st.sampled_from([0, 0, 0, 1, 1, 2, inf]), max_size=20))
        costs = list(accumulate(more, initial=draw(st.integers(-3, 3))))
        made.append(offer_of(costs, (float(number % 2), place)))
    return made


@st.composite
def jobs_with_ranks(draw: st.DrawFn) -> list[tuple[MalleableJob, int]]:
    made = []
    for _ in range(draw(st.integers(1, 6))):
        least, preferred, most = sorted(draw(st.tuples(*[st.integers(1, 60)] * 3)))
        fraction = draw(st.sampled_from([0.5, 0.9, 0.99]))
        made.append((job(least, preferred, most, fraction), draw(st.integers(least, most))))
    return made


def both_ways(strategy: Strategy, jobs: Sequence[tuple[MalleableJob, int]], step: int) -> list[list[Offer]]:
    numbered = [(each, ranks, (0.0, number)) for number, (each, ranks) in enumerate(jobs)]
    return [
        [getting(strategy, each, ranks, each.most, step, place) for each, ranks, place in numbered],
        [giving(strategy, each, ranks, step, place) for each, ranks, place in numbered],
    ]


@given(offers=sorted_offers(), steps=st.integers(0, 100))
@settings(max_examples=400, deadline=None)
def test_levels_are_what_comes_of_each_core_by_itself(offers: list[Offer], steps: int) -> None:
    assert by_levels(offers, steps) == core_by_core(offers, steps) == shared(offers, steps, False)


@pytest.mark.parametrize("name", EXACT)
@given(jobs=jobs_with_ranks(), cores=st.integers(0, 200), step=st.integers(1, 3))
@settings(max_examples=150, deadline=None)
def test_strategies_by_levels_are_those_core_by_core(
    name: str, jobs: list[tuple[MalleableJob, int]], cores: int, step: int
) -> None:
    for offers in both_ways(STRATEGIES[name], jobs, step):
        assert all(offer.is_sorted for offer in offers)
        assert by_levels(offers, cores) == core_by_core(offers, cores)


@pytest.mark.parametrize("name", ["speedup", "throughput"])
@given(jobs=jobs_with_ranks(), cores=st.integers(0, 200))
@settings(max_examples=100, deadline=None)
def test_speedups_by_levels_add_up_to_those_core_by_core(
    name: str, jobs: list[tuple[MalleableJob, int]], cores: int
) -> None:
    """Gains that differ in their last digits alone may go to one job or the other."""
    for sign, offers in zip((1, -1), both_ways(STRATEGIES[name], jobs, 1), strict=True):
        counts = by_levels(offers, cores), core_by_core(offers, cores)
        sums = [
            sum(each.speedup(ranks + sign * more) for (each, ranks), more in zip(jobs, found, strict=True))
            for found in counts
        ]
        assert sum(counts[0]) == sum(counts[1])
        assert sums[0] == pytest.approx(sums[1], rel=1e-9)


@pytest.mark.parametrize("name", STRATEGIES)
def test_million_cores_are_shared_out_to_the_last(name: str) -> None:
    jobs = [(job(1, 8, MILLION), 8), (job(1, 20, MILLION), 20)]
    get, _ = both_ways(STRATEGIES[name], jobs, 1)
    found = shared(get, MILLION - 28, STRATEGIES[name].all_at_once)
    assert sum(found) == MILLION - 28
    _, give = both_ways(
        STRATEGIES[name],
        [(each, ranks + more) for (each, ranks), more in zip(jobs, found, strict=True)],
        1,
    )
    assert sum(shared(give, MILLION - 28, STRATEGIES[name].all_at_once)) == MILLION - 28


def test_fair_halves_a_million_cores() -> None:
    jobs = [(job(1, 8, MILLION), 8), (job(1, 20, MILLION), 20)]
    get, _ = both_ways(STRATEGIES["fair"], jobs, 1)
    assert shared(get, MILLION - 28, False) == [499_992, 499_980]


def test_strategy_of_which_worths_rise_again_is_asked_about_each_core() -> None:
    """The third core of the first job is worth most of all, but is behind one that is worth nothing."""
    costs = [-1.0, 0.0, -9.0, -9.0], [-3.0, -2.0, -1.0, -1.0]
    offers = [offer_of(each, (0.0, place), is_sorted=False) for place, each in enumerate(costs)]
    assert shared(offers, 4, False) == core_by_core(offers, 4) == [1, 3]
    assert shared(offers, 6, False) == core_by_core(offers, 6)


def stepped(ranks: int) -> float:
    """Twice as fast with each four ranks, nothing between."""
    return 1 / (1 << ranks // 4)


def test_throughput_goes_towards_a_step_and_gives_nothing_that_brings_nothing() -> None:
    """The first gains 2 by its next four ranks, 0.5 each; the second 0.4 by its next one, and 0 by more."""
    throughput, speedup = STRATEGIES["throughput"], STRATEGIES["speedup"]
    steps = MalleableJob("steps", 1, 4, 8, stepped)
    flat = MalleableJob("flat", 1, 1, 8, lambda ranks: 1.0 if ranks == 1 else 1 / 1.4)
    jobs = [(steps, 4), (flat, 1)]
    (by_throughput, _), (by_speedup, _) = (both_ways(each, jobs, 1) for each in (throughput, speedup))
    assert shared(by_throughput, 5, False) == [4, 1]
    assert shared(by_throughput, 9, False) == [4, 1]
    # Core by core nothing is seen of the step.
    assert core_by_core(by_speedup, 3) == [2, 1]
