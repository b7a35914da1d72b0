# SPDX-License-Identifier: BSD-3-Clause
"""A policy that cannot hurt the daemon: what it raises, or says that is no resize, is noted and dropped.

One that takes long is not asked as often as something happens, so that jobs are heard meanwhile.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from nereus import printable
from nereus.daemon.messages import MOST
from nereus.policy.decisions import Decision, Leave, Policy, Resize, State
from nereus.policy.parameters import Parameters
from nereus.policy.turns import AllAtOnce, OneByOne, OneOfEachSet, Order, Request
from nereus.supervisor.messages import MOST_RANKS

#: A decision that took longer is followed by so many times as long without one.
_LONG_SECONDS, _PAUSE = 0.02, 9.0


class PolicyGuard(Policy):
    """`awake`: after a restart it is asked nothing before all jobs of before are known again."""

    def __init__(self, inner: Policy, complain: Callable[[str], None]) -> None:
        """`complain` is told of each defect once."""
        self.awake = True
        self._not_before = 0.0
        self._put_off = False
        self._complain = complain
        self._said: set[str] = set()
        self.change(inner)

    def change(self, inner: Policy) -> None:
        """Another one is asked from now on."""
        self._inner = inner
        ours = isinstance(inner.order, AllAtOnce | OneByOne | OneOfEachSet)
        self.order: Order = inner.order if ours else _GuardedOrder(inner.order, self._noted)

    def decide(self, state: State, parameters: Parameters) -> Sequence[Decision]:
        self._put_off = not self.awake or state.now < self._not_before
        if self._put_off:
            return []
        decided = self._timed(state.now, lambda: self._inner.decide(state, parameters), "decide")
        return self._sound(decided or [], "decide")

    def make_room(self, state: State, cores: int, parameters: Parameters) -> Sequence[Resize] | None:
        """Where it can't say, it is as if it had no say in it."""
        if not self.awake or state.now < self._not_before:
            return None
        decided = self._timed(state.now, lambda: self._inner.make_room(state, cores, parameters), "make_room")
        if decided is None:
            return None
        return [each for each in self._sound(decided, "make_room") if isinstance(each, Resize)]

    def is_due(self, now: float) -> bool:
        """Whether it was not asked when something happened, and may be now."""
        return self._put_off and self.awake and now >= self._not_before

    def _timed(self, now: float, question: Callable[[], Iterable[Any] | None], what: str) -> list[Any] | None:
        begun = time.perf_counter()
        try:
            decided = question()
            return None if decided is None else list(decided)
        except BaseException as problem:  # SystemExit too; nothing of ours is raised through here
            self._noted(what, problem)
            return None
        finally:
            took = time.perf_counter() - begun
            self._not_before = now + _PAUSE * took if took > _LONG_SECONDS else 0.0

    def _sound(self, decided: Sequence[Any], what: str) -> list[Decision]:
        sound = [_cleaned(each) for each in decided if _is_sound(each)]
        if len(sound) < len(decided):
            self._noted(what, TypeError("allowed are Resize with whole numbers and a text, and Leave"))
        return sound

    def _noted(self, what: str, problem: BaseException) -> None:
        text = f"policy {type(self._inner).__name__}: {what}: {_text_of(problem)}"
        if text not in self._said and len(self._said) < 100:
            self._said.add(text)
            self._complain(text)


class _GuardedOrder:
    def __init__(self, inner: Order, noted: Callable[[str, BaseException], None]) -> None:
        self._inner, self._noted = inner, noted

    def admits(self, request: Request, writing: Iterable[Request]) -> bool:
        writing = list(writing)
        try:
            return bool(self._inner.admits(request, writing))
        except BaseException as problem:
            self._noted("order", problem)
            return OneByOne().admits(request, writing)


def _is_sound(decided: Any) -> bool:
    if not isinstance(decided, Leave | Resize):
        return False
    if not (isinstance(decided.job, str) and isinstance(decided.why, str)):
        return False
    if isinstance(decided, Leave):
        return True
    iterations = [each for each in (decided.at, decided.until) if each is not None]
    whole = all(isinstance(each, int) for each in (decided.ranks, *iterations))
    return whole and decided.ranks <= MOST_RANKS and all(each <= MOST for each in iterations)


def _cleaned(decided: Decision) -> Decision:
    """A reason comes into the store, messages and logs: as text that all of them can hold."""
    return replace(decided, why=printable(decided.why))


def _text_of(problem: BaseException) -> str:
    try:
        return printable(f"{type(problem).__name__}: {problem}")
    except BaseException:  # its own text is of the policy too
        return type(problem).__name__
