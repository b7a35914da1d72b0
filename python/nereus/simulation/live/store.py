# SPDX-License-Identifier: BSD-3-Clause
"""The store that all jobs of a live study write to: a file system whose bandwidth is limited, and shared.

A file in memory, a loop device on it, a file system without a journal (so that what a job waits for is its
own data), and a limit on the device. In memory, so that the limit alone says how fast it is.
"""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from nereus.simulation.live.error import LiveError
from nereus.simulation.live.throttle import limited

_MEMORY = Path("/dev/shm")
_TOOLS = ("mkfs.ext4", "losetup", "mount", "umount")
_UNMOUNTED_WITHIN = 10.0
#: Without barriers: the device is memory. Times of access are no data of the jobs.
_MOUNT_OPTIONS = "nobarrier,noatime"


@contextmanager
def folder_store(parent: Path) -> Iterator[Path]:
    """One that nobody limits."""
    with tempfile.TemporaryDirectory(prefix="nereus-live-", dir=parent) as place:
        yield Path(place)


@contextmanager
def limited_store(size: int, bytes_per_second: float) -> Iterator[Path]:
    """Its folder; LiveError where it cannot be had. Whatever happens in the block, nothing of it is left."""
    missing = complaint()
    if missing:
        raise LiveError(missing)
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="nereus-live-")))
        device = _loop_device(stack, size)
        mounted = place / "store"
        mounted.mkdir()
        _do("mount", "-o", _MOUNT_OPTIONS, device, str(mounted))
        stack.callback(_unmount, mounted)
        number = Path(device).stat().st_rdev
        name = f"{os.major(number)}:{os.minor(number)}"
        stack.enter_context(limited(name, round(bytes_per_second)))
        yield mounted


def complaint() -> str:
    """Why a limited store cannot be had here, or ""."""
    other = 'store = "folder" in [live] takes a folder without a limit'
    if os.geteuid() != 0:
        return f"a limited store needs root, for a loop device and its limit; {other}"
    missing = [tool for tool in _TOOLS if shutil.which(tool) is None]
    if missing:
        return f"a limited store needs {', '.join(missing)}, which is not installed; {other}"
    return ""


def _loop_device(stack: ExitStack, size: int) -> str:
    """Its file has no name any more: it is gone with the device."""
    parent = _MEMORY if _MEMORY.is_dir() else None
    number, name = tempfile.mkstemp(prefix="live-store-", dir=parent)
    try:
        os.truncate(number, size)
        _do("mkfs.ext4", "-q", "-F", "-O", "^has_journal", name)
        device = _do("losetup", "--find", "--show", name)
    finally:
        os.close(number)
        Path(name).unlink()
    stack.callback(_do, "losetup", "--detach", device)
    return device


def _unmount(place: Path) -> None:
    """A process that was just killed may hold it for a moment."""
    deadline = time.monotonic() + _UNMOUNTED_WITHIN
    while time.monotonic() < deadline:
        with suppress(LiveError):
            _do("umount", str(place))
            return
        time.sleep(0.1)
    _do("umount", "--lazy", str(place))


def _do(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = " ".join(done.stderr.split()) or f"exit code {done.returncode}"
        raise LiveError(f"{' '.join(command)}: {said}")
    return done.stdout.strip()
