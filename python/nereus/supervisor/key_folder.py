# SPDX-License-Identifier: BSD-3-Clause
"""The folder of keys of jobs that other hosts take part in, or ask: a user's own, which these hosts share."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from nereus.launch.error import LaunchError
from nereus.launch.private_folder import make_folder

#: Where a user can name a folder that all hosts of a job share.
FOLDER_VARIABLE = "NEREUS_KEY_FOLDER"
KEY_FOLDER_USE = (
    f"keys of jobs on several hosts are kept there; {FOLDER_VARIABLE} names another folder that these share"
)
_TRIALS = 10


def origin() -> str:
    """What the numbers of this host's processes belong to: a start of the host, and a namespace."""
    start = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip().replace("-", "")
    return f"{start}-{Path('/proc/self/ns/pid').stat().st_ino}"


@dataclass(frozen=True)
class KeyFolder:
    """`usual`: the one below the home folder, which is not there while no job has a file in it."""

    path: Path
    usual: bool

    @staticmethod
    def of_user(environment: Mapping[str, str] = os.environ) -> "KeyFolder":
        """LaunchError where there is none: neither a variable names it, nor is there a home folder."""
        named = environment.get(FOLDER_VARIABLE, "")
        if named:
            return KeyFolder(Path(named).absolute(), usual=False)
        try:
            return KeyFolder(Path.home() / ".nereus" / "keys", usual=True)
        except RuntimeError as problem:
            raise LaunchError(f"there is no home folder: {KEY_FOLDER_USE}") from problem

    def write(self, write: Callable[[], None]) -> None:
        """Have a file written, into the folder that is made where it is missing."""
        for trial in range(_TRIALS):
            make_folder(self.path, KEY_FOLDER_USE, parents=True)
            try:
                write()
                return
            except FileNotFoundError:
                # The last job but this one may just have removed the folder.
                if trial == _TRIALS - 1:
                    raise

    def remove(self, file: Path) -> None:
        """Remove a file, and the usual folder where no other job has one in it."""
        with suppress(OSError):
            file.unlink()
        if self.usual:
            with suppress(OSError):
                self.path.rmdir()
                self.path.parent.rmdir()

    def remove_what_the_dead_left(self) -> None:
        """Keys of supervisors of this host that were killed; on other hosts nobody knows who lives."""
        for path in self.path.glob(f"{origin()}-*-*"):
            number = path.name.split("-")[2]
            if number.isdigit() and not Path(f"/proc/{number}").exists():
                self.remove(path)
