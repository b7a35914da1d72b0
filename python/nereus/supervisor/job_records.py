# SPDX-License-Identifier: BSD-3-Clause
"""Records of jobs that can be asked from other hosts: files KEY.job in the folder of this user's keys.

What is read is not trusted: a file that others could have written, or whose content is not allowed, is named
and ignored. A record goes with its job. That of a killed supervisor is removed on its host at once; on
another one its end cannot be told from a network that is down.
"""

import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from nereus.launch import processes
from nereus.launch.error import LaunchError
from nereus.launch.private_folder import refuse_if_unsafe
from nereus.supervisor.key_folder import KEY_FOLDER_USE, KeyFolder, origin

if TYPE_CHECKING:
    from nereus.supervisor.job_record import JobRecord

_ENDING = ".job"
_NAMES = 16 * "[0-9a-f]" + _ENDING
_MOST_BYTES = 1 << 14
#: Older ones are removed where the host says that nobody listens.
_OLD_AFTER = 86400.0


class WrittenRecord:
    """The record of a job whose supervisor we are."""

    def __init__(self, record: "JobRecord") -> None:
        """Write it: whole, or not at all. LaunchError where that cannot be."""
        self._folder = KeyFolder.of_user()
        self._path = self._folder.path / f"{record.job}{_ENDING}"
        # Named so that it is removed where we are killed meanwhile.
        new = self._folder.path / f"{origin()}-{os.getpid()}-{record.job}{_ENDING}"
        try:
            self._folder.write(lambda: _write(new, self._path, record.written()))
        except OSError as problem:
            self._folder.remove(new)
            raise LaunchError(f"{self._path}: cannot be written: {problem.strerror}") from problem

    def remove(self) -> None:
        """The job is over."""
        self._folder.remove(self._path)


def job_records(warn: Callable[[str], None]) -> "list[JobRecord]":
    """Of this user's jobs, by key; `warn` is told of files that are none. What the dead left is removed."""
    try:
        folder = KeyFolder.of_user()
    except LaunchError:
        return []  # without a home folder no job has a record
    try:
        refuse_if_unsafe(folder.path, KEY_FOLDER_USE)
        folder.remove_what_the_dead_left()
        paths = sorted(folder.path.glob(_NAMES))
    except OSError:
        return []
    except LaunchError as problem:
        warn(str(problem))
        return []
    found = (_read(path, warn) for path in paths)
    return [record for record in found if record is not None and not _removed_as_dead(folder, record)]


def forget_refusing(record: "JobRecord") -> bool:
    """Of a job whose host said that nobody listens there; whether its record was removed, as an old one is.

    A younger one stays: a firewall says the same of hosts that it keeps apart.
    """
    if time.time() - record.started_unix < _OLD_AFTER:
        return False
    folder = KeyFolder.of_user()
    folder.remove(folder.path / f"{record.job}{_ENDING}")
    return True


def _write(new: Path, path: Path, content: bytes) -> None:
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as file:
        file.write(content)
    new.replace(path)


def _read(path: Path, warn: Callable[[str], None]) -> "JobRecord | None":
    from nereus.supervisor.job_record import JobRecord  # takes long to import, and few users have records

    try:
        record = JobRecord.read(_content(path))
        if f"{record.job}{_ENDING}" != path.name:
            raise LaunchError(f"is of the job {record.job}")
    except FileNotFoundError:
        return None  # its job has just ended
    except OSError as problem:
        warn(f"{path}: is ignored: {problem.strerror}")
    except LaunchError as problem:
        warn(f"{path}: is ignored: {problem}")
    else:
        return record
    return None


def _content(path: Path) -> bytes:
    """Of a file that nobody else could have written, and that has an end."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise LaunchError("is no regular file")
        if about.st_uid != os.geteuid():
            raise LaunchError(f"belongs to another user (number {about.st_uid})")
        mode = stat.S_IMODE(about.st_mode)
        if mode & 0o077:
            raise LaunchError(f"others may read or write it (mode {mode:o}, allowed is 600)")
        content = file.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise LaunchError(f"has more than {_MOST_BYTES} bytes, which are allowed")
    return content


def _removed_as_dead(folder: KeyFolder, record: "JobRecord") -> bool:
    process = record.process
    if process is None or processes.is_running(process):
        return False
    folder.remove(folder.path / f"{record.job}{_ENDING}")
    return True
