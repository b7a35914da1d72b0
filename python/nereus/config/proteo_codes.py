# SPDX-License-Identifier: BSD-3-Clause
"""The numbers of Proteo's files and what they mean: in its two generations of codes, and in Proteo 2024.

The tables give the same number different meanings and files carry no version, so the table is chosen by what
a file holds (choose_codes) unless the user says it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from nereus.methods import by_column
from nereus.stages import column

Codes = Literal["paper", "old", "new"]

STAGES: dict[Codes, dict[int, str]] = {
    "paper": {code: word for word, code in column("proteo_paper").items()},
    "old": {code: word for word, code in column("proteo_old").items()},
    "new": {code: word for word, code in column("proteo").items()},
}
_OLD_SPAWN_STRATEGIES = {1: "none", 2: "asynchronous", 3: "single", 6: "asynchronous and single"}
SPAWN_STRATEGIES: dict[Codes, dict[int, str]] = {
    "paper": _OLD_SPAWN_STRATEGIES,
    "old": _OLD_SPAWN_STRATEGIES,
    "new": {0: "none", 1: "asynchronous", 2: "single", 3: "intercomm", 4: "multiple", 5: "parallel"},
}
_OLD_TRANSFER_STRATEGIES = {1: "none", 2: "nonblocking", 3: "wait-drains", 5: "thread"}
TRANSFER_STRATEGIES: dict[Codes, dict[int, str]] = {
    "paper": _OLD_TRANSFER_STRATEGIES,
    "old": _OLD_TRANSFER_STRATEGIES,
    "new": {**dict(sorted(by_column("transfer_strategies", "proteo").items())), 0: "none"},
}
SPAWN_METHODS = {0: "baseline", 1: "merge"}
TRANSFER_METHODS: dict[int, str] = dict(sorted(by_column("transfer_methods", "proteo").items()))
CAPTURES = ("max", "mean", "median")


def code_list(table: dict[int, str]) -> str:
    """All codes of a table, for a message."""
    return ", ".join(f"{code} {meaning}" for code, meaning in table.items())


def choose_codes(
    stage_types: Iterable[int],
    spawn_strategies: Iterable[Sequence[int]],
    transfer_strategies: Iterable[Sequence[int]],
    has_new_keys: bool,
    paper_key: str = "",
) -> tuple[Codes | None, str]:
    """The table that a flat INI file uses and the reason; None when it holds signs of more than one.

    `paper_key`: a name in it that is the paper's alone.
    """
    stages = set(stage_types)
    spawn = {code for codes in spawn_strategies for code in codes}
    transfer = {code for codes in transfer_strategies for code in codes}
    new_signs = {
        "a strategy is 0": 0 in spawn | transfer,
        "a stage type is above 8": any(code > 8 for code in stages),
        "there is a Stage_Identifier or Datasize": has_new_keys,
    }
    old_signs = {"a Spawn_Strategy is 6": 6 in spawn, "a Redistribution_Strategy is 5": 5 in transfer}
    new = [reason for reason, holds in new_signs.items() if holds]
    old = [reason for reason, holds in old_signs.items() if holds]
    if paper_key:
        old.insert(0, f"there is a {paper_key}")
    if new and old:
        return None, f"{new[0]}, which only the new codes have, and {old[0]}, which only others have"
    if new:
        return "new", new[0]
    beyond_old = "a stage type is 7 or 8" if stages & {7, 8} else ""
    if paper_key or (old and beyond_old):
        return "paper", " and ".join(filter(None, [beyond_old if not paper_key else "", old[0]]))
    if beyond_old:
        return "new", beyond_old
    return "old", old[0] if old else "nothing in it is known to the other ones only"
