# SPDX-License-Identifier: BSD-3-Clause
"""Process strategies as words, and which of them go together; src/base/strategies.cpp says the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Strategy = Literal["asynchronous", "single", "multiple", "parallel", "join", "auto"]
STRATEGIES: tuple[Strategy, ...] = ("asynchronous", "single", "multiple", "parallel", "join", "auto")
STRATEGIES_ALLOWED = (
    '["auto"], [] (one blocking call for all processes), or some of "asynchronous", "single", "multiple", '
    '"parallel", "join"'
)
SPAWNING = ("single", "multiple", "parallel")

_CONFLICTS: tuple[tuple[Strategy, tuple[str, ...], str], ...] = (
    ("auto", STRATEGIES[:-1], "auto chooses by itself"),
    ("join", SPAWNING, "with join the supervisor starts the processes and none is spawned"),
    ("single", ("parallel",), "with single rank 0 alone spawns, with parallel every process does"),
)


def in_order(words: Sequence[Strategy]) -> list[Strategy]:
    """The words in the one order in which they are shown, so that equal choices look the same."""
    return [word for word in STRATEGIES if word in words]


def conflict_in(words: Sequence[Strategy]) -> str | None:
    """Why these words cannot be said together; None when they can."""
    for word in words:
        if words.count(word) > 1:
            return f"process strategy {word} is there twice"
    for one, others, why in _CONFLICTS:
        if one in words and any(word in others for word in words):
            return f"process strategies {'+'.join(in_order(words))} exclude one another: {why}"
    return None
