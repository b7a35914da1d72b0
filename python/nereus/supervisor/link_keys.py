# SPDX-License-Identifier: BSD-3-Clause
"""Keys of a link over the network: fresh for each job, those of its processes in a file.

Format: docs/formats/link.md.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from nereus.launch.error import LaunchError
from nereus.launch.private_folder import make_folder
from nereus.supervisor.curve import new_pair, write_keys

#: Where a user can name a folder that all hosts of a job share.
FOLDER_VARIABLE = "NEREUS_KEY_FOLDER"
_USE = (
    f"keys of jobs on several hosts are kept there; {FOLDER_VARIABLE} names another folder that these share"
)
_TRIALS = 10


class LinkKeys:
    """The supervisor's pair, the pair of all processes of the job, and the file from which they read it."""

    def __init__(self, job: str) -> None:
        """Make both, and write the file."""
        self.server, self.client = new_pair(), new_pair()
        self._folder = folder_of_keys()
        self.file = self._folder / f"{_origin()}-{os.getpid()}-{job}"
        _remove_what_the_dead_left(self._folder)
        try:
            self._write()
        except OSError as problem:
            raise LaunchError(f"{self._folder}: cannot be used: {problem.strerror}; {_USE}") from problem

    def remove(self) -> None:
        """Remove the file, and the usual folder where no other job has keys in it."""
        with suppress(OSError):
            self.file.unlink()
        if self._folder == _usual_folder():
            with suppress(OSError):
                self._folder.rmdir()
                self._folder.parent.rmdir()

    def _write(self) -> None:
        keys = {"public": self.client.public, "secret": self.client.secret, "server": self.server.public}
        for trial in range(_TRIALS):
            make_folder(self._folder, _USE, parents=True)
            try:
                write_keys(self.file, keys)
                return
            except FileNotFoundError:
                # The last job but this one may just have removed the folder.
                if trial == _TRIALS - 1:
                    raise


def folder_of_keys(environment: Mapping[str, str] = os.environ) -> Path:
    """Where jobs on several hosts keep their keys: below the home folder, which hosts often share."""
    named = environment.get(FOLDER_VARIABLE, "")
    return Path(named).absolute() if named else _usual_folder()


def _usual_folder() -> Path:
    try:
        return Path.home() / ".nereus" / "keys"
    except RuntimeError as problem:
        raise LaunchError(f"there is no home folder: {_USE}") from problem


def _origin() -> str:
    """What the numbers of this host's processes belong to: a start of the host, and a namespace."""
    start = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip().replace("-", "")
    return f"{start}-{Path('/proc/self/ns/pid').stat().st_ino}"


def _remove_what_the_dead_left(folder: Path) -> None:
    """Keys of supervisors of this host that were killed; on other hosts nobody knows who lives."""
    for path in folder.glob(f"{_origin()}-*-*"):
        number = path.name.split("-")[2]
        if number.isdigit() and not Path(f"/proc/{number}").exists():
            with suppress(OSError):
                path.unlink()
