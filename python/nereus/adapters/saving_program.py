# SPDX-License-Identifier: BSD-3-Clause
"""The program on some ranks, from its start to its end; and how it is asked to save its state before that."""

import os
import time
from collections.abc import Sequence
from contextlib import suppress
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
# What launchers tell each rank: Open MPI, those that speak PMI, and those that speak PMIx.
_RANK_VARIABLES = (b"OMPI_COMM_WORLD_RANK=", b"PMI_RANK=", b"PMIX_RANK=")


class SavingProgram:
    """Use it in a `with` statement: at its end no process of it is left."""

    def __init__(self, save: Save, command: Command, ranks: int) -> None:
        self.ranks = ranks
        self.began = time.monotonic()
        #: When it was asked to save; None: it was not.
        self.asked: float | None = None
        self._save, self._before = save, SavedFiles((), ())
        self._to_send: Signals | None = None
        self._check_request_file()
        self._job = Job(command, None)

    def close(self) -> None:
        """End it, if it still runs."""
        self._job.end()
        if self.asked is not None:
            self._remove_request()

    def is_running(self) -> bool:
        return self._job.running()

    def attend(self, seconds: float) -> None:
        """While it runs."""
        if self._to_send is not None and self.asked is not None:
            self._signal(self._to_send, self.asked)
        self._job.attend(seconds)

    def outcome(self) -> Outcome:
        """Only after its end."""
        return self._job.outcome()

    @property
    def overdue(self) -> str | None:
        """Once it has been asked and did not end in time: what to say of that."""
        within = self._save.within
        if self.asked is None or time.monotonic() < self.asked + within:
            return None
        if self._to_send is not None:
            return f"none of its ranks on this host has caught {self._to_send.name} for {within:g} s"
        return f"the program has not ended within {within:g} s after it was asked to save (save.within)"

    def ask(self) -> None:
        """Have it save and end; once more: changes nothing. RunError where it cannot be asked."""
        if self.asked is not None:
            return
        self._before = SavedFiles.now(self._save.files)
        if self._save.number is None:
            self._request()
        self._to_send = self._save.number
        self.asked = time.monotonic()

    def saved(self) -> SavedFiles | str:
        """After its end: what it saved, or why that cannot be gone on from."""
        outcome, now = self.outcome(), SavedFiles.now(self._save.files)
        if outcome.code not in self._save.exit_codes:
            return outcome.text
        missing = now.not_since(self._before)
        return f"{missing[0]}: was not written before the program ended" if missing else now

    def _signal(self, number: Signals, since: float) -> None:
        """Ranks that catch it: others would die of it."""
        ranks = self._ranks_here()
        catching = [process for process in ranks if processes.catches(process, number)]
        if catching and (len(catching) == len(ranks) or time.monotonic() > since + _ALL_CATCH_WITHIN):
            self._to_send = None
            for process in catching:
                processes.send(process, number)

    def _ranks_here(self) -> Sequence[Process]:
        """The processes that the launcher started as ranks, but not their children."""
        ranks = [process for process in self._job.processes() if _is_rank(process.pid)]
        known = {process.pid for process in ranks}
        return [process for process in ranks if processes.parent(process) not in known]

    def _request(self) -> None:
        file = Path(self._save.request_file or "")
        try:
            file.touch()
        except OSError as problem:
            raise RunError(f"save.request_file = {file}: {problem.strerror}") from None

    def _check_request_file(self) -> None:
        """A file that is there already would have the program end at once."""
        file = self._save.request_file
        if file is not None and os.path.lexists(file):
            raise RunError(f"save.request_file = {file}: is there already: remove it first")

    def _remove_request(self) -> None:
        if self._save.request_file is not None:
            with suppress(OSError):
                Path(self._save.request_file).unlink()


def _is_rank(pid: int) -> bool:
    return any(entry.startswith(_RANK_VARIABLES) for entry in entries_of(pid))
