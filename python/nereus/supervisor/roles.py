# SPDX-License-Identifier: BSD-3-Clause
"""Who of those that speak with a supervisor is the job's root: one connection at a time.

What is said: docs/formats/link.md.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from nereus.supervisor import messages
from nereus.supervisor.frames import RESIZED
from nereus.supervisor.messages import FromJob

Heard = list[tuple[FromJob, bytes]]

#: Connections that may wait until the present root has said that one of them is the next, and their messages.
MOST_WAITING, MOST_WORDS = 8, 256
#: A process may open the next job before the end of the former one was heard; no longer than so many seconds.
_REOPENED_WITHIN = 10.0


@dataclass
class _Claim:
    """What somebody said who may be the next root."""

    since: float
    words: list[FromJob] = field(default_factory=list)


class Roles:
    """Sorts out what is heard, from whom it is, and in which order it counts."""

    def __init__(self, refused: Callable[[str], None]) -> None:
        """`refused` is told of each kind of message that somebody said who must not, once."""
        self._refused = refused
        self._root: bytes | None = None
        # How the next root is known; "": it is the first who says so; None: there is a root.
        self._next: str | None = ""
        self._claims: dict[bytes, _Claim] = {}
        self._leaders: set[bytes] = set()
        self._told: set[str] = set()

    def sort(self, message: FromJob, sender: bytes) -> Heard:
        """What counts now, in its order: this message, those that waited for it, or nothing."""
        if isinstance(message, messages.Hello):
            return self._greeted(message, sender)
        if sender == self._root:
            self._follow(message)
            return [(message, sender), *self._next_root_speaks()]
        if sender in self._leaders:
            return self._refuse(message)
        if isinstance(message, messages.Root):
            self._claim(sender)
        if sender not in self._claims:
            return self._refuse(message)
        claim = self._claims[sender]
        if len(claim.words) < MOST_WORDS:
            claim.words.append(message)
        return self._next_root_speaks()

    def _greeted(self, message: FromJob, sender: bytes) -> Heard:
        if sender == self._root or sender in self._claims:
            return self._refuse(message)
        self._leaders.add(sender)
        return [(message, sender)]

    def _follow(self, message: FromJob) -> None:
        """What the root says about the next one."""
        if isinstance(message, messages.Closing):
            self._next = ""
        elif isinstance(message, messages.Settled) and message.code == RESIZED and message.next_root:
            self._root, self._next = None, message.next_root

    def _claim(self, sender: bytes) -> None:
        waiting = [known for known in self._claims if known != sender]
        for oldest in waiting[: max(0, len(waiting) - MOST_WAITING + 1)]:
            del self._claims[oldest]
        self._claims.setdefault(sender, _Claim(time.monotonic()))

    def _next_root_speaks(self) -> Heard:
        """All that the next root has said, where it is known who that is."""
        for sender, claim in self._claims.items():
            if self._is_next(claim):
                del self._claims[sender]
                self._root, self._next = sender, None
                return [heard for word in claim.words for heard in self.sort(word, sender)]
        return []

    def _is_next(self, claim: _Claim) -> bool:
        first = claim.words[0]
        if self._next is None or not isinstance(first, messages.Root) or first.token != self._next:
            return False
        return bool(self._next) or time.monotonic() - claim.since < _REOPENED_WITHIN

    def _refuse(self, message: FromJob) -> Heard:
        if message.kind not in self._told:
            self._told.add(message.kind)
            self._refused(f"`{message.kind}` of a process that may not send it is refused")
        return []
