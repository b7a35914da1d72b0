# SPDX-License-Identifier: BSD-3-Clause
"""A policy of a user's own where a run ends with its mistakes: each is an error that names the policy.

The daemon, which goes on, has nereus.daemon.policy_guard.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from nereus import UserError, printable
from nereus.policy.decisions import Decision, Leave, Policy, Resize, State
from nereus.policy.parameters import Parameters
from nereus.policy.policies import BY_NAME
from nereus.policy.turns import AllAtOnce, OneByOne, OneOfEachSet, Order, Request

T = TypeVar("T")


class PolicyError(UserError):
    """A policy that cannot be had, or what one raised, or decided that is no decision."""


def guarded(policy: Policy) -> Policy:
    """The policy itself where it is one of ours: what that raises is a defect."""
    return policy if type(policy) in BY_NAME.values() else _Guarded(policy)


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
                raise PolicyError(
                    f"policy {type(self._inner).__name__}: decide: {_text(each)}: allowed are Resize with "
                    "whole numbers and a text, and Leave"
                )
        return decided


class _GuardedOrder:
    def __init__(self, policy: Policy, inner: Order) -> None:
        self._policy, self._inner = policy, inner

    def admits(self, request: Request, writing: Iterable[Request]) -> bool:
        return _asked(self._policy, "order", lambda: bool(self._inner.admits(request, writing)))


def _asked(policy: Policy, what: str, question: Callable[[], T]) -> T:
    try:
        return question()
    except KeyboardInterrupt:
        raise
    except BaseException as problem:  # SystemExit too: it would end the command as if all were well
        said = f"{type(problem).__name__}: {_text(problem)}"
        raise PolicyError(f"policy {type(policy).__name__}: {what}: {said}") from problem


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
