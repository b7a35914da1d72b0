# SPDX-License-Identifier: BSD-3-Clause
"""The program on some ranks, from its start to its end; and how it is asked to save its state before that."""

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from signal import Signals

from nereus.adapters.adapter import Save
from nereus.adapters.saved_files import SavedFiles
from nereus.launch import Outcome, processes
from nereus.launch.command import Command
from nereus.launch.process_environment import entries_of
from nereus.launch.processes import Process
from nereus.runs import RunError
from nereus.supervisor import Job

# A rank that has just begun does not catch signals yet; some may never do so, and not be needed.
_ALL_CATCH_WITHIN = 2.0
# A client of a file server may see what was written a little later.
_SEEN_WITHIN, _LOOK_EVERY = 3.0, 0.1
# What launchers tell each rank: Open MPI, those that speak PMI, and those that speak PMIx.
_OF_LAUNCHERS = (b"OMPI_", b"PMI_", b"PMIX_")
_RANK_VARIABLES = (b"OMPI_COMM_WORLD_RANK=", b"PMI_RANK=", b"PMIX_RANK=")


@dataclass(frozen=True)
class Saved:
    """What a program has left that was asked to save."""

    files: SavedFiles
    #: Why it cannot be gone on from; "": it can.
    problem: str = ""


class SavingProgram:
    """It runs from the beginning; `close` ends it, at which no process of it is left."""

    def __init__(self, save: Save, command: Command, ranks_here: int) -> None:
        """`ranks_here`: how many it has on this host. RunError where it could not be asked."""
        self.began_at = time.monotonic()
        #: When it was asked to save; None: it was not.
        self.asked_at: float | None = None
        self._save, self._before = save, SavedFiles((), ())
        self._ranks_here = ranks_here
        self._to_send: Signals | None = None
        self._check()
        self._job: Job | None = Job(command, None)

    def close(self) -> None:
        """End it, if it still runs; once more: changes nothing."""
        job, self._job = self._job, None
        if job is not None:
            job.end()
            if self.asked_at is not None:
                self._remove_request()

    def is_running(self) -> bool:
        return self._job is not None and self._job.running()

    def attend(self, seconds: float) -> None:
        """While it runs."""
        if self._to_send is not None and self.asked_at is not None:
            self._signal(self._to_send, self.asked_at)
        if self._job is not None:
            self._job.attend(seconds)

    def outcome(self) -> Outcome:
        """Only after its end, before it is closed."""
        assert self._job is not None
        return self._job.outcome()

    @property
    def knows_that_it_is_asked(self) -> bool:
        """Whether what asks it is there, for it to see."""
        return self.asked_at is not None and self._to_send is None

    @property
    def overdue(self) -> str | None:
        """Once it has been asked and did not end in time: what to say of that."""
        within = self._save.within
        if self.asked_at is None or time.monotonic() < self.asked_at + within:
            return None
        if self._to_send is not None:
            return f"none of its ranks on this host has caught {self._to_send.name} for {within:g} s"
        return f"the program has not ended within {within:g} s after it was asked to save (save.within)"

    def ask(self) -> None:
        """Have it save and end; again only where it was asked long ago. RunError where it cannot be asked."""
        if self.asked_at is not None and self.overdue is None:
            return
        if self.asked_at is None:
            self._before = SavedFiles.now(self._save.files)
        if self._save.number is None:
            self._request()
        self._to_send = self._save.number
        self.asked_at = time.monotonic()

    def saved(self) -> Saved:
        """After its end."""
        outcome, now = self.outcome(), SavedFiles.now(self._save.files)
        if outcome.code not in self._save.exit_codes:
            return Saved(now, outcome.text)
        deadline = time.monotonic() + _SEEN_WITHIN
        while (missing := now.not_since(self._before)) and time.monotonic() < deadline:
            time.sleep(_LOOK_EVERY)
            now = SavedFiles.now(self._save.files)
        return Saved(
            now, f"{missing[0]} was not written after the program was asked to save" if missing else ""
        )

    def ended_by_itself(self) -> bool:
        """Whether its end has nothing to do with its being asked; after its end."""
        outcome = self.outcome()
        return not self.knows_that_it_is_asked or (outcome.good and 0 not in self._save.exit_codes)

    def _signal(self, number: Signals, since: float) -> None:
        """To ranks that catch it: others would die of it, as those that end already since another one got it.

        So they stand still from the look at them until all have it.
        """
        ranks = self._ranks()
        if not self._is_to_be_sent(_catching(ranks, number), since):
            return
        with processes.stopped(ranks):
            catching = _catching(ranks, number)
            if self._is_to_be_sent(catching, since):
                self._to_send = None
                for process in catching:
                    processes.send(process, number)

    def _is_to_be_sent(self, catching: Sequence[Process], since: float) -> bool:
        is_late = time.monotonic() > since + _ALL_CATCH_WITHIN
        return bool(catching) and (is_late or len(catching) >= self._ranks_here)

    def _ranks(self) -> Sequence[Process]:
        """The processes on this host that the launcher started as ranks, but not their children."""
        found = self._job.processes() if self._job is not None else []
        # We may be a rank of another job, and the launcher has our environment.
        launchers = [process for process in found if processes.parent(process) == os.getpid()]
        inherited = {entry for process in launchers for entry in entries_of(process.pid)}
        ranks = [process for process in found if _is_rank(process.pid, inherited)]
        known = {process.pid for process in ranks}
        return [process for process in ranks if processes.parent(process) not in known]

    def _check(self) -> None:
        """A file that is there already would have the program end at once."""
        file, number = self._save.request_file, self._save.number
        if file is not None and os.path.lexists(file):
            raise RunError(f"save.request_file = {file}: is there already: remove it first")
        if number is not None and self._ranks_here == 0:
            raise RunError(f"save.signal = {number.name}: no rank is on this host, and could be sent it")

    def _request(self) -> None:
        file = Path(self._save.request_file or "")
        try:
            file.touch()
        except OSError as problem:
            raise RunError(f"save.request_file = {file}: {problem.strerror}") from None

    def _remove_request(self) -> None:
        if self._save.request_file is not None:
            with suppress(OSError):
                Path(self._save.request_file).unlink()


def _catching(ranks: Sequence[Process], number: Signals) -> list[Process]:
    return [process for process in ranks if processes.catches(process, number)]


def _is_rank(pid: int, inherited: set[bytes]) -> bool:
    entries = set(entries_of(pid))
    is_told = any(entry.startswith(_OF_LAUNCHERS) for entry in entries - inherited)
    return is_told and any(entry.startswith(_RANK_VARIABLES) for entry in entries)
