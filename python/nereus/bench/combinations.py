# SPDX-License-Identifier: BSD-3-Clause
"""The ways to make processes that a resize may be asked for: a method, and strategies that go together."""

from collections.abc import Sequence
from dataclasses import dataclass

from nereus.methods import AUTO, CONNECTED_METHODS, PROCESS_STRATEGIES, RESTART
from nereus.methods.strategies import NONE, conflict_in, in_a_word

#: In the order in which the library names them.
STRATEGIES = tuple(word for word in PROCESS_STRATEGIES if word != AUTO)
#: Not a strategy of its own: Merge onto processes that are parked.
WAKE = "wake"
_ASYNCHRONOUS = "asynchronous"
#: For those who wrote something else.
ALLOWED_STRATEGIES = (
    f"{AUTO}, {NONE}, {WAKE}, or some of {', '.join(STRATEGIES)} with + between, where single goes with no "
    f"parallel, and join with no other than asynchronous"
)


@dataclass(frozen=True)
class Combination:
    """A method with its strategies; no strategies: one call of MPI_Comm_spawn by all."""

    method: str
    strategies: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The strategies in a word."""
        return in_a_word(self.strategies)

    @property
    def text(self) -> str:
        """As nereus-resizes takes it: "merge:asynchronous+single"."""
        return f"{self.method}:{self.words}"

    @property
    def wakes(self) -> bool:
        """Whether no processes are made, because parked ones are woken."""
        return self.strategies == (WAKE,)

    @property
    def joins(self) -> bool:
        """Whether the supervisor starts the processes."""
        return "join" in self.strategies

    @property
    def spawns(self) -> bool:
        """Whether processes are made by calls of MPI."""
        return not (self.joins or self.wakes or self.restarts)

    @property
    def restarts(self) -> bool:
        """Whether the job is started anew, so that its MPI need not connect anything."""
        return self.method == RESTART

    @property
    def exists(self) -> bool:
        """Whether the strategies go with the method."""
        if self.wakes:
            return self.method == "merge"
        return not (self.restarts and self.strategies)

    def made(self, before: int, after: int) -> int:
        """How many processes a resize makes, or wakes."""
        return after - before if self.method == "merge" else after


def _how() -> list[tuple[str, ...]]:
    """Strategies that go together, but for asynchronous, which goes with all; by their added values."""
    words = [word for word in STRATEGIES if word != _ASYNCHRONOUS]
    sets = [
        tuple(word for bit, word in enumerate(words) if total >> bit & 1) for total in range(2 ** len(words))
    ]
    return [words for words in sets if conflict_in(words) is None]


def sets_of_strategies() -> list[tuple[str, ...]]:
    """All strategies that go together, the plain ones first."""
    plain = _how()
    return [*plain, *[(_ASYNCHRONOUS, *strategies) for strategies in plain]]


def all_combinations() -> list[Combination]:
    """Every way there is."""
    crossed = [Combination(method, words) for method in CONNECTED_METHODS for words in sets_of_strategies()]
    return [*crossed, Combination("merge", (WAKE,)), Combination(RESTART)]


def read_strategies(text: str) -> tuple[str, ...] | None:
    """Strategies out of "single+asynchronous", "auto", "none" or "wake"; None when they are not allowed."""
    if text in (WAKE, AUTO):
        return (text,)
    wanted = [] if text == NONE else text.split("+")
    ordered = tuple(word for word in STRATEGIES if word in wanted)
    allowed = len(ordered) == len(wanted) and ordered in sets_of_strategies()
    return ordered if allowed else None


def crossed(methods: Sequence[str], strategies: Sequence[tuple[str, ...]]) -> list[Combination]:
    """Each method with each of the strategies, where there is such a way."""
    every = [Combination(method, words) for method in methods for words in strategies]
    return [combination for combination in every if combination.exists]
