# SPDX-License-Identifier: BSD-3-Clause
"""Epochs in memory, which outlive the processes of a job so that others continue with them.

What an epoch says of itself, and what is in no file of shared memory, lies in a folder in memory. Arrays lie
in files without a name, which we have open: those of the two latest epochs, as the job makes the next one
while the latest is still whole.
"""

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from nereus.epochs import Epoch, EpochOnHosts, chosen_epoch, newest_number
from nereus.launch.command import PROTECT_FOLDER
from nereus.launch.private_folder import make_folder
from nereus.launch.shared_memory import FOLDER
from nereus.launch.watchdog import Watchdog
from nereus.supervisor import messages
from nereus.supervisor.kept_memory import KeptMemory
from nereus.supervisor.messages import MemoryHandle
from nereus.supervisor.name_claim import new_key


class MemoryEpochs:
    """Of a job and of all that continue it, until close()."""

    def __init__(self) -> None:
        """None yet. OSError or LaunchError where nothing can be kept in memory here."""
        #: A folder of epochs, as one on disk.
        self.folder = FOLDER / f"nereus-{new_key()}-epochs"
        self._kept = (KeptMemory(), KeptMemory())
        # Removes the folder where we are killed, once the processes that write to it have ended.
        self._watchdog = Watchdog(f"{PROTECT_FOLDER}={self.folder}", self.folder)
        try:
            make_folder(self.folder, "epochs are kept there")
        except BaseException:
            self._remove_all()
            raise

    @property
    def latest(self) -> Epoch | EpochOnHosts | None:
        """The one to continue from; EpochsError where it cannot be read."""
        return chosen_epoch(self.folder) if self.has_any else None

    @property
    def has_any(self) -> bool:
        """Whether there is one, readable or not."""
        return newest_number(self.folder) > 0

    def prepare(self, hosts: Sequence[str], stopped: Callable[[], bool]) -> Mapping[str, str]:
        """A job is about to be started on these hosts. On which of them nothing can be kept, and why."""
        return {}

    def look(self, say: Callable[[str], None]) -> None:
        """To be called a few times a second while a job runs; its user is told what he should know."""

    def processes_on(self, hosts: Sequence[str], of_ranks: Sequence[str]) -> Mapping[str, int]:
        """How many founders each of these hosts is to have at least; `of_ranks`: hosts of the job's ranks."""
        return {}

    def made(self, message: messages.Saved, of_ranks: Sequence[str]) -> None:
        """The job, with ranks on these hosts, tells of one; we find it ourselves."""

    def keep(self, epoch: int, handles: Sequence[MemoryHandle | None]) -> list[MemoryHandle | None]:
        """Open the files of this epoch, in the place of those of the one before the last; None as there."""
        return self._kept[epoch % len(self._kept)].keep(handles)

    def has(self, epoch: Path) -> bool:
        """Whether this is the folder of one of them."""
        return epoch.parent == self.folder

    def forget(self) -> None:
        """Nobody can continue from them any more."""
        shutil.rmtree(self.folder, ignore_errors=True)
        make_folder(self.folder, "epochs are kept there")
        for kept in self._kept:
            kept.let_go()

    def close(self) -> None:
        """They are gone."""
        self._remove_all()

    def _remove_all(self) -> None:
        for kept in self._kept:
            kept.let_go()
        shutil.rmtree(self.folder, ignore_errors=True)
        self._watchdog.close()
