# SPDX-License-Identifier: BSD-3-Clause
"""One resize as the supervisor sees it: its parties, their leaders, an accept that may wait for nobody."""

from dataclasses import dataclass, field
from typing import Any

from nereus.launch.groups import Group, last_words

# An accept is released by a program; where that did not help, again after so many seconds.
_RELEASE_AGAIN_AFTER = 5.0
_MOST_RELEASES = 4
# For newcomers that go on within MPI_Comm_connect, or were killed.
_NEWCOMERS_END_WITHIN = 1.0


@dataclass
class Party:
    """Newcomers that were started together."""

    group: Group | None = None
    leader: bytes | None = None
    waiting_orders: list[Any] = field(default_factory=list)
    ended: bool = False


@dataclass
class Accept:
    """The job waits, or is about to wait, in MPI_Comm_accept."""

    port: str
    until: float
    releases: int = 0
    next_release: float = 0.0

    def release_is_due(self, somebody_ended: bool, now: float) -> bool:
        """Whether somebody must come because those who should do not."""
        hopeless = somebody_ended or now >= self.until
        return hopeless and self.releases < _MOST_RELEASES and now >= self.next_release

    def release_later(self, now: float) -> None:
        """Note that newcomers come to their end first: with MPICH nobody else may come between them."""
        self.next_release = now + _NEWCOMERS_END_WITHIN

    def released(self, now: float) -> None:
        """Note that somebody was sent."""
        self.releases += 1
        self.next_release = now + _RELEASE_AGAIN_AFTER


@dataclass
class Request:
    """A resize that has not ended yet."""

    parties: dict[int, Party] = field(default_factory=dict)
    #: How many newcomers were asked for.
    ranks: int = 0
    accept: Accept | None = None

    @property
    def somebody_ended(self) -> bool:
        """Whether a party is gone."""
        return any(party.ended for party in self.parties.values())

    def release_is_due(self, now: float) -> bool:
        """Whether the accept of this resize must be released now."""
        return self.accept is not None and self.accept.release_is_due(self.somebody_ended, now)


def reason_of_end(group: Group) -> str:
    """Why a party that was not part of the job yet is gone."""
    outcome, words = group.outcome, last_words(group)
    if outcome is None or outcome.good:
        return "the newcomers ended before they were part of the job"
    return outcome.text + (f" ({words})" if words else "")
