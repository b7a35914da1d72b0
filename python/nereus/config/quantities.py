# SPDX-License-Identifier: BSD-3-Clause
"""Sizes and times as people write them: 67108864 or "64 MiB", 0.05 or "50 ms"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Literal

#: As often as costs little.
AUTO: Literal["auto"] = "auto"
_QUANTITY = re.compile(r"\s*(\d{1,30}(?:\.\d{1,30})?)\s*([A-Za-zµ]{1,3})\s*", re.ASCII)
_BYTES = {"B": 1} | {
    prefix + suffix: base**power
    for power, prefix in enumerate(("K", "M", "G", "T", "P"), start=1)
    for suffix, base in (("iB", 1024), ("B", 1000))
}
_BYTES["kB"] = 1000
_SECONDS = {"s": Fraction(1), "ms": Fraction(1, 1000), "us": Fraction(1, 10**6), "µs": Fraction(1, 10**6)}
_SECONDS |= {"ns": Fraction(1, 10**9), "min": Fraction(60), "h": Fraction(3600)}


def _texts(units: Iterable[str]) -> str:
    """What such texts look like, as a regular expression for other programs (ECMA 262)."""
    return rf"^\s*[0-9]+(\.[0-9]+)?\s*({'|'.join(units)})\s*$"


BYTES_TEXTS, SECONDS_TEXTS = _texts(_BYTES), _texts(_SECONDS)


def bytes_of(value: object) -> object:
    """Bytes of a text such as "64 MiB"; anything but a text is handed on as it is."""
    if not isinstance(value, str):
        return value
    amount = _amount(value, {unit: Fraction(factor) for unit, factor in _BYTES.items()})
    if amount.denominator != 1:
        raise ValueError("no whole number of bytes")
    return amount.numerator


def interval_of(value: object) -> object:
    """Seconds from one time to the next, or "auto"; anything but a text is handed on as it is."""
    return value if value == AUTO else seconds_of(value)


def share_of(whole: int, percent: float) -> int:
    """So many percent of whole, rounded to the nearest whole number, a half up; percent as it is written."""
    return int(Fraction(whole) * Fraction(repr(percent)) / 100 + Fraction(1, 2))


def seconds_of(value: object) -> object:
    """Seconds of a text such as "50 ms"; anything but a text is handed on as it is."""
    return float(_amount(value, _SECONDS)) if isinstance(value, str) else value


def _amount(text: str, units: dict[str, Fraction]) -> Fraction:
    match = _QUANTITY.fullmatch(text)
    if match is None or match[2] not in units:
        raise ValueError("no number with a unit")
    return Fraction(match[1]) * units[match[2]]
