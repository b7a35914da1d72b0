# SPDX-License-Identifier: BSD-3-Clause
"""What to say of a key that does not exist."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches


def unknown_key(key: str, known: Sequence[str]) -> str:
    """The sentence for `key` where only `known` keys are allowed."""
    near = get_close_matches(key[:100], known, n=1)
    if near:
        return f"unknown key; did you mean {near[0]}?"
    return "unknown key; allowed are " + ", ".join(known)
