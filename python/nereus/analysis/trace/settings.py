# SPDX-License-Identifier: BSD-3-Clause
"""What a trace was limited to: `trace.json` in its folder."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from nereus.analysis.trace.kinds import RECORD_UNTIL, SETTINGS
from nereus.reading import NotReadError, content_of

_MOST_BYTES = 1 << 20
_FORMAT = {"format": "nereus-trace", "version": 1}


@dataclass(frozen=True)
class TraceSettings:
    """As the user gave them; None: not limited."""

    calls: list[str] | None = None
    min_bytes: int = 0
    ranks: str | None = None
    iterations: str | None = None
    around_resizes: float | None = None  # s behind each
    paused: bool = False  # but for the two before, and `nereus trace JOB`

    @property
    def has_windows(self) -> bool:
        """Whether it records at times only."""
        return self.paused or self.iterations is not None or self.around_resizes is not None

    @property
    def has_all_calls(self) -> bool:
        """While it records."""
        return self.calls is None and self.min_bytes == 0

    def variables(self) -> dict[str, str]:
        """For the monitor."""
        given = {
            "CALLS": None if self.calls is None else ",".join(self.calls),
            "MIN_BYTES": str(self.min_bytes) if self.min_bytes else None,
            "RANKS": self.ranks,
            "WINDOWS": "on" if self.has_windows else None,
            "ITERATIONS": self.iterations,
            "RESIZES": None if self.around_resizes is None else f"{self.around_resizes:g}",
        }
        return {f"NEREUS_MONITOR_TRACE_{name}": value for name, value in given.items() if value is not None}

    def write(self, folder: Path) -> None:
        """OSError where it cannot be written."""
        if self.has_windows:
            write_until(
                folder, 0
            )  # file systems of several hosts remember for long that there was no such file
        text = json.dumps({**_FORMAT, **asdict(self)}, indent=1)
        (folder / SETTINGS).write_text(text + "\n", encoding="utf-8")

    def sentences(self) -> Iterator[str]:
        """What a reader has to know of it."""
        if self.calls is not None:
            yield f"only these calls are in the trace (--calls): {', '.join(self.calls)}"
        if self.min_bytes:
            yield f"messages and transfers below {self.min_bytes} bytes are not in the trace (--min-bytes)"
        if self.ranks is not None:
            yield f"only these ranks of each MPI_COMM_WORLD are in the trace (--ranks): {self.ranks}"
        if self.has_windows:
            yield "recording was paused at times, as asked for"


def write_until(folder: Path, until: float) -> None:
    """Until when processes record, in s since 1970; at once for those that read it meanwhile. OSError."""
    path = folder / RECORD_UNTIL
    new = path.with_name(f".{path.name}.new")
    new.write_text(f"{until:.6f}\n", encoding="ascii")
    new.replace(path)


def settings_of(folder: Path) -> TraceSettings:
    """Without limits where the file is missing, or is none of ours."""
    try:
        found = json.loads(content_of(folder / SETTINGS, _MOST_BYTES))
    except (OSError, NotReadError, ValueError, RecursionError):
        return TraceSettings()
    if not isinstance(found, dict) or any(found.get(key) != value for key, value in _FORMAT.items()):
        return TraceSettings()
    names = [field.name for field in fields(TraceSettings) if _fits(field.name, found)]
    return TraceSettings(**{name: found[name] for name in names})


def _fits(name: str, found: dict[str, Any]) -> bool:
    """Whether a value of the file is what it must be."""
    value = found.get(name)
    if name == "calls":
        return isinstance(value, list) and all(isinstance(call, str) for call in value)
    if name in ("min_bytes", "paused"):
        return type(value) is {"min_bytes": int, "paused": bool}[name]
    if name == "around_resizes":
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, str)
