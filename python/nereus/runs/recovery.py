# SPDX-License-Identifier: BSD-3-Clause
"""Whether a job that failed is started again, from its latest epoch, on disk or in memory."""

from pathlib import Path

from nereus.epochs import Epoch, EpochOnHosts, EpochsError, chosen_epoch, newest_number
from nereus.runs.ending import Ending
from nereus.runs.recovery_limit import RecoveryLimit
from nereus.supervisor import MemoryEpochs


class Recoveries:
    """Of one job."""

    def __init__(self, most: int, window: float) -> None:
        """At most so many within `window` seconds, which may be infinite; 0: none."""
        self._limit = RecoveryLimit(most, window)
        self._was_opened = False
        self._on_disk: Epoch | None = None

    @property
    def most(self) -> int:
        return self._limit.most

    @property
    def number(self) -> int:
        """All that were begun."""
        return self._limit.number

    def next_epoch(
        self,
        ending: Ending,
        folder: Path | None,
        begun_from: Epoch | EpochOnHosts | None = None,
        in_memory: MemoryEpochs | None = None,
    ) -> Epoch | EpochOnHosts | str:
        """The epoch to continue from; else why the job is over, "" where nobody would ask.

        A job that saved none since it began continues from the one that it began from, which may be older
        than others in the folder: somebody chose it.
        """
        if (folder is None and in_memory is None) or self.most == 0 or not ending.failed:
            return ""
        # A program that has opened the job once can: where it dies before it does so again, that is a death
        # like others.
        self._was_opened = self._was_opened or ending.was_opened or _has_saved(ending, folder, in_memory)
        if not self._was_opened:
            return "it is not started again: its program never opened a job"
        if refusal := self._limit.refusal:
            return refusal
        try:
            epoch = self._latest(ending, folder, begun_from, in_memory)
        except EpochsError as problem:
            return f"it is not started again: {problem}"
        self._limit.count()
        return epoch

    def _latest(
        self,
        ending: Ending,
        folder: Path | None,
        begun_from: Epoch | EpochOnHosts | None,
        in_memory: MemoryEpochs | None,
    ) -> Epoch | EpochOnHosts:
        """The one on disk or in memory after which the least is done again."""
        is_kept = begun_from is not None and in_memory is not None and in_memory.has(begun_from.folder)
        kept = in_memory.latest if in_memory is not None else None
        if folder is None:
            if kept is None:
                raise EpochsError("it had kept no epoch in memory yet")
            return kept
        try:
            on_disk = begun_from if isinstance(begun_from, Epoch) and not is_kept else None
            saved = self._latest_on_disk(ending, folder, on_disk)
        except EpochsError:
            if kept is None:
                raise
            return kept
        if in_memory is not None and is_kept and not ending.was_opened and not ending.lost_hosts:
            in_memory.forget()  # it may be what the job could not be opened from
            return saved
        return kept if kept is not None and kept.iteration >= saved.iteration else saved

    def _latest_on_disk(self, ending: Ending, folder: Path, begun_from: Epoch | None) -> Epoch:
        if newest_number(folder) > ending.newest_before:
            self._on_disk = chosen_epoch(folder)
        self._on_disk = self._on_disk or begun_from or chosen_epoch(folder)
        return self._on_disk


def _has_saved(ending: Ending, folder: Path | None, in_memory: MemoryEpochs | None) -> bool:
    """Whether it did, as only a job can that was opened.

    One that dies soon after may not have told: who stands still then never gets the connection.
    """
    on_disk = folder is not None and newest_number(folder) > ending.newest_before
    return on_disk or (in_memory is not None and in_memory.has_any)
