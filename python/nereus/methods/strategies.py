# SPDX-License-Identifier: BSD-3-Clause
"""Process strategies as words, and which of them go together."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_core import PydanticCustomError

from nereus.methods import AUTO, PROCESS_STRATEGIES, STRATEGY_CONFLICTS, ProcessStrategy

#: One call of MPI_Comm_spawn by all.
NONE = "none"
STRATEGIES_ALLOWED = '["auto"], [] (one blocking call for all processes), or some of ' + ", ".join(
    f'"{word}"' for word in PROCESS_STRATEGIES if word != AUTO
)


def in_order(words: Sequence[ProcessStrategy]) -> list[ProcessStrategy]:
    """The words in the one order in which they are shown, so that equal choices look the same."""
    return [word for word in PROCESS_STRATEGIES if word in words]


def in_a_word(words: Sequence[str]) -> str:
    """As options and tables say it: "asynchronous+single", or "none"."""
    return "+".join(words) or NONE


def conflict_in(words: Sequence[ProcessStrategy]) -> str | None:
    """Why these words cannot be said together; None when they can."""
    for word in words:
        if words.count(word) > 1:
            return f"process strategy {word} is there twice"
    for conflict in STRATEGY_CONFLICTS:
        if conflict["one"] in words and any(word in conflict["others"] for word in words):
            return f"process strategies {'+'.join(in_order(words))} exclude one another: {conflict['why']}"
    return None


def allowed_together(words: list[ProcessStrategy]) -> list[ProcessStrategy]:
    """The words in order, for a field of a model, which refuses those that cannot be said together."""
    if conflict := conflict_in(words):
        raise PydanticCustomError("conflict", "{text}", {"text": conflict})
    return in_order(words)
