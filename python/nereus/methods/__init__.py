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


def _auto_first(words: Sequence[str]) -> tuple[str, ...]:
    return (*(word for word in words if word == AUTO), *_chosen(words))


def _chosen(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for word in words if word != AUTO)


#: Each in the order of its enumeration in nereus/resize.h, without `auto`.
PROCESS_METHODS = _words("process_methods")
TRANSFER_METHODS = _chosen(_words("transfer_methods"))
TRANSFER_STRATEGIES = _chosen(_words("transfer_strategies"))
PLACEMENTS = _words("placements")
RELEASE_UNITS = _words("release_units")

#: As a user may write them: with `auto`, which comes first.
TRANSFER_METHODS_ALLOWED = _auto_first(_words("transfer_methods"))
TRANSFER_STRATEGIES_ALLOWED = _auto_first(_words("transfer_strategies"))
SURVIVORS_ALLOWED = _auto_first(_words("survivors"))
MEMORIES_ALLOWED = _auto_first(_words("memories")[::-1])

if TYPE_CHECKING:  # a type checker cannot read the table
    ProcessMethod = str
    TransferMethod = str
    TransferStrategy = str
    Survivors = str
    Placement = str
    ReleaseUnit = str
    Memory = str
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

#: Transfer methods with which drains read from windows of the sources.
ONE_SIDED = tuple(row["word"] for row in _TABLE["transfer_methods"] if row.get("one_sided"))


def by_column(kind: str, column: str) -> dict[Any, str]:
    """From what rows of a kind have in a column to their words, in order; rows without it are left out."""
    return {row[column]: str(row["word"]) for row in _TABLE[kind] if column in row}


def of_words(kind: str, column: str) -> dict[str, Any]:
    """From words to what their rows have in a column."""
    return {word: value for value, word in by_column(kind, column).items()}


def _two_sided() -> str:
    return " and ".join(method for method in TRANSFER_METHODS if method not in ONE_SIDED)


def transfer_conflict(process_method: str | None, method: str | None, strategy: str | None) -> str | None:
    """Why a transfer cannot be carried out so; None when it can. What is not known yet is None."""
    if method in ONE_SIDED and strategy == "nonblocking":
        return (
            f"{method} does not go with nonblocking: drains read from the sources, who cannot know when "
            "they have been read; wait-drains, thread and blocking do"
        )
    if method in ONE_SIDED and process_method == "baseline-inter":
        return (
            f"{method} does not go with baseline-inter: there is no window over an inter-communicator; "
            f"{_two_sided()} do, and baseline-intra goes with all methods"
        )
    return None
