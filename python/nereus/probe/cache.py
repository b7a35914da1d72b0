# SPDX-License-Identifier: BSD-3-Clause
"""What was found out by trying: kept in the user's cache folder while the files that were tried stay.

What hung or died is kept too, so that nobody waits for it again and again. But it may have been chance, or a
busy machine: it is believed for an hour, and by those who would wait no longer.
"""

import contextlib
import hashlib
import json
import math
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nereus.reading import beginning_of

#: Seconds for which it is believed that something hung or died.
BELIEVED = 3600.0


def recall(kind: str, key: str, files: Sequence[Path], patience: float = 0.0) -> dict[str, Any] | None:
    """The answer about `key`, or None when there is none for the present files.

    `patience`: seconds that the caller would wait for what hung or died before.
    """
    try:
        kept: dict[str, Any] = json.loads(beginning_of(place(kind, key)))
        believed = kept.get("answered", True) or is_believed(kept["at"], kept["waited"], patience)
        return kept if kept["stamp"] == _stamp(files) and believed else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def is_believed(at: float, waited: float, patience: float) -> bool:
    """Whether it counts that something did not answer at that time, within so many seconds."""
    return waited >= patience and 0 <= time.time() - at < BELIEVED


def remember(
    kind: str, key: str, files: Sequence[Path], answer: Mapping[str, Any], waited: float = 0.0
) -> None:
    """Keep an answer; where it has `answered` false, `waited` is how long. A cache that cannot be written
    costs time and nothing else."""
    path = place(kind, key)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {**answer, "stamp": _stamp(files), "at": time.time()}
        content["waited"] = waited if math.isfinite(waited) else 0.0
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
