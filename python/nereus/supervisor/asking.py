# SPDX-License-Identifier: BSD-3-Clause
"""Questions on control sockets, of this host or by the network: many are asked at the same time."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import zmq

from nereus.launch.error import LaunchError
from nereus.supervisor.frames import decode, encode
from nereus.supervisor.listener_trial import ListenerTrial
from nereus.supervisor.network_address import NetworkAddress
from nereus.supervisor.sockets import Sockets

#: Where a supervisor, or the daemon, is asked: its control socket on this host, or on the network.
Where = Path | NetworkAddress

#: Asked at the same time; each takes a few descriptors.
MOST_AT_ONCE = 64
# Between two looks whether the supervisor is still there, while its answer is awaited.
_LOOK_EVERY, _LOOK_FAR_EVERY = 0.5, 2.0


class NoAnswer(Exception):
    """A job did not answer; the text says why. `refused`: the system of its host says that nobody listens."""

    def __init__(self, text: str, refused: bool = False) -> None:
        super().__init__(text)
        self.refused = refused


def ask(where: Where, question: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """The answer to one question; NoAnswer when there is none within `seconds`, or nobody to give it."""
    (found,) = ask_all([where], question, seconds)
    if isinstance(found, NoAnswer):
        raise found
    return found


class Inquiry:
    """One question under way, for callers that have other things to do: `answer()` never waits."""

    def __init__(self, where: Where, question: Mapping[str, Any], seconds: float) -> None:
        frame = encode(dict(question))
        if frame is None:
            raise LaunchError("the question is too long")
        self._sockets = Sockets()
        self._asked = _Asked(self._sockets, where, frame, time.monotonic() + seconds)

    def answer(self) -> dict[str, Any] | NoAnswer | None:
        """None while it is under way."""
        if self._asked.answer is None:
            _look([self._asked], waits=False)
            if self._asked.answer is not None:
                self.close()
        return self._asked.answer

    def close(self) -> None:
        """Once more: changes nothing."""
        self._asked.close()
        self._sockets.close()


def ask_all(
    wheres: Sequence[Where], question: Mapping[str, Any], seconds: float
) -> list[dict[str, Any] | NoAnswer]:
    """The answer of each. No one delays another: all that are asked at once have the same deadline."""
    frame = encode(dict(question))
    if frame is None:
        raise LaunchError("the question is too long")
    found: list[dict[str, Any] | NoAnswer] = []
    for begin in range(0, len(wheres), MOST_AT_ONCE):
        found += _answers(wheres[begin : begin + MOST_AT_ONCE], frame, seconds)
    return found


def _answers(wheres: Sequence[Where], frame: bytes, seconds: float) -> list[dict[str, Any] | NoAnswer]:
    deadline = time.monotonic() + seconds
    with Sockets() as sockets:
        asked = [_Asked(sockets, where, frame, deadline) for where in wheres]
        try:
            while waiting := [one for one in asked if one.answer is None]:
                _look(waiting)
        finally:
            for one in asked:
                one.close()
    return [one.answer for one in asked if one.answer is not None]


def _look(waiting: "Sequence[_Asked]", waits: bool = True) -> None:
    """Until one of them has something to look at."""
    poller = zmq.Poller()
    for one in waiting:
        one.register(poller)
    rest = min(one.due for one in waiting) - time.monotonic()
    ready = dict(poller.poll(int(max(0.0, rest) * 1000) + 1 if waits else 0))
    for one in waiting:
        one.look(ready)


class _Asked:
    """A question on its way to one supervisor."""

    def __init__(self, sockets: Sockets, where: Where, frame: bytes, deadline: float) -> None:
        self.answer: dict[str, Any] | NoAnswer | None = None
        self._where, self._deadline = where, deadline
        self._dealer = sockets.dealer()
        if isinstance(where, Path):
            self._dealer.connect(f"ipc://{where}")
        else:
            where.connect(self._dealer)
        self._dealer.send(frame)
        self._every = _LOOK_EVERY if isinstance(where, Path) else _LOOK_FAR_EVERY
        self._begin_trial(time.monotonic())

    @property
    def due(self) -> float:
        """When to look even if nothing comes."""
        return min(self._next, self._deadline) if self._gone_at is None else self._gone_at

    def register(self, poller: zmq.Poller) -> None:
        poller.register(self._dealer, zmq.POLLIN)
        if self._trial.descriptor is not None:
            poller.register(self._trial.descriptor, zmq.POLLOUT)

    def look(self, ready: Mapping[Any, int]) -> None:
        now = time.monotonic()
        if self._dealer in ready:
            self.answer = decode(self._dealer.recv())
            if self.answer is not None:
                return
        if self._trial.descriptor in ready:
            self._trial.look()
        if self._trial.refused:
            self._wait_for_last_word(now)
        elif now >= self._deadline:
            self.answer = NoAnswer("it did not answer in time")
        elif now >= self._next:
            self._trial.close()
            self._begin_trial(now)

    def close(self) -> None:
        self._trial.close()

    def _begin_trial(self, now: float) -> None:
        self._trial = ListenerTrial(self._where)
        self._gone_at: float | None = None
        self._next = now + self._every

    def _wait_for_last_word(self, now: float) -> None:
        """An answer may have come just before nobody was found there any more."""
        if self._gone_at is None:
            self._gone_at = now + _LOOK_EVERY
        elif now >= self._gone_at:
            self.answer = NoAnswer("its supervisor has ended", refused=True)
