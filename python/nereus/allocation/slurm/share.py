# SPDX-License-Identifier: BSD-3-Clause
"""A job's share of the hosts that a daemon shares out within one job of Slurm (docs/reference/daemon.md).

The daemon is told again and again which hosts the job has, and what it wishes for; so what is lost on the way
does not matter, and a daemon that is started again knows it soon.
"""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nereus.allocation.contract import Inquire, Inquiry

#: Between two times that it is said, if nothing has changed.
AGAIN_SECONDS = 1.0
# While a wish waits.
_WISHED_EVERY = 0.25


@dataclass
class HostWish:
    """So many more hosts, or these; all or none are granted."""

    count: int
    names: tuple[str, ...]
    granted: tuple[str, ...] = ()
    #: What it waits for.
    why: str = ""
    #: Why it can never be granted.
    never: str = ""

    @property
    def is_open(self) -> bool:
        return not self.granted and not self.never


class Share:
    def __init__(
        self,
        inquire: Inquire,
        job: str,
        first: Sequence[str],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._inquire, self._job, self._now = inquire, job, now
        self._first, self._more = list(first), list[str]()
        self._unfit: list[str] = []
        self._wishes: deque[HostWish] = deque()
        self._inquiry: Inquiry | None = None
        self._said: dict[str, Any] = {}
        self._said_wish: HostWish | None = None
        self._say_at = 0.0

    @property
    def names(self) -> list[str]:
        """All that the job has, also those that it is just leaving."""
        return [*self._first, *self._more]

    def wish(self, count: int, names: Sequence[str]) -> HostWish:
        """What comes of it is seen in later turns."""
        made = HostWish(count, tuple(names))
        self._wishes.append(made)
        return made

    def drop(self, wish: HostWish) -> None:
        """It is not wished for any more; what was granted is given back."""
        if wish in self._wishes:
            self._wishes.remove(wish)
        self.let_go(wish.granted)

    def let_go(self, names: Sequence[str]) -> None:
        """The job has them no more."""
        self._first = [name for name in self._first if name not in names]
        self._more = [name for name in self._more if name not in names]

    def avoid(self, names: Sequence[str]) -> None:
        """No job should get these any more."""
        self._unfit += [name for name in names if name not in self._unfit]

    def turn(self) -> None:
        """Take the answer, and say what has changed; never waits."""
        if self._inquiry is not None:
            answer = self._inquiry.answer()
            if answer is None:
                return
            self._inquiry = None
            self._take(answer)
        message = self._message()
        if message != self._said or self._now() >= self._say_at:
            self._say(message)

    def close(self, seconds: float) -> None:
        """The job has no hosts any more; may wait for so long until the daemon knows."""
        self._wishes.clear()
        self.let_go(self.names)
        if self._inquiry is not None:
            self._inquiry.close()
        last = self._inquire(self._message())
        deadline = time.monotonic() + seconds
        while last.answer() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        last.close()

    def _say(self, message: dict[str, Any]) -> None:
        self._said, self._said_wish = message, self._wishes[0] if self._wishes else None
        self._say_at = self._now() + (_WISHED_EVERY if self._wishes else AGAIN_SECONDS)
        self._inquiry = self._inquire(message)

    def _message(self) -> dict[str, Any]:
        wish = self._wishes[0] if self._wishes else None
        wished = {"more": wish.count, "more_names": list(wish.names)} if wish is not None else {}
        about = {"job": self._job, "names": self.names, "first": len(self._first), "unfit": list(self._unfit)}
        return {"kind": "hosts", **about, **wished}

    def _take(self, answer: Mapping[str, Any] | Exception) -> None:
        """What the daemon said to the latest message; it may not have been asked for any more."""
        wish = self._said_wish
        if wish is None or wish not in self._wishes:
            return
        if isinstance(answer, Exception) or answer.get("kind") != "hosts":
            wish.why = "the daemon does not answer"
            return
        wish.why, wish.never = str(answer.get("why", "")), str(answer.get("never", ""))
        named = answer.get("names", [])
        names = [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
        granted = tuple(name for name in names if name not in self._said["names"])
        if len(granted) == wish.count:
            wish.granted = granted
            self._more += granted
        if not wish.is_open:
            self._wishes.popleft()
