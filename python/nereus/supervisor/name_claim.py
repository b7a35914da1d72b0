# SPDX-License-Identifier: BSD-3-Clause
"""The name that a job has for as long as its supervisor lives: a file NAME.name with the job's key in it.

The files lie beside the control sockets. A supervisor has its file locked, and the lock ends with it: a name
whose file nobody has locked is free. Names are looked for by one process at a time, so that all of them take
the first number that is free, and nobody takes a look of another for a lock.
"""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from nereus.launch.error import LaunchError
from nereus.launch.locked_file import lock_file, remove_locked, write_over
from nereus.launch.private_folder import is_private, make_folder
from nereus.supervisor.control_socket import control_socket_folder
from nereus.supervisor.job_names import check_job_name, is_job_name, numbered_name

_ENDING = ".name"
_TRIALS = 10


def new_key() -> str:
    """One that no other job has."""
    return secrets.token_hex(8)


class NameClaim:
    """A name that is a job's, with the job's key; nobody else gets it until it is released."""

    def __init__(self, name: str, key: str, path: Path, file: IO[str], continues: str = "") -> None:
        """`file`: the one at `path`, locked; `continues`: key of the job that failed before."""
        self.name, self.key, self.continues = name, key, continues
        self._path, self._file = path, file

    def __enter__(self) -> Self:
        """Nothing to do: it is claimed."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def release(self) -> None:
        """Others may have the name from now on; to say it again changes nothing."""
        if self._file.closed:
            return
        remove_locked(self._path, self._file)
        # The folder stays while other jobs have files in it.
        with suppress(OSError):
            self._path.parent.rmdir()


def claim_name(wanted: str | None, program: str, continues: str = "") -> NameClaim:
    """For a new job: the wanted name, else one of its program and the first number that is free.

    `continues`: the key of the job that failed, and from whose epoch it goes on.

    LaunchError where a running job of this user on this host has it, or no job may be called so.
    """
    if wanted is not None:
        check_job_name(wanted)
    key, folder = new_key(), control_socket_folder()
    for _ in range(_TRIALS):
        with suppress(FileNotFoundError):  # the last job but this one may just have removed the folder
            return _first_free(wanted, program, key, continues)
    raise LaunchError(f"{folder}: cannot be made; names of jobs are kept there")


def job_names() -> dict[str, str]:
    """Names of this user's jobs on this host, by key; of a killed supervisor's job it may still be there."""
    folder = control_socket_folder()
    if not is_private(folder):
        return {}
    found = {}
    for path in folder.glob(f"*{_ENDING}"):
        name = path.name.removesuffix(_ENDING)
        with suppress(OSError):
            key = path.read_text(encoding="ascii", errors="replace")
            if key and is_job_name(name):
                found[key] = name
    return found


def remove_abandoned_names() -> None:
    """Remove files of supervisors that were killed; who claims a name just now is not waited for."""
    folder = control_socket_folder()
    files = [*folder.glob(f"*{_ENDING}")] if is_private(folder) else []
    if not files:
        return
    with suppress(OSError), _alone_in(folder, fcntl.LOCK_EX | fcntl.LOCK_NB):
        for path in files:
            file = lock_file(path)
            if file is not None:
                remove_locked(path, file)


def _first_free(wanted: str | None, program: str, key: str, continues: str) -> NameClaim:
    folder = control_socket_folder()
    make_folder(folder)
    names = [wanted] if wanted is not None else (numbered_name(program, number) for number in count(1))
    with _alone_in(folder, fcntl.LOCK_EX):
        for name in names:
            path = folder / f"{name}{_ENDING}"
            file = _claimed(path, key)
            if file is not None:
                return NameClaim(name, key, path, file, continues)
    raise LaunchError(f"--name = {wanted}: a job of yours that runs on this host has this name")


def _claimed(path: Path, key: str) -> IO[str] | None:
    """The file of a name, locked, with that key in it; None where another job has it."""
    file = None
    try:
        file = lock_file(path)
        if file is not None:
            write_over(file, key)
    except FileNotFoundError:
        raise
    except OSError as problem:
        if file is not None:
            remove_locked(path, file)
        raise LaunchError(f"{path}: cannot be made: {problem.strerror}") from problem
    return file


@contextmanager
def _alone_in(folder: Path, how: int) -> Iterator[None]:
    """While nobody else looks for a name there; FileNotFoundError where the folder was removed meanwhile."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, how)
        if not os.path.samestat(folder.stat(), os.fstat(descriptor)):
            raise FileNotFoundError(folder)
        yield
    finally:
        os.close(descriptor)
