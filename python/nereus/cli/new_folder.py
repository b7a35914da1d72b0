# SPDX-License-Identifier: BSD-3-Clause
"""A folder that a command is to fill, looked at before it does anything that takes long."""

from pathlib import Path

from nereus.cli.messages import Refused


def check_new(folder: Path, option: str) -> None:
    """Refused where anything is there already; OSError where that cannot be seen."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Refused(f"{option} = {folder}: allowed is a folder that is new or empty")


def make_new(folder: Path, option: str) -> None:
    """The same, and make it."""
    try:
        check_new(folder, option)
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise Refused(f"{option} = {folder}: cannot be made: {problem.strerror}") from None
