# SPDX-License-Identifier: BSD-3-Clause
"""Which epochs a job saves or keeps in memory, when, and from which one it continues."""

import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from nereus.epochs import Epoch, EpochOnHosts, chosen_epoch
from nereus.launch.locked_file import lock_file, remove_locked
from nereus.runs.error import RunError

_LOCK = ".lock"


@dataclass(frozen=True)
class Saving:
    """As asked for on the command line, and checked."""

    #: None: no epochs are saved.
    folder: Path | None = None
    #: As the setting has it: seconds, 0 for on request only, or "auto".
    every: str = "0"
    #: At which the job saves an epoch and ends.
    signals: frozenset[signal.Signals] = field(default_factory=frozenset)
    #: Seconds that it has for that.
    patience: float = 0.0
    #: How often an epoch is kept in memory, as the setting has it; "": never.
    protect_every: str = ""
    #: Whether hosts keep copies of one another's part of these.
    has_buddies: bool = False
    #: What `resume` names, and the epoch that this is now.
    resume: Path | None = None
    epoch: Epoch | EpochOnHosts | None = None

    @staticmethod
    def of(
        save: Path | None,
        every: str,
        also_at: signal.Signals | None,
        patience: float,
        resume: Path | None,
        protect_every: str = "",
        has_buddies: bool = False,
    ) -> "Saving":
        """A job that resumes saves where it comes from, if nothing else is said."""
        epoch = chosen_epoch(resume) if resume is not None else None
        folder = save or (epoch.folder.parent if epoch is not None else None)
        if folder is None:
            return Saving(protect_every=protect_every, has_buddies=has_buddies)
        signals = {signal.SIGTERM, *([also_at] if also_at is not None else [])}
        at, protects = frozenset(signals), protect_every
        return Saving(folder.absolute(), every, at, patience, protects, has_buddies, resume, epoch)

    @property
    def saved_ranks(self) -> int:
        """Of the epoch on disk from which it continues; 0: it continues from none."""
        return self.epoch.ranks if isinstance(self.epoch, Epoch) else 0

    @property
    def settings(self) -> Mapping[str, str]:
        """Of the job."""
        settings: dict[str, str] = {}
        if self.folder is not None:
            settings |= {"NEREUS_SAVE": str(self.folder), "NEREUS_SAVE_EVERY": self.every}
        if self.protect_every:
            settings["NEREUS_PROTECT_EVERY"] = self.protect_every
            settings["NEREUS_PROTECT"] = "buddy" if self.has_buddies else "memory"
        if self.epoch is not None:
            settings["NEREUS_RESUME"] = str(self.epoch.folder.absolute())
        return settings

    @contextmanager
    def alone(self) -> Iterator[None]:
        """While no other job may save there: RunError where one does."""
        if self.folder is None:
            yield
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            file = lock_file(self.folder / _LOCK)
        except OSError as problem:
            raise RunError(f"--save = {self.folder}: cannot be used: {problem.strerror}") from problem
        if file is None:
            raise RunError(f"--save = {self.folder}: another running job saves its epochs there")
        try:
            yield
        finally:
            remove_locked(self.folder / _LOCK, file)
