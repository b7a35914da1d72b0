# SPDX-License-Identifier: BSD-3-Clause
"""A /dev/shm of one's own: tests that run at the same time do not see what jobs of the others leave there."""

import ctypes
import os

_CLONE_NEWNS = 0x20000
_MS_REC, _MS_PRIVATE = 0x4000, 1 << 18
_libc = ctypes.CDLL(None, use_errno=True)


def take_own_shared_memory() -> None:
    """For this thread, and all processes and threads that it starts. OSError without the right to."""
    _must(_libc.unshare(_CLONE_NEWNS), "unshare")
    _must(_libc.mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE, None), "mount /")
    _must(_libc.mount(b"tmpfs", b"/dev/shm", b"tmpfs", 0, b"mode=1777"), "mount /dev/shm")


def _must(code: int, what: str) -> None:
    if code != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


if __name__ == "__main__":  # whether this user can
    take_own_shared_memory()
