# SPDX-License-Identifier: BSD-3-Clause
"""A question to a resource manager that is put again and again, while nobody waits for its answer."""

from collections.abc import Callable
from math import inf

from nereus.allocation.call import Answer, Call


class Repeated:
    """`every`: seconds from an answer to the next question, unless the answer says otherwise."""

    def __init__(self, every: float, now: Callable[[], float]) -> None:
        self._every, self._now = every, now
        self._next = now() + every
        self._call: Call | None = None

    def answer(self, ask: Callable[[], Call]) -> Answer | None:
        """Of the question under way, once it is there; `ask` puts the next one when it is time."""
        if self._call is None:
            if self._now() >= self._next:
                self._call = ask()
            return None
        found = self._call.answer()
        if found is not None:
            self._call, self._next = None, self._now() + self._every
        return found

    def wait(self, seconds: float) -> None:
        """The next question comes in so many seconds."""
        self._next = self._now() + seconds

    def close(self) -> None:
        """There are no more questions."""
        self._next = inf
        if self._call is not None:
            self._call.give_up("given up")
            self._call = None
