# SPDX-License-Identifier: BSD-3-Clause
"""Single values of Proteo's files: numbers, flags, lists of codes.

INI values are texts that Proteo's reader cuts at the first character that is no part of a number; where the
rest would be lost, this is an error here.
"""

from __future__ import annotations

import math
import re

from nereus.config.errors import ConfigError
from nereus.config.proteo_file import Entry

_WHOLE = re.compile(r"([+-]?\d{1,30})(\.\d*)?", re.ASCII)
_LARGEST = 2**62
_EXPAND = (
    "one value; a file with alternatives a:b:c stands for many experiments: "
    "write one file for each combination (Proteo: Exec/PythonCodes/read_multiple.py or expand_multi_json.py)"
)


def whole(entry: Entry, allowed: str, cut: bool = False) -> int:
    """A whole number; with `cut`, decimals are dropped as Proteo does."""
    value = entry.value
    if isinstance(value, str):
        _no_alternatives(entry)
        match = _WHOLE.fullmatch(value.strip())
        if match is None or (not cut and match[2] is not None and match[2].strip(".0")):
            raise entry.wrong(allowed)
        value = int(match[1])
    if isinstance(value, float) and math.isfinite(value) and (cut or value.is_integer()):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _LARGEST:
        raise entry.wrong(allowed)
    return value


def real(entry: Entry, allowed: str) -> float:
    """A number."""
    value = entry.value
    if isinstance(value, str):
        _no_alternatives(entry)
        try:
            value = float(value) if "_" not in value else math.nan
        except ValueError:
            raise entry.wrong(allowed) from None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _LARGEST:
        raise entry.wrong(allowed)
    return float(value)


def flag(entry: Entry) -> bool:
    """0 or 1."""
    return code(entry, {0: "no", 1: "yes"}) == 1


def code(entry: Entry, table: dict[int, str]) -> int:
    """A number that the table has."""
    allowed = "one of " + ", ".join(f"{number} ({meaning})" for number, meaning in table.items())
    value = whole(entry, allowed)
    if value not in table:
        raise entry.wrong(allowed)
    return value


def codes(entry: Entry, table: dict[int, str]) -> list[int]:
    """A list of such numbers: `0,2` in INI, an array in JSON."""
    return [code(Entry(entry.where, entry.key, item), table) for item in _items(entry)]


def raw_codes(entry: Entry) -> list[int]:
    """The numbers of a value or list whose table is not known yet; what is none is left to code and codes."""
    found = []
    for item in _items(entry) if isinstance(entry.value, str | list) and entry.value else [entry.value]:
        try:
            found.append(whole(Entry(entry.where, entry.key, item), ""))
        except ConfigError:
            continue
    return found


def _items(entry: Entry) -> list[object]:
    if isinstance(entry.value, str):
        _no_alternatives(entry)
        return list(entry.value.split(","))
    if not isinstance(entry.value, list) or not entry.value:
        raise entry.wrong("a list of at least one code")
    return entry.value


def _no_alternatives(entry: Entry) -> None:
    if isinstance(entry.value, str) and ":" in entry.value:
        raise entry.wrong(_EXPAND)
