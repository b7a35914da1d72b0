# SPDX-License-Identifier: BSD-3-Clause
"""The folder of a job's epochs: a group of Zarr version 3 with one group for each complete epoch."""

import json
import re
from pathlib import Path
from typing import Any

from nereus import UserError
from nereus.epochs.epoch import Epoch
from nereus.reading import NotReadError, content_of

_NAME = re.compile(r"epoch-([1-9][0-9]{0,18})")
_MOST_OF_ROOT, _MOST_OF_EPOCH = 1 << 16, 64 << 20
_FORMAT = 1


class EpochsError(UserError):
    """A folder that holds no epochs, or a damaged one; the text is one line that names it."""


def is_folder_of_epochs(path: Path) -> bool:
    """Whether it is one, or an epoch in one."""
    root = path.parent if _NAME.fullmatch(path.name) else path
    return _format_of(root) is not None


def complete_epochs(path: Path) -> list[Epoch]:
    """Those of a folder, ascending; of an epoch's own folder that one."""
    if _NAME.fullmatch(path.name):
        return [chosen_epoch(path)]
    return [_epoch(path / f"epoch-{number}") for number in _numbers(_checked(path))]


def chosen_epoch(path: Path) -> Epoch:
    """The newest one of a folder, or the epoch whose folder it is, as the setting `resume` takes them."""
    if _NAME.fullmatch(path.name):
        _checked(path.parent)
        if not path.is_dir():
            raise EpochsError(f"{path}: there is no such epoch")
        return _epoch(path)
    numbers = _numbers(_checked(path))
    if not numbers:
        raise EpochsError(f"{path}: holds no complete epoch")
    return _epoch(path / f"epoch-{numbers[-1]}")


def newest_number(path: Path) -> int:
    """Of complete epochs; 0: there is none."""
    return max(_numbers(path), default=0)


def _numbers(path: Path) -> list[int]:
    try:
        names = [_NAME.fullmatch(entry.name) for entry in path.iterdir()]
    except OSError:
        return []
    return sorted(int(name[1]) for name in names if name is not None)


def _checked(path: Path) -> Path:
    found = _format_of(path)
    if found is None:
        raise EpochsError(f"{path}: is no folder of epochs (nereus run --save)")
    if found != _FORMAT:
        raise EpochsError(f"{path}: has format {str(found)[:40]} of epochs; this version reads {_FORMAT}")
    return path


def _format_of(path: Path) -> Any:
    try:
        root = json.loads(content_of(path / "zarr.json", _MOST_OF_ROOT))
        return root["attributes"]["nereus"]["epochs"]
    except (OSError, ValueError, RecursionError, NotReadError, KeyError, TypeError):
        return None


def _epoch(path: Path) -> Epoch:
    try:
        group = json.loads(content_of(path / "zarr.json", _MOST_OF_EPOCH))
        return Epoch(path, group["attributes"]["nereus"])
    except (OSError, ValueError, RecursionError, NotReadError, KeyError, TypeError) as problem:
        text = problem.strerror if isinstance(problem, OSError) else "its zarr.json describes no epoch"
        raise EpochsError(f"{path}: cannot be read: {text}") from None
