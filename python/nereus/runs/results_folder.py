# SPDX-License-Identifier: BSD-3-Clause
"""The folder that the results of a run go to: always a new one, or an empty one."""

import shutil
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from nereus.runs.error import RunError


def new_folder(wanted: Path | None, name: str) -> Path:
    """An empty results folder: the wanted one, or a new one under `results`."""
    if wanted is not None:
        return _empty(wanted)
    return unused_folder(name)


def unused_folder(name: str) -> Path:
    """A new one under `results`, named after the time."""
    stem = f"{name}-{datetime.now():%Y%m%d-%H%M%S}"
    for number in range(1, 1000):
        folder = Path("results") / (stem if number == 1 else f"{stem}-{number}")
        with suppress(FileExistsError):
            _make(folder, exist_ok=False)
            return folder
    raise RunError(f"results/{stem}: there are too many of this name")


def is_full(folder: Path) -> bool:
    """Whether nothing more can be written there, so that a program could not even say why it ended."""
    return shutil.disk_usage(folder).free == 0


def _empty(folder: Path) -> Path:
    if folder.exists() and not folder.is_dir():
        raise RunError(f"--output = {folder}: is a file; a folder is needed that is empty or not there yet")
    _make(folder, exist_ok=True)
    if any(folder.iterdir()):
        raise RunError(f"--output = {folder}: is not empty; results are never written over others")
    return folder


def _make(folder: Path, exist_ok: bool) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=exist_ok)
    except FileExistsError:
        raise
    except OSError as problem:
        raise RunError(f"{folder}: cannot be made: {problem.strerror}") from problem
