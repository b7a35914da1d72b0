# SPDX-License-Identifier: BSD-3-Clause
"""Costs of ways out of trials: what was put in comes out, noise makes no costs that cannot be."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from nereus.bench.calibration import (
    BUSIEST_SHARE,
    PAIR,
    Measured,
    amounts,
    costs_of,
    fit,
    measure,
    over_after,
    rounds_of,
)
from nereus.bench.combinations import Combination
from nereus.bench.networks import SHM, Network
from nereus.bench.transfer_trials import Amount, Pair, TransferBench, TransferTrial
from nereus.bench.transfer_ways import TransferWay

P2P = TransferWay(Combination("merge"), "p2p", "blocking")
RMA = TransferWay(Combination("merge"), "rma-lockall", "wait-drains")


def trial(way: TransferWay, amount: Amount, seconds: float, **figures: Any) -> Measured:
    usual = {
        "constant_seconds": seconds,
        "variable_seconds": 0.0,
        "process_seconds": 0.0,
        "pause_seconds": 0.0,
        "loop_before": 0.002,
        "loop_background_mean": None,
    }
    return Measured(amount, TransferTrial(PAIR, way, True, "", usual | figures))


def model(amount: Amount, fixed: float, each: float, byte: float) -> float:
    return fixed + each * amount.arrays + byte * amount.bytes * BUSIEST_SHARE


def test_fit_recovers_the_costs_of_trials() -> None:
    numbers = (0.003, 0.0005, 4e-10)
    made = [trial(P2P, amount, model(amount, *numbers)) for amount in amounts(2**26) for _ in range(3)]
    (found,) = costs_of(made)
    assert (found.fixed_seconds, found.seconds_per_array, found.seconds_per_byte) == pytest.approx(numbers)
    assert found.deviation == pytest.approx(0, abs=1e-9)
    assert (found.method, found.strategy, found.omega) == ("p2p", "blocking", 1)


def test_one_outlier_among_three_changes_nothing() -> None:
    usual = [trial(P2P, amount, model(amount, 0.001, 0, 1e-9)) for amount in amounts(2**26) for _ in range(2)]
    outliers = [trial(P2P, amount, 10.0) for amount in amounts(2**26)]
    assert costs_of(usual + outliers)[0].seconds_per_byte == pytest.approx(1e-9)


@pytest.mark.parametrize("seed", range(50))
def test_costs_are_never_negative(seed: int) -> None:
    chance = random.Random(seed)
    rows = [(1.0, float(amount.arrays), float(amount.bytes)) for amount in amounts(2**26)]
    seconds = [chance.choice([0.0, 1e-6, 1.0]) * chance.random() for _ in rows]
    factors = fit(rows, seconds)
    assert min(factors) >= 0
    weights = [1 / max(second, 1e-7) for second in seconds]

    def error(factors: Iterable[float]) -> float:
        said = [sum(f * x for f, x in zip(factors, row, strict=True)) for row in rows]
        return sum(((s - t) * w) ** 2 for s, t, w in zip(said, seconds, weights, strict=True))

    # No near neighbour that is allowed fits better.
    for index in range(3):
        for change in (0.99, 1.01):
            other = [f * change if i == index else f for i, f in enumerate(factors)]
            assert error(other) >= error(factors) * (1 - 1e-9)


def test_pause_excludes_a_transfer_that_blocks_the_application() -> None:
    figures = {"pause_seconds": 0.5, "process_seconds": 0.1, "variable_seconds": 0.05}
    blocking, background = (trial(way, Amount(8), 0.2, **figures) for way in (P2P, RMA))
    assert blocking.pause == pytest.approx(0.15)
    assert background.pause == pytest.approx(0.35)
    assert trial(P2P, Amount(8), 9.0, **figures).pause == 0


def test_omega_is_measured_with_much_data_and_at_least_one() -> None:
    def made(omegas: list[float | None]) -> list[Measured]:
        little = [trial(RMA, Amount(1024), 0.01, loop_background_mean=0.1)]
        loops = [None if omega is None else omega * 0.002 for omega in omegas]
        return little + [trial(RMA, Amount(2**26), 0.1, loop_background_mean=loop) for loop in loops]

    assert costs_of(made([1.2, 1.3, 9.0]))[0].omega == pytest.approx(1.3)
    assert costs_of(made([0.9, 0.8, 0.95]))[0].omega == 1
    assert costs_of(made([None, None]))[0].omega == 1
    assert costs_of(made([None, 1.5]))[0].omega == pytest.approx(1.5)


def test_method_that_failed_once_has_no_costs() -> None:
    failed = Measured(Amount(8), TransferTrial(PAIR, RMA, False, "there was no answer within 15 s"))
    made = [trial(way, Amount(8), 0.2) for way in (P2P, RMA)]
    assert [cost.method for cost in costs_of([*made, failed])] == ["p2p"]


@pytest.mark.parametrize("most", [2**20, 10**6 + 7, 2**40])
def test_amounts_differ_in_bytes_and_in_arrays(most: int) -> None:
    little, many, much = amounts(most)
    assert little.bytes == many.bytes < much.bytes == most
    assert little.arrays == much.arrays == 1 < many.arrays


@dataclass(frozen=True)
class SlowBench(TransferBench):
    """Each trial takes ten seconds of a clock that nobody waits for."""

    clock: list[float] = field(default_factory=lambda: [0.0])

    def trials(self, pair: Pair, ways: Sequence[TransferWay]) -> Iterator[TransferTrial]:
        for way in ways:
            if self.stopped():
                return
            self.clock[0] += 10.0
            yield TransferTrial(pair, way, True, "", {})


def measured_within(limit: float, repeat: int) -> tuple[list[Measured], float]:
    """Two ways with three amounts: 60 seconds for a round; and when that was over."""
    clock = [0.0]
    over = over_after(limit, lambda: False, lambda: clock[0])
    bench = SlowBench(cast(Any, None), Network(SHM), Amount(2**26), stopped=over, clock=clock)
    return list(measure(bench, [P2P, RMA], repeat)), clock[0]


@pytest.mark.parametrize(
    ("limit", "repeat", "rounds"),
    [(600.0, 3, [3, 3]), (100.0, 3, [1, 1]), (55.0, 3, [1, 0]), (20.0, 1, [0, 0])],
)
def test_as_many_rounds_are_made_as_there_is_time_for(limit: float, repeat: int, rounds: list[int]) -> None:
    made, end = measured_within(limit, repeat)
    assert list(rounds_of(made, [P2P, RMA], amounts(2**26)).values()) == rounds
    assert end <= limit


def test_ways_that_failed_have_no_rounds() -> None:
    made, _ = measured_within(100.0, 1)
    failed = Measured(Amount(2**26), TransferTrial(PAIR, RMA, False, "no windows here"))
    assert rounds_of([*made, failed], [P2P, RMA], amounts(2**26)) == {P2P: 1}


def test_measurement_ends_when_it_is_stopped_however_much_time_is_left() -> None:
    assert over_after(60.0, lambda: True, lambda: 0.0)()
    assert not over_after(60.0, lambda: False, lambda: 0.0)()
