# SPDX-License-Identifier: BSD-3-Clause
"""Jobs as Lublin and Feitelson found them in the logs of three sites: "The workload on parallel
supercomputers: modeling the characteristics of rigid jobs", J. Parallel and Distributed Computing 63, 2003.

The parameters are those of the authors' program m_lublin99.c (Parallel Workloads Archive) for jobs of which
it is not known whether they are interactive.
"""

from math import floor, log2

import numpy as np
from numpy.typing import NDArray

from nereus.simulation.workload.model import Generated

Floats = NDArray[np.float64]
Ranks = NDArray[np.int64]

# Sizes: log2 of them is uniform in two stages, from _LOW to a middle with probability _FIRST_STAGE, or from
# there to the largest.
_LOW, _FIRST_STAGE = 0.8, 0.86
_MIDDLE_BELOW_LARGEST = 2.5  # the program's comment allows 1.5 to 3.5

# Run times: their logarithm is of one of two gamma distributions (shape, scale): of the first one with the
# probability _P_SLOPE * ranks + _P_AT_0, so that large jobs run longer.
_SHORT, _LONG = (4.2, 0.94), (312.0, 0.03)
_P_SLOPE, _P_AT_0 = -0.0054, 0.78
_MOST_LOG_SECONDS = 12.0  # 45 hours

# Times between submissions: their logarithm is of a gamma distribution, whose shape was found for rush hours
# and is corrected to that of all hours.
_GAP_SHAPE, _GAP_SCALE = 10.2303 * 1.0225, 0.4871
_MOST_LOG_GAP = 13.0  # five days

# Daily cycle: how many jobs come in each half hour is by a gamma distribution, over the day from 5:30 on.
_DAY, _HALF_HOURS, _DAY_BEGINS = 86400.0, 48, 11
_CYCLE_SHAPE, _CYCLE_SCALE = 8.1737, 3.9631


def drawn(generated: Generated, random: np.random.Generator) -> tuple[Floats, Ranks, Floats]:
    """When each job is submitted, its ranks, its seconds."""
    gaps = np.exp(_gammas(random, np.full(generated.jobs, _GAP_SHAPE), _GAP_SCALE, _MOST_LOG_GAP))
    if generated.every is not None:
        gaps *= generated.every / mean_gap()
    ranks = _ranks(generated, random)
    return _in_daily_cycle(np.cumsum(gaps)), ranks, _seconds(ranks, random)


def mean_gap() -> float:
    """Seconds from one submission to the next, over all hours of the day."""
    from scipy.special import gammainc

    below = gammainc(_GAP_SHAPE, _MOST_LOG_GAP / _GAP_SCALE)
    weighted = gammainc(_GAP_SHAPE, _MOST_LOG_GAP * (1 - _GAP_SCALE) / _GAP_SCALE)
    return float((1 - _GAP_SCALE) ** -_GAP_SHAPE * weighted / below)


def _ranks(generated: Generated, random: np.random.Generator) -> Ranks:
    count, largest = generated.jobs, log2(generated.most_ranks)
    low = min(_LOW, largest)
    middle = max(low, largest - _MIDDLE_BELOW_LARGEST)
    is_first = random.random(count) < _FIRST_STAGE
    exponents = np.where(is_first, random.uniform(low, middle, count), random.uniform(middle, largest, count))
    kind = random.random(count)
    is_power = kind < generated.serial_share + generated.power_share
    exponents = np.where(is_power, np.minimum(np.rint(exponents), floor(largest)), exponents)
    ranks = np.rint(2.0**exponents).astype(np.int64)
    return np.where(kind < generated.serial_share, 1, np.clip(ranks, 1, generated.most_ranks))


def _seconds(ranks: Ranks, random: np.random.Generator) -> Floats:
    is_short = random.random(len(ranks)) < np.clip(_P_SLOPE * ranks + _P_AT_0, 0, 1)
    shapes, scales = (np.where(is_short, *pair) for pair in zip(_SHORT, _LONG, strict=True))
    logarithms = _gammas(random, shapes, scales, _MOST_LOG_SECONDS)
    return np.exp(logarithms)


def _gammas(random: np.random.Generator, shapes: Floats, scales: Floats | float, most: float) -> Floats:
    """Those above `most` are drawn again."""
    scales = np.broadcast_to(scales, shapes.shape)
    found = random.gamma(shapes, scales)
    while len(too_large := np.flatnonzero(found > most)):
        found[too_large] = random.gamma(shapes[too_large], scales[too_large])
    return found


def _in_daily_cycle(even: Floats) -> Floats:
    """Times that come as often at any hour, moved to hours at which more jobs come; the first day is at 0."""
    from scipy.special import gammainc

    edges = (np.arange(_DAY_BEGINS, _DAY_BEGINS + _HALF_HOURS + 1) - 0.5) / _CYCLE_SCALE
    weights = np.roll(np.diff(gammainc(_CYCLE_SHAPE, edges)), _DAY_BEGINS - 1)
    passed = np.concatenate(([0.0], np.cumsum(weights)))
    days, rest = np.divmod(even / _DAY, 1.0)
    half_hours = np.interp(rest * passed[-1], passed, np.arange(_HALF_HOURS + 1))
    times: Floats = (days + half_hours / _HALF_HOURS) * _DAY
    return times
