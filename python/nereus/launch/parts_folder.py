# SPDX-License-Identifier: BSD-3-Clause
"""The folder in /dev/shm in which the processes of a monitored run record, each its part.

`nereus monitor` has a lock on it, which ends with its process: where nobody has the lock, the run is over.
"""

import fcntl
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from nereus.launch.builds import Build, builds
from nereus.launch.private_folder import is_private
from nereus.launch.shared_memory import FOLDER, mapped

_NAME = "nereus-{run}-monitor-"
_READER = "nereus-parts"
_TRACE = "trace"  # a file with the name of a folder
_YOUNG = 60.0  # s; its maker may not have locked it yet


@contextmanager
def made_for(run: str) -> Iterator[Path]:
    """For one run; it goes with the block. Folders whose `nereus monitor` was killed are removed."""
    _remove_abandoned()
    where = str(FOLDER) if os.access(FOLDER, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix=_NAME.format(run=run), dir=where) as folder:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield Path(folder)
        finally:
            os.close(descriptor)


def monitored() -> list[Path]:
    """Those of this user's runs that are not over; others could put anything there, under any name."""
    return [folder for folder in _private() if is_locked(folder)]


def run_of(folder: Path) -> str:
    """The run that a folder was made for."""
    return folder.name.split("-")[1]


def is_locked(folder: Path) -> bool:
    """Whether the run is not over."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def parts_in(folder: Path) -> list[Path]:
    """What processes recorded that still run, or did not come to MPI_Finalize."""
    return sorted(path for path in folder.glob("*.part") if path.is_file() and not path.is_symlink())


def append(parts: Sequence[Path], build: Build, record: Path, is_cbor: bool) -> bool:
    """Add them to a record; whether all could be."""
    with record.open("ab") as file:
        options = ["--cbor"] if is_cbor else []
        done = subprocess.run([build.program(_READER), *options, *parts], stdout=file, check=False)
    return done.returncode == 0


def tell_trace(folder: Path, trace: Path) -> None:
    """Where the run has its trace. OSError."""
    (folder / _TRACE).write_bytes(os.fsencode(trace))


def trace_of(folder: Path) -> Path | None:
    """The folder of the run's trace, if it has one."""
    try:
        return Path(os.fsdecode((folder / _TRACE).read_bytes()))
    except OSError:
        return None


def totals(folder: Path) -> list[bytes]:
    """Lines of what each process has recorded until now; a file that goes meanwhile is passed over."""
    parts = parts_in(folder)
    if not parts:
        return []
    program = builds()[0].program(_READER)
    return subprocess.run([program, "--totals", *parts], capture_output=True, check=False).stdout.splitlines()


def _private() -> list[Path]:
    return sorted(folder for folder in FOLDER.glob(_NAME.format(run="*") + "*") if is_private(folder))


def _remove_abandoned() -> None:
    """Where processes of the run still record, it stays."""
    for folder in _private():
        with suppress(OSError):
            is_old = folder.stat().st_mtime < time.time() - _YOUNG
            if is_old and not is_locked(folder) and not mapped(set(folder.iterdir())):
                shutil.rmtree(folder)
