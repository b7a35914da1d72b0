# SPDX-License-Identifier: BSD-3-Clause
"""Which of our methods and strategies a Proteo resize asks for; an error says what does not exist yet."""

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
RIVALS = {"parallel": ("single", "multiple"), "single": ("parallel",), "multiple": ("parallel",)}


def process_method(table: Table, generation: Codes, shrinks: bool) -> tuple[str, list[str], list[Note]]:
    """Our process method and strategies, and what Proteo leaves out of those that were asked for."""
    merge = "Spawn_Method" in table.entries and code(table.entries["Spawn_Method"], SPAWN_METHODS) == 1
    entry = table.entries.get("Spawn_Strategy")
    if entry is None:
        return ("merge" if merge else "baseline-intra"), [], []
    names, notes = _without_rivals(entry, _strategies(entry, SPAWN_STRATEGIES[generation]))
    if merge:
        useless = [name for name in names if name == "intercomm" or (name == "single" and shrinks)]
        notes += [(entry, f"{name} is left out, as in Proteo: Merge has no use for it") for name in useless]
        names = [name for name in names if name not in useless]
        return "merge", names, notes
    method = "baseline-inter" if "intercomm" in names else "baseline-intra"
    return method, [name for name in names if name != "intercomm"], notes


def _without_rivals(entry: Entry, names: list[str]) -> tuple[list[str], list[Note]]:
    """Parallel excludes single and multiple, and they it: in Proteo the later one stays."""
    kept: list[str] = []
    notes: list[Note] = []
    for name in names:
        rivals = RIVALS.get(name, ())
        notes += [
            (entry, f"{other} is left out, as in Proteo: {name} comes after it")
            for other in kept
            if other in rivals
        ]
        kept = [other for other in kept if other not in rivals] + [name]
    return kept, notes


def transfer_method(table: Table, generation: Codes) -> str:
    """Our transfer method for Redistribution_Method; there is no strategy but the blocking one yet."""
    method = "col"
    if "Redistribution_Method" in table.entries:
        entry = table.entries["Redistribution_Method"]
        method = TRANSFER_METHODS[code(entry, TRANSFER_METHODS)]
        if method not in EXISTING_TRANSFER_METHODS:
            raise entry.wrong(f"{method} does not exist yet; there is 0 (col) and 1 (p2p)")
    asked = table.entries.get("Redistribution_Strategy")
    names = _strategies(asked, TRANSFER_STRATEGIES[generation]) if asked is not None else []
    if names and asked is not None:
        does = "does" if len(names) == 1 else "do"
        none = NO_STRATEGY[generation]
        raise asked.wrong(f"{' and '.join(names)} {does} not exist yet; there is {none} (none: blocking)")
    return method


def _strategies(entry: Entry, known: dict[int, str]) -> list[str]:
    """Names of the strategies asked for, each once; the code for none clears those before it."""
    names: list[str] = []
    for number in codes(entry, known):
        words = known[number].split(" and ")
        names = [] if words == ["none"] else [*names, *(word for word in words if word not in names)]
    return names
