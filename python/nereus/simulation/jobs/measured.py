# SPDX-License-Identifier: BSD-3-Clause
"""What resizes took on a real machine, from the events of its daemon, for resizes that are simulated.

In:  lines of `nereus daemon events --json`, or of a live study's events.jsonl.
Out: T = seconds + per_rank * (ranks that came or went), both from 0, by least squares of relative deviations
     of the medians of each number of ranks.
"""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from statistics import median
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

#: What took less counts as this: a deviation cannot be relative to nothing.
_LEAST_SECONDS = 1e-6


def fitted(text: str) -> tuple[float, float] | None:
    """`seconds` and `per_rank`; None where no line tells what a resize took."""
    by_ranks: dict[int, list[float]] = defaultdict(list)
    for ranks, seconds in _resizes(text):
        by_ranks[ranks].append(max(seconds, _LEAST_SECONDS))
    if not by_ranks:
        return None
    times = np.array([median(each) for each in by_ranks.values()])
    if len(by_ranks) == 1:
        return float(times[0]), 0.0
    from scipy.optimize import nnls

    numbers = np.array([*by_ranks], dtype=float)
    found, _ = nnls(np.column_stack([1 / times, numbers / times]), np.ones_like(times))
    return float(found[0]), float(found[1])


def _resizes(text: str) -> Iterator[tuple[int, float]]:
    for line in text.splitlines():
        with suppress(ValidationError):
            event = _Resized.model_validate_json(line)
            if event.before != event.ranks:
                yield abs(event.ranks - event.before), event.seconds


class _Resized(BaseModel):
    """An event that tells how long a resize took; others do not count."""

    model_config = ConfigDict(strict=True)
    event: Literal["resized"]
    before: int = Field(ge=1, le=2**31)
    ranks: int = Field(ge=1, le=2**31)
    seconds: float = Field(ge=0, le=1e12, allow_inf_nan=False)
