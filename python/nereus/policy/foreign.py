# SPDX-License-Identifier: BSD-3-Clause
"""A policy or strategy of a user's own where a run ends with its mistakes: each is an error that names it.

The daemon, which goes on, has nereus.daemon.policy_guard.
"""

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any, TypeVar

from nereus import UserError, printable
from nereus.policy.decisions import Decision, Leave, Policy, Resize, State
from nereus.policy.parameters import Parameters
from nereus.policy.policies import is_ours
from nereus.policy.strategies import Strategy
from nereus.policy.strategies.malleable_job import MalleableJob
from nereus.policy.turns import AllAtOnce, OneByOne, OneOfEachSet, Order, Request

T = TypeVar("T")


class PolicyError(UserError):
    """A policy or strategy that cannot be had, or what one raised, or decided that is no decision."""


def guarded(policy: Policy) -> Policy:
    """The policy itself where it is one of ours: what that raises is a defect."""
    return policy if is_ours(policy) else _Guarded(policy)


class _Guarded(Policy):
    def __init__(self, inner: Policy) -> None:
        self._inner = inner
        order = _asked(inner, "order", lambda: inner.order)
        ours = isinstance(order, AllAtOnce | OneByOne | OneOfEachSet)
        self.order: Order = order if ours else _GuardedOrder(inner, order)

    def decide(self, state: State, parameters: Parameters) -> Sequence[Decision]:
        decided = _asked(self._inner, "decide", lambda: list(self._inner.decide(state, parameters)))
        for each in decided:
            if not _is_decision(each):
                raise self._error("decide", each, "Resize with whole numbers and a text, and Leave")
        return decided

    def make_room(self, state: State, cores: int, parameters: Parameters) -> Sequence[Resize] | None:
        def asked() -> list[Resize] | None:
            made = self._inner.make_room(state, cores, parameters)
            return None if made is None else list(made)

        decided = _asked(self._inner, "make_room", asked)
        for each in decided or []:
            if not (isinstance(each, Resize) and _is_decision(each)):
                raise self._error("make_room", each, "Resize with whole numbers and a text")
        return decided

    def _error(self, what: str, decided: object, allowed: str) -> PolicyError:
        name = type(self._inner).__name__
        return PolicyError(f"policy {name}: {what}: {_text(decided)}: allowed are {allowed}")


class _GuardedOrder:
    def __init__(self, policy: Policy, inner: Order) -> None:
        self._policy, self._inner = policy, inner

    def admits(self, request: Request, writing: Iterable[Request]) -> bool:
        return _asked(self._policy, "order", lambda: bool(self._inner.admits(request, writing)))


class GuardedStrategy(Strategy):
    """Of a user's own."""

    def __init__(self, inner: Strategy) -> None:
        self._inner = inner
        self.all_at_once = _asked(inner, "all_at_once", lambda: bool(inner.all_at_once))

    def kept(self, job: MalleableJob) -> int:
        ranks = _asked(self._inner, "kept", lambda: self._inner.kept(job))
        if type(ranks) is not int or not job.least <= ranks <= job.most:
            raise self._error("kept", ranks, f"whole numbers from {job.least} to {job.most}, of {job.name}")
        return ranks

    def worth(self, job: MalleableJob, ranks: int, step: int) -> float:
        worth = _asked(self._inner, "worth", lambda: float(self._inner.worth(job, ranks, step)))
        if not worth < inf:
            raise self._error("worth", worth, "numbers, and minus infinity")
        return worth

    def falls(self, job: MalleableJob) -> bool:
        return _asked(self._inner, "falls", lambda: bool(self._inner.falls(job)))

    def _error(self, what: str, said: object, allowed: str) -> PolicyError:
        name = type(self._inner).__name__
        return PolicyError(f"strategy {name}: {what}: {_text(said)}: allowed are {allowed}")


def _asked(whom: Policy | Strategy, what: str, question: Callable[[], T]) -> T:
    try:
        return question()
    except (KeyboardInterrupt, PolicyError):
        raise
    except BaseException as problem:  # SystemExit too: it would end the command as if all were well
        kind = "policy" if isinstance(whom, Policy) else "strategy"
        said = f"{type(problem).__name__}: {_text(problem)}"
        raise PolicyError(f"{kind} {type(whom).__name__}: {what}: {said}") from problem


def _is_decision(decided: Any) -> bool:
    if not isinstance(decided, Leave | Resize) or not isinstance(decided.job, str):
        return False
    if isinstance(decided, Leave):
        return isinstance(decided.why, str)
    numbers = [decided.ranks, *(each for each in (decided.at, decided.until) if each is not None)]
    return isinstance(decided.why, str) and all(type(each) is int for each in numbers)


def _text(value: object) -> str:
    try:
        return printable(str(value))
    except BaseException:  # its text is of the policy too
        return type(value).__name__
