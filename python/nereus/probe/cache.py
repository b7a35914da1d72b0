# SPDX-License-Identifier: BSD-3-Clause
"""What was found out by trying: kept in the user's cache folder while the files that were tried stay."""

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nereus.reading import beginning_of


def recall(kind: str, key: str, files: Sequence[Path]) -> dict[str, Any] | None:
    """The answer about `key`, or None when there is none for the present files."""
    try:
        kept: dict[str, Any] = json.loads(beginning_of(place(kind, key)))
        return kept if kept["stamp"] == _stamp(files) else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def remember(kind: str, key: str, files: Sequence[Path], answer: Mapping[str, Any]) -> None:
    """Keep an answer; a cache that cannot be written costs time and nothing else."""
    path = place(kind, key)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {**answer, "stamp": _stamp(files)}
        # Two commands may write at once: whole files replace one another.
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
            json.dump(content, file)
        Path(file.name).replace(path)


def place(kind: str, key: str) -> Path:
    """The file of an answer, whether it is there or not."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "nereus" / f"{kind}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"


def _stamp(files: Sequence[Path]) -> list[int]:
    return [path.stat().st_mtime_ns for path in files]
