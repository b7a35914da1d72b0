# SPDX-License-Identifier: BSD-3-Clause
"""What comes of what jobs say: grants and commands to be told, and words for people."""

from dataclasses import dataclass

from nereus.coordinator.known_jobs import POLICY, Command
from nereus.coordinator.resources import Places
from nereus.policy.turns import Grant


@dataclass(frozen=True)
class Cancel:
    """A command that was told before is not to be carried out."""

    number: int
    job: str
    why: str
    by: str = POLICY


@dataclass(frozen=True)
class Start:
    """A job that waited for cores may start, there."""

    job: str
    places: Places


@dataclass(frozen=True)
class Note:
    """For people: what was decided, or dropped, and why."""

    job: str
    text: str


Effect = Grant | Command | Cancel | Start | Note
