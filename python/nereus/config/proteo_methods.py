# SPDX-License-Identifier: BSD-3-Clause
"""Which of our methods and strategies a Proteo resize asks for, and what Proteo itself changes of that."""

from __future__ import annotations

from nereus.config.proteo_codes import (
    SPAWN_METHODS,
    SPAWN_STRATEGIES,
    TRANSFER_METHODS,
    TRANSFER_STRATEGIES,
    Codes,
)
from nereus.config.proteo_file import Entry, Table
from nereus.config.proteo_values import code, codes
from nereus.methods import ONE_SIDED

Note = tuple[Entry, str]
RIVALS = {
    "parallel": ("single", "multiple"),
    "single": ("parallel",),
    "multiple": ("parallel",),
    "thread": ("nonblocking", "wait-drains"),
    "nonblocking": ("thread", "wait-drains"),
    "wait-drains": ("thread", "nonblocking"),
}


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
    """Of strategies that exclude one another the later one stays in Proteo."""
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


def transfer(table: Table, generation: Codes) -> tuple[str, str, list[Note]]:
    """Our transfer method and strategy, and what Proteo changes of those that were asked for."""
    method = "col"
    entry = table.entries.get("Redistribution_Method")
    if entry is not None:
        method = TRANSFER_METHODS[code(entry, TRANSFER_METHODS)]
    asked = table.entries.get("Redistribution_Strategy")
    strategy, notes = ("blocking", []) if asked is None else _transfer_strategy(asked, generation)
    changed = asked or entry
    if method in ONE_SIDED and strategy not in ("wait-drains", "thread") and changed is not None:
        notes.append((changed, f"wait-drains instead of {strategy}, as in Proteo with {method}"))
        strategy = "wait-drains"
    return method, strategy, notes


def _transfer_strategy(entry: Entry, generation: Codes) -> tuple[str, list[Note]]:
    names, notes = _without_rivals(entry, _strategies(entry, TRANSFER_STRATEGIES[generation]))
    return (names[0] if names else "blocking"), notes


def without_intercomm(method: str, transfer_method: str, table: Table) -> tuple[str, list[Note]]:
    """The process method once Proteo has seen that one-sided methods have no use for an intercommunicator."""
    if method != "baseline-inter" or transfer_method not in ONE_SIDED:
        return method, []
    entry = table.entries["Spawn_Strategy"]
    return "baseline-intra", [(entry, f"intercomm is left out, as in Proteo with {transfer_method}")]


def _strategies(entry: Entry, known: dict[int, str]) -> list[str]:
    """Names of the strategies asked for, each once; the code for none clears those before it."""
    names: list[str] = []
    for number in codes(entry, known):
        words = known[number].split(" and ")
        names = [] if words == ["none"] else [*names, *(word for word in words if word not in names)]
    return names
