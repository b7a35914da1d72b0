# SPDX-License-Identifier: BSD-3-Clause
"""Process methods and strategies that benchmarks are asked for."""

from collections.abc import Sequence

from nereus.bench.combinations import ALLOWED_STRATEGIES, WAKE, Combination, crossed, read_strategies
from nereus.cli.messages import Refused
from nereus.methods import RESTART
from nereus.methods.strategies import NONE


def read_ways(methods: Sequence[str], option: str, strategies: str) -> list[Combination]:
    """Each of the methods with each set of "none,single+parallel", where there is such a way."""
    sets = [_set(word, option, strategies) for word in strategies.split(",")]
    ways = list(dict.fromkeys(crossed(methods, sets)))
    if not ways:
        raise Refused(
            f"{option} = {strategies}: {WAKE} goes with the method merge only, {RESTART} with {NONE}"
        )
    return ways


def _set(word: str, option: str, whole: str) -> tuple[str, ...]:
    found = read_strategies(word)
    if found is None:
        raise Refused(f"{option} = {whole}: {word or '(empty)'}: allowed are {ALLOWED_STRATEGIES}")
    return found
