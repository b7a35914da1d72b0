# SPDX-License-Identifier: BSD-3-Clause
"""Which of our methods a Proteo resize asks for; what does not exist yet is an error that says what does."""

from __future__ import annotations

from nereus.config.proteo_codes import (
    EXISTING_TRANSFER_METHODS,
    NO_STRATEGY,
    SPAWN_METHODS,
    SPAWN_STRATEGIES,
    TRANSFER_METHODS,
    TRANSFER_STRATEGIES,
    Codes,
)
from nereus.config.proteo_file import Entry, Table
from nereus.config.proteo_values import code, codes

Note = tuple[Entry, str]


def process_method(table: Table, generation: Codes, shrinks: bool) -> tuple[str, list[Note]]:
    """Our process method for Spawn_Method and Spawn_Strategy, and what Proteo leaves out of them silently."""
    merge = "Spawn_Method" in table.entries and code(table.entries["Spawn_Method"], SPAWN_METHODS) == 1
    entry = table.entries.get("Spawn_Strategy")
    names = _strategies(entry, SPAWN_STRATEGIES[generation], NO_STRATEGY[generation])
    notes: list[Note] = []
    if merge:
        dropped = {"intercomm"} | ({"single"} if shrinks else set())
        notes = [(entry, f"{name} is left out, as in Proteo: Merge has no use for it") for name in names
                 if name in dropped and entry is not None]  # fmt: skip
        names = [name for name in names if name not in dropped]
    missing = [name for name in names if name != "intercomm"]
    if missing and entry is not None:
        none = NO_STRATEGY[generation]
        also = " and 3 (intercomm)" if generation == "new" else ""
        raise entry.wrong(
            f"{' and '.join(missing)} {_do(missing)} not exist yet; there is {none} (none){also}"
        )
    if merge:
        return "merge", notes
    return ("baseline-inter" if "intercomm" in names else "baseline-intra"), notes


def transfer_method(table: Table, generation: Codes) -> str:
    """Our transfer method for Redistribution_Method; there is no strategy but the blocking one yet."""
    method = "col"
    if "Redistribution_Method" in table.entries:
        entry = table.entries["Redistribution_Method"]
        method = TRANSFER_METHODS[code(entry, TRANSFER_METHODS)]
        if method not in EXISTING_TRANSFER_METHODS:
            raise entry.wrong(f"{method} does not exist yet; there is 0 (col) and 1 (p2p)")
    asked = table.entries.get("Redistribution_Strategy")
    none = NO_STRATEGY[generation]
    names = _strategies(asked, TRANSFER_STRATEGIES[generation], none)
    if names and asked is not None:
        raise asked.wrong(
            f"{' and '.join(names)} {_do(names)} not exist yet; there is {none} (none: blocking)"
        )
    return method


def _strategies(entry: Entry | None, known: dict[int, str], none: int) -> list[str]:
    """Names of the strategies asked for; the code for none clears those before it."""
    names: list[str] = []
    for number in codes(entry, known) if entry is not None else []:
        names = [] if number == none else [*names, known[number]]
    return names


def _do(names: list[str]) -> str:
    return "does" if len(names) == 1 else "do"
