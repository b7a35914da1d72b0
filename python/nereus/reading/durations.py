# SPDX-License-Identifier: BSD-3-Clause
"""Lengths of time as people write them: seconds, or a number with its unit."""

import math
import re

_UNITS = {"": 1.0, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
#: What is allowed, for messages.
DURATIONS = "seconds, or a number with s, min, h or d, as 90 or 10min"


def seconds_in(text: str, most: float = 1e6) -> float:
    """Of "90", "1.5h" or "10min"; ValueError where it is none, is 0, or is longer than `most`."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?([a-z]*)", text.strip())
    if found is None or found[2] not in _UNITS:
        raise ValueError(f"allowed are {DURATIONS}")
    seconds = float(found[1]) * _UNITS[found[2]]
    if not 0 < seconds <= most or math.isinf(seconds):
        raise ValueError(f"allowed is more than 0, and at most {most:g} s")
    return seconds
