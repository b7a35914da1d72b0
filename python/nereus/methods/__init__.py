# SPDX-License-Identifier: BSD-3-Clause
"""The words of ways to resize, from the table that the library is made from (src/base/methods.toml).

In:  nothing.
Out: the words of each kind, what each row says of its word, and which of them do not go together.
"""

import tomllib
from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

#: The library chooses.
AUTO = "auto"

_TABLE: dict[str, list[dict[str, Any]]] = tomllib.loads((files(__name__) / "methods.toml").read_text("utf-8"))


def _words(kind: str) -> tuple[str, ...]:
    return tuple(str(row["word"]) for row in _TABLE[kind])


def allowed(kind: str) -> tuple[str, ...]:
    """The words of a kind as a user may write them: `auto`, where it is one, comes first."""
    words = _words(kind)
    return (*(word for word in words if word == AUTO), *_chosen(words))


def _chosen(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for word in words if word != AUTO)


#: Each in the order of its enumeration in nereus/resize.h, without `auto`.
PROCESS_METHODS = _words("process_methods")
#: All leave, and the job is started anew: no transfer method, process strategy or survivor applies.
RESTART = next(str(row["word"]) for row in _TABLE["process_methods"] if row.get("restarts"))
#: Those with which MPI connects the processes of both sizes.
CONNECTED_METHODS = tuple(word for word in PROCESS_METHODS if word != RESTART)
TRANSFER_METHODS = _chosen(_words("transfer_methods"))
TRANSFER_STRATEGIES = _chosen(_words("transfer_strategies"))
PLACEMENTS = _words("placements")
RELEASE_UNITS = _words("release_units")

#: Their values are added, but for `auto`, which is the last one and stands alone.
PROCESS_STRATEGIES = _words("process_strategies")
#: Each: `one`, the `others` that it excludes, and `why`.
STRATEGY_CONFLICTS: tuple[dict[str, Any], ...] = tuple(_TABLE["strategy_conflicts"])

#: As a user may write them: with `auto`, which comes first.
TRANSFER_METHODS_ALLOWED = allowed("transfer_methods")
TRANSFER_STRATEGIES_ALLOWED = allowed("transfer_strategies")
SURVIVORS_ALLOWED = allowed("survivors")
MEMORIES_ALLOWED = allowed("memories")

if TYPE_CHECKING:  # a type checker cannot read the table
    ProcessMethod = str
    TransferMethod = str
    TransferStrategy = str
    Survivors = str
    Placement = str
    ReleaseUnit = str
    Memory = str
    ProcessStrategy = str
    ChosenTransferMethod = str
    ChosenTransferStrategy = str
else:  # for models and command lines, which refuse other words
    ProcessMethod = Literal[PROCESS_METHODS]
    TransferMethod = Literal[TRANSFER_METHODS_ALLOWED]
    TransferStrategy = Literal[TRANSFER_STRATEGIES_ALLOWED]
    ChosenTransferMethod = Literal[TRANSFER_METHODS]  # once `auto` has chosen
    ChosenTransferStrategy = Literal[TRANSFER_STRATEGIES]
    Survivors = Literal[SURVIVORS_ALLOWED]
    Placement = Literal[PLACEMENTS]
    ReleaseUnit = Literal[RELEASE_UNITS]
    Memory = Literal[MEMORIES_ALLOWED]
    ProcessStrategy = Literal[PROCESS_STRATEGIES]

#: What may be said of one resize, in the order of nereus_resize_options: `name`, `values`, `initial`, `help`.
RESIZE_OPTIONS: tuple[dict[str, str], ...] = tuple(_TABLE["resize_options"])

#: Transfer methods with which drains read from windows of the sources.
ONE_SIDED = tuple(row["word"] for row in _TABLE["transfer_methods"] if row.get("one_sided"))


def by_column(kind: str, column: str) -> dict[Any, str]:
    """From what rows of a kind have in a column to their words, in order; rows without it are left out."""
    return {row[column]: str(row["word"]) for row in _TABLE[kind] if column in row}


def of_words(kind: str, column: str) -> dict[str, Any]:
    """From words to what their rows have in a column."""
    return {word: value for value, word in by_column(kind, column).items()}


def numbers(kind: str) -> dict[str, int]:
    """An enumeration of nereus/resize.h: {"WAIT_DRAINS": 2}, without what its names begin with there."""
    names = [word.upper().replace("-", "_") for word in _words(kind)]
    added = kind == "process_strategies"
    return {name: 1 << place if added else place for place, name in enumerate(names)}


def transfer_conflict(process_method: str | None, method: str | None, strategy: str | None) -> str | None:
    """Why no MPI has a transfer so; None when it can be carried out. What is not known yet is None."""
    asked = {"process_methods": process_method, "transfer_strategies": strategy}
    if method not in ONE_SIDED:
        return None
    for conflict in _TABLE["one_sided_conflicts"]:
        kind, word = conflict["kind"], conflict["word"]
        if asked[kind] == word:
            good = " or ".join(", ".join(_with_one_sided(kind)).rsplit(", ", 1))
            return f"{method} does not go with {word}: {conflict['why']}; take {good}"
    return None


def _with_one_sided(kind: str) -> list[str]:
    bad = [row["word"] for row in _TABLE["one_sided_conflicts"] if row["kind"] == kind]
    return [word for word in _chosen(_words(kind)) if word not in (*bad, RESTART)]
