# SPDX-License-Identifier: BSD-3-Clause
"""From trials of transfers to costs of ways.

The model is that of the library (src/plan/cost_model.hpp): a transfer takes fixed seconds, some for each
array, and some for each byte of the process that sends or receives most; beside it the application is held up
for some time, and while it iterates meanwhile, each iteration takes omega times as long.
"""

import itertools
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from nereus.bench.costs import Cost
from nereus.bench.networks import SHM, Network
from nereus.bench.transfer_trials import Amount, Pair, TransferBench, TransferTrial
from nereus.bench.transfer_ways import BLOCKING, TransferWay
from nereus.launch.builds import Build

#: The least sizes at which several processes send to several.
PAIR = Pair(2, 4)
# With the first processes as survivors, as in _SETTINGS, the second of the two sends away its whole part.
BUSIEST_SHARE = 0.5
_SMALL_BYTES = 65536
_MANY_ARRAYS = 8
_LEAST_SECONDS = 1e-7
# Of the time for a measurement: to end what is tried last, which takes some launchers a second.
_SHARE_OF_THE_END = 0.1
_SHARE_OF_SILENCE = 1 / 6
_LEAST_SILENCE = 5.0  # s; starting processes takes some MPIs seconds
_SETTINGS = {"NEREUS_SURVIVORS": "first", "NEREUS_MEMORY": "private", "NEREUS_COSTS": ""}


@dataclass(frozen=True)
class Measured:
    """One trial, and with how much data."""

    amount: Amount
    trial: TransferTrial

    @property
    def seconds(self) -> float:
        """Of the transfer: all data is constant."""
        return float(self.trial.figures["constant_seconds"])

    @property
    def pause(self) -> float:
        """For which the application waited, but for the transfer and for the new processes."""
        said = self.trial.figures
        waited = self.seconds if self.trial.way.strategy == BLOCKING else 0.0
        other = said["process_seconds"] + said["variable_seconds"]
        return max(0.0, float(said["pause_seconds"] - waited - other))

    @property
    def omega(self) -> float | None:
        """None where the transfer was over before an iteration was."""
        during, before = self.trial.figures["loop_background_mean"], self.trial.figures["loop_before"]
        return during / before if during and before else None


def amounts(most: int) -> tuple[Amount, ...]:
    """Three, for three unknown numbers: little data, the same in many arrays, and much."""
    little = min(_SMALL_BYTES, most // 16)
    return Amount(little), Amount(little, _MANY_ARRAYS), Amount(most)


def measure(bench: TransferBench, ways: Sequence[TransferWay], repeat: int) -> Iterator[Measured]:
    """Each way with each amount in turn; what fails once is not tried again. Ends early when stopped."""
    hopeful = list(ways)
    for _, amount in itertools.product(range(repeat), amounts(bench.amount.bytes)):
        for trial in replace(bench, amount=amount).trials(PAIR, list(hopeful)):
            if not trial.works:
                hopeful.remove(trial.way)
            yield Measured(amount, trial)


def over_after(
    seconds: float, stopped: Callable[[], bool], clock: Callable[[], float] = time.monotonic
) -> Callable[[], bool]:
    """Whether a measurement that begins now has to end: somebody stops it, or its time is over."""
    until = clock() + seconds * (1 - _SHARE_OF_THE_END)
    return lambda: stopped() or clock() >= until


def rounds_of(
    measured: Sequence[Measured], ways: Sequence[TransferWay], wanted: Sequence[Amount]
) -> dict[TransferWay, int]:
    """In how many rounds each way that never failed was tried with all amounts."""
    failed = {one.trial.way for one in measured if not one.trial.works}
    trials = Counter((one.trial.way, one.amount) for one in measured)
    return {way: min(trials[way, amount] for amount in wanted) for way in ways if way not in failed}


def bench_for(build: Build, most: int, limit: float, stopped: Callable[[], bool]) -> TransferBench:
    """A bench whose jobs know nothing of costs, and whose busiest process is known.

    Of the `limit`, no way that hangs takes the time of the others.
    """
    network = Network(SHM, {build.kind: _SETTINGS})
    return TransferBench(
        build,
        network,
        Amount(most),
        brief=True,
        stopped=stopped,
        patience=max(_LEAST_SILENCE, limit * _SHARE_OF_SILENCE),
    )


def costs_of(measured: Sequence[Measured]) -> list[Cost]:
    """Of each way that worked in every trial, in the order in which they were tried."""
    by_way: dict[TransferWay, list[Measured]] = {}
    for one in measured:
        by_way.setdefault(one.trial.way, []).append(one)
    return [_cost(way, trials) for way, trials in by_way.items() if all(one.trial.works for one in trials)]


def fit(rows: Sequence[Sequence[float]], seconds: Sequence[float]) -> list[float]:
    """Factors of the columns, none below 0, with the least sum of squared relative errors.

    Of the solutions without bounds for each choice of columns the best one that is allowed is the solution
    with bounds: where a bound holds, the column is left out.
    """
    weights = 1 / np.maximum(np.asarray(seconds, dtype=float), _LEAST_SECONDS)
    scaled, wanted = np.asarray(rows, dtype=float) * weights[:, None], np.asarray(seconds) * weights
    columns = range(scaled.shape[1])
    choices = [choice for size in columns for choice in itertools.combinations(columns, size + 1)]
    solutions = [_solution(scaled, wanted, choice) for choice in choices]
    allowed = [each for each in solutions if (each >= 0).all()]
    best = min(allowed, key=lambda each: float(np.sum((scaled @ each - wanted) ** 2)))
    return [float(factor) for factor in best]


def _solution(
    rows: npt.NDArray[np.float64], wanted: npt.NDArray[np.float64], choice: tuple[int, ...]
) -> npt.NDArray[np.float64]:
    """The best factors of these columns; the others are 0."""
    # Columns of very different size, bytes and ones, would be taken for dependent ones.
    sizes = np.linalg.norm(rows[:, choice], axis=0)
    factors = np.zeros(rows.shape[1])
    factors[list(choice)] = np.linalg.lstsq(rows[:, choice] / sizes, wanted, rcond=None)[0] / sizes
    return factors


def _cost(way: TransferWay, trials: Sequence[Measured]) -> Cost:
    by_amount: dict[Amount, list[Measured]] = {}
    for one in trials:
        by_amount.setdefault(one.amount, []).append(one)
    rows = [_row(amount) for amount in by_amount]
    medians = [statistics.median(one.seconds for one in same) for same in by_amount.values()]
    fixed, each, byte = fit(rows, medians)
    expected = {amount: float(np.dot(_row(amount), (fixed, each, byte))) for amount in by_amount}
    return Cost(
        method=way.method,
        strategy=way.strategy,
        fixed_seconds=fixed,
        seconds_per_array=each,
        seconds_per_byte=byte,
        pause_seconds=statistics.median(one.pause for one in trials),
        omega=_omega(by_amount[max(by_amount, key=lambda amount: amount.bytes)]),
        deviation=statistics.median(
            abs(one.seconds - expected[one.amount]) / max(expected[one.amount], _LEAST_SECONDS)
            for one in trials
        ),
    )


def _row(amount: Amount) -> tuple[float, float, float]:
    return 1.0, float(amount.arrays), amount.bytes * BUSIEST_SHARE


def _omega(trials: Sequence[Measured]) -> float:
    """Of the largest amount, which takes most iterations; at least 1, as no transfer makes them faster."""
    if trials[0].trial.way.strategy == BLOCKING:
        return 1.0
    found = [one.omega for one in trials if one.omega is not None]
    return max(1.0, statistics.median(found)) if found else 1.0
