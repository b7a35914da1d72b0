# SPDX-License-Identifier: BSD-3-Clause
"""Folders that are this user's alone: the system keeps others from what is in them."""

import os
import stat
from pathlib import Path

from nereus.launch.error import LaunchError

_USE = "the control sockets of jobs are kept there"


def is_private(folder: Path) -> bool:
    """Whether a folder is there, and is this user's alone."""
    try:
        return _obstacle(folder) is None
    except OSError:
        return False


def make_folder(folder: Path, use: str = _USE, parents: bool = False) -> None:
    """A folder that nobody else can look into; one that somebody else prepared is refused.

    `use` is what a refusal says the folder is for; `parents`: folders above it are made too.
    """
    former = os.umask(0o077)
    try:
        folder.mkdir(exist_ok=True, parents=parents)
    except FileExistsError:
        pass
    finally:
        os.umask(former)
    refuse_if_unsafe(folder, use)


def refuse_if_unsafe(folder: Path, use: str = _USE) -> None:
    """FileNotFoundError where there is no such folder."""
    obstacle = _obstacle(folder)
    if obstacle is not None:
        raise LaunchError(f"{folder}: {obstacle}; {use}")


def _obstacle(folder: Path) -> str | None:
    """Why a folder is not this user's alone."""
    found = folder.lstat()
    mode = stat.S_IMODE(found.st_mode)
    if not stat.S_ISDIR(found.st_mode):
        return "is no folder"
    if found.st_uid != os.geteuid():
        return f"belongs to another user (number {found.st_uid})"
    return f"others may look into it (mode {mode:o}, allowed is 700)" if mode & 0o077 else None
