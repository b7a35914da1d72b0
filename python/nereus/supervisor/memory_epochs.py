# SPDX-License-Identifier: BSD-3-Clause
"""Epochs in memory, which outlive the processes of a job so that others continue with them.

What an epoch says of itself, and what is in no file of shared memory, lies in a folder in memory. Arrays lie
in files without a name, which we have open: those of the two latest epochs, as the job makes the next one
while the latest is still whole.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

from nereus.launch.command import PROTECT_FOLDER
from nereus.launch.private_folder import make_folder
from nereus.launch.shared_memory import FOLDER
from nereus.launch.watchdog import Watchdog
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
            self.close()
            raise

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
        for kept in self._kept:
            kept.let_go()
        shutil.rmtree(self.folder, ignore_errors=True)
        self._watchdog.close()
