# SPDX-License-Identifier: BSD-3-Clause
"""A store whose bandwidth those share that write at the same time.

Each gets as much as the others, but no more than its own highest rate; what one cannot use the others have
(processor sharing, max-min fair). Where contention costs, each job more that writes takes its share of the
bandwidth away.
"""

from collections.abc import Generator
from dataclasses import dataclass
from math import inf
from typing import Any

from simpy import Environment, Event

_SAME = 1e-12  # of an amount: what is left then is none


@dataclass(eq=False)
class _Transfer:
    amount: float
    left: float
    most: float  # bytes/s
    over: Event
    speed: float = 0.0


class Storage:
    def __init__(self, env: Environment, bandwidth: float, contention_loss: float = 0.0) -> None:
        self._env, self._bandwidth, self._loss = env, bandwidth, contention_loss
        self._open: list[_Transfer] = []
        self._since = 0.0
        self._plan = 0  # the number of the latest one: a wake-up of an older one is void

    def write(self, amount: float, most: float | None = None) -> Event:
        """Happens when the bytes are written; `most`: the writer's own highest rate."""
        self._advance()
        transfer = _Transfer(amount, amount, most or inf, self._env.event())
        self._open.append(transfer)
        self._share()
        return transfer.over

    def _advance(self) -> None:
        passed, self._since = self._env.now - self._since, self._env.now
        for transfer in self._open:
            transfer.left -= transfer.speed * passed

    def _share(self) -> None:
        """Anew, and wake up when the first of them is done."""
        self._plan += 1
        if not self._open:
            return
        left = self._bandwidth * (1 - self._loss) ** (len(self._open) - 1)
        waiting = sorted(self._open, key=lambda transfer: transfer.most)
        for index, transfer in enumerate(waiting):
            transfer.speed = min(transfer.most, left / (len(waiting) - index))
            left -= transfer.speed
        self._env.process(self._wake(self._plan, min(each.left / each.speed for each in self._open)))

    def _wake(self, plan: int, seconds: float) -> Generator[Event, Any, None]:
        yield self._env.timeout(max(0.0, seconds))
        if plan != self._plan:
            return
        self._advance()
        first = min(each.left / each.speed for each in self._open)
        done = [
            each
            for each in self._open
            if each.left <= _SAME * each.amount or each.left / each.speed <= max(first, 0.0)
        ]
        self._open = [each for each in self._open if each not in done]
        for transfer in done:
            transfer.over.succeed()
        self._share()
