# SPDX-License-Identifier: BSD-3-Clause
"""Resizes by which all processes of a job leave, and others are started with their data (method `restart`).

    follow(): the root tells that all data is saved -> job_closed(): all leave -> when they have, others are
    started -> job_opened(): these have the data

Where those others end before, as many as there were before are started, once, with the same data.
"""

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from nereus.launch.command import RESTART_FOLDER
from nereus.launch.error import LaunchError
from nereus.launch.groups import Group, Groups
from nereus.launch.outcome import Outcome
from nereus.launch.shared_memory import FOLDER
from nereus.supervisor import messages
from nereus.supervisor.kept_memory import KeptMemory
from nereus.supervisor.resize_request import reason_of_end
from nereus.supervisor.supervision import Supervision

_SAVE_VARIABLE = "NEREUS_SAVE"
# Processes whose data is saved have so many seconds to end by themselves.
_LEFT_WITHIN = 10.0

#: Starts processes of the job with the data of others.
Start = Callable[[Sequence[messages.ShareAsked]], Group]


def folder_for_restarts(start: Supervision, job: str, temporary: Path) -> Path | None:
    """Where the data of one job lies between; None: there is no place that all its hosts see."""
    chosen, save = (start.launch.environment.get(name, "") for name in (RESTART_FOLDER, _SAVE_VARIABLE))
    if chosen:
        return Path(chosen).absolute() / f"nereus-{job}-restart"
    if start.launch.reach.far:
        return Path(save) / ".restart" if save else None
    # Memory, where there is some; who removes what a job leaves there knows it by this name.
    return FOLDER / f"nereus-{job}-restart" if os.access(FOLDER, os.W_OK) else temporary / "restart"


class Restarts:
    """Of one job."""

    def __init__(self, groups: Groups, start: Start, folder: Path | None, say: Callable[[str], None]) -> None:
        """`say` tells what nobody asked for."""
        self._groups, self._start, self._folder, self._say = groups, start, folder, say
        self._asked: messages.Restart | None = None
        self._leaving: list[Group] = []
        self._is_closed = False
        #: Those that come; they are part of the job once they have opened it.
        self._coming: Group | None = None
        self._as_before = False
        self._memory = KeptMemory()

    @property
    def environment(self) -> dict[str, str]:
        """What all processes of the job get."""
        return {RESTART_FOLDER: str(self._folder) if self._folder is not None else ""}

    @property
    def under_way(self) -> bool:
        """Whether processes leave, or come, so that none may be part of the job."""
        return self._asked is not None

    def keep(self, handles: Sequence[messages.MemoryHandle | None]) -> list[messages.MemoryHandle | None]:
        """Have these files outlive the processes that are about to leave; None for what cannot be."""
        return self._memory.keep(handles)

    def settled(self) -> None:
        """A resize has ended; if it was to be a restart, the processes go on with what they have."""
        if self._asked is None:
            self._memory.let_go()

    def follow(self, message: messages.Restart) -> None:
        """All data is saved: these are to come in the place of those that there are."""
        self._asked, self._is_closed, self._as_before = message, False, False

    def job_closed(self) -> bool:
        """Whether those that there are leave for others."""
        if self._asked is None:
            return False
        self._is_closed = True
        for group in [group for group in self._groups.running if group.part]:
            group.part = False
            self._leaving.append(group)
            self._groups.end(group, after=_LEFT_WITHIN)
        return True

    def job_opened(self) -> None:
        """Those that came have the data."""
        if self._coming is None:
            return
        self._groups.adopt(self._coming)
        self._asked = self._coming = None
        self._remove_data()

    def group_ended(self, group: Group) -> None:
        """Take note of the end of those that leave, or that came in vain."""
        if group in self._leaving:
            self._leaving.remove(group)
            if group.outcome is not None and not group.outcome.good:
                self._say(f"{group.outcome.text}, after all data of the job was saved")
        elif group is self._coming:
            self._failed(reason_of_end(group), group.outcome)

    def turn(self) -> None:
        """Start those that come when all others have left."""
        if self._asked is None or not self._is_closed or self._leaving or self._coming is not None:
            return
        shares = self._asked.before if self._as_before else self._asked.shares
        try:
            self._coming = self._start(shares)
        except LaunchError as problem:
            self._failed(str(problem), None)

    def close(self) -> None:
        """The job has ended."""
        self._remove_data()

    def _failed(self, why: str, outcome: Outcome | None) -> None:
        self._coming = None
        if not self._as_before:
            self._as_before = True
            self._say(f"the processes of the new size did not start: {why}; as many as before are started")
            return
        self._asked = None
        good = outcome is None or outcome.good
        text = f"it could not be started again: {why}"
        self._groups.failed = Outcome(False, text, 1 if good or outcome is None else outcome.code)

    def _remove_data(self) -> None:
        self._memory.let_go()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
