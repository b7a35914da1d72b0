# SPDX-License-Identifier: BSD-3-Clause
"""How far a job is after how long: iterations that do not all take the same."""

from math import log, sqrt

import numpy as np
from numpy.typing import NDArray


class Pace:
    """Iterations in units of the model's time: 1 each, or log-normal about 1 with the noise as deviation.

    The n-th iteration is the same whatever a policy does.
    """

    def __init__(self, iterations: int, noise: float, random: np.random.Generator) -> None:
        self._upto: NDArray[np.float64] | None = None
        if noise > 0:
            variance = log(1 + noise**2)
            factors = random.lognormal(-variance / 2, sqrt(variance), iterations)
            self._upto = np.concatenate([[0.0], np.cumsum(factors)])

    def work(self, first: int, last: int) -> float:
        """Of the iterations after `first` up to `last`."""
        if self._upto is None:
            return float(last - first)
        return float(self._upto[last] - self._upto[first])

    def done(self, first: int, work: float) -> int:
        """Iterations that are over, when so much was worked since the first ones were."""
        nearly = work * (1 + 1e-12) + 1e-9
        if self._upto is None:
            return first + int(nearly)
        return int(np.searchsorted(self._upto, self._upto[first] + nearly, side="right")) - 1
