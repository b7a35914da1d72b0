# SPDX-License-Identifier: BSD-3-Clause
"""A store that jobs share once more, as plainly as it can be written: all shares are found at each event."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf


@dataclass
class User:
    """`demand`: bytes per second of its `left` seconds; it gets `most` of these at most."""

    start: float
    left: float
    demand: float
    most: float
    ended: float = inf


def shares(users: Sequence[User], bandwidth: float) -> list[float]:
    """Progressive filling: who can use less than an equal share leaves the rest to the others."""
    found, left, others = [0.0] * len(users), bandwidth, len(users)
    for place in sorted(range(len(users)), key=lambda place: users[place].most):
        found[place] = min(users[place].most, left / others)
        left -= found[place]
        others -= 1
    return found


def ends(users: Sequence[User], bandwidth: float) -> list[float]:
    """When each has done all that is left of it."""
    now = 0.0
    while any(each.ended == inf for each in users):
        active = [each for each in users if each.start <= now and each.ended == inf]
        speeds = [share / each.demand for each, share in zip(active, shares(active, bandwidth), strict=True)]
        times = [now + each.left / speed for each, speed in zip(active, speeds, strict=True)]
        following = min([*times, *(each.start for each in users if each.start > now)])
        for each, speed, time in zip(active, speeds, times, strict=True):
            each.left -= (following - now) * speed
            if time == following:
                each.ended = following
        now = following
    return [each.ended for each in users]
