# SPDX-License-Identifier: BSD-3-Clause
"""Strategies that go together are the same ones everywhere, and a refusal says why."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from nereus.bench.combinations import sets_of_strategies
from nereus.methods import PROCESS_STRATEGIES, ProcessStrategy
from nereus.methods.strategies import conflict_in

ROOT = Path(__file__).parents[3]
CHOICES = [
    list(some)
    for size in range(len(PROCESS_STRATEGIES) + 1)
    for some in combinations(PROCESS_STRATEGIES, size)
]


def go_together(words: list[ProcessStrategy]) -> bool:
    """As the header and the paper have it, said another way than in the code."""
    chosen = set(words)
    if "auto" in chosen:
        return chosen == {"auto"}
    if "join" in chosen:
        return chosen <= {"join", "asynchronous"}
    return not chosen >= {"single", "parallel"}


@pytest.mark.parametrize("words", CHOICES, ids="+".join)
def test_mutually_exclusive_strategies_are_refused(words: list[ProcessStrategy]) -> None:
    assert (conflict_in(words) is None) == go_together(words)


def test_doctor_and_bench_know_every_combination() -> None:
    tried = {*sets_of_strategies(), ("auto",)}
    assert tried == {tuple(words) for words in CHOICES if conflict_in(words) is None}


def test_every_strategy_is_explained_in_the_reference_page() -> None:
    page = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    assert [word for word in PROCESS_STRATEGIES if f"| `{word}` |" not in page] == []
