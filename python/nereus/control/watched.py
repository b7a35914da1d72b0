# SPDX-License-Identifier: BSD-3-Clause
"""A policy that cannot hurt the daemon: what it raises, or says that is no resize, is noted and dropped.

One that takes long is not asked as often as something happens, so that jobs are heard meanwhile.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from nereus.policy.decisions import Decision, Leave, Policy, Resize, State
from nereus.policy.parameters import Parameters
from nereus.policy.turns import AllAtOnce, OneByOne, OneOfEachSet, Order, Request

#: A decision that took longer is followed by so many times as long without one.
_LONG_SECONDS, _PAUSE = 0.02, 9.0


class Watched(Policy):
    """`awake`: after a restart it is asked nothing before all jobs of before are known again."""

    def __init__(self, inner: Policy, complain: Callable[[str], None]) -> None:
        """`complain` is told of each defect once."""
        self.awake = True
        self._not_before = 0.0
        self._put_off = False
        self._inner = inner
        self._complain = complain
        self._said: set[str] = set()
        ours = isinstance(inner.order, AllAtOnce | OneByOne | OneOfEachSet)
        self.order: Order = inner.order if ours else _WatchedOrder(inner.order, self._noted)

    def decide(self, state: State, parameters: Parameters) -> Sequence[Decision]:
        self._put_off = not self.awake or state.now < self._not_before
        if self._put_off:
            return []
        begun = time.perf_counter()
        decided = self._decided(state, parameters)
        took = time.perf_counter() - begun
        self._not_before = state.now + _PAUSE * took if took > _LONG_SECONDS else 0.0
        sound = [each for each in decided if _is_sound(each)]
        if len(sound) < len(decided):
            self._noted("decide", TypeError("allowed are Resize with whole numbers, and Leave"))
        return sound

    def is_due(self, now: float) -> bool:
        """Whether it was not asked when something happened, and may be now."""
        return self._put_off and self.awake and now >= self._not_before

    def _decided(self, state: State, parameters: Parameters) -> list[Any]:
        try:
            return list(self._inner.decide(state, parameters))
        except Exception as problem:
            self._noted("decide", problem)
            return []

    def _noted(self, what: str, problem: Exception) -> None:
        text = f"policy {type(self._inner).__name__}: {what}: {type(problem).__name__}: {problem}"
        if text not in self._said and len(self._said) < 100:
            self._said.add(text)
            self._complain(text)


class _WatchedOrder:
    def __init__(self, inner: Order, noted: Callable[[str, Exception], None]) -> None:
        self._inner, self._noted = inner, noted

    def admits(self, request: Request, writing: Iterable[Request]) -> bool:
        writing = list(writing)
        try:
            return bool(self._inner.admits(request, writing))
        except Exception as problem:
            self._noted("order", problem)
            return OneByOne().admits(request, writing)


def _is_sound(decided: Any) -> bool:
    if isinstance(decided, Leave):
        return True
    numbers = (decided.ranks, decided.at, decided.until) if isinstance(decided, Resize) else ("",)
    return all(each is None or isinstance(each, int) for each in numbers) and decided.ranks is not None
