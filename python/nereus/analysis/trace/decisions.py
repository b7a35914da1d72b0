# SPDX-License-Identifier: BSD-3-Clause
"""What the daemon saw and decided while a run was traced.

Its events are read as `nereus daemon events --json` and `nereus daemon --json` print them.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nereus.analysis.trace.error import TraceError
from nereus.analysis.trace.model import Decision, Timeline
from nereus.reading import NotReadError, content_of

_MOST = 64 << 20  # bytes
_ALLOWED = "allowed are events of the daemon, each a line, as `nereus daemon events --json` prints them"


class _Event(BaseModel):
    """Of the daemon; further keys depend on the event."""

    model_config = ConfigDict(strict=True, extra="allow")

    time_unix: float = Field(ge=0, lt=2**32)
    job: str
    event: str


def read_decisions(path: Path, run: Timeline) -> list[Decision]:
    """Those from the begin of the run to its end, by their time. TraceError where the file has others."""
    found = [_decision(event, run) for event in _events(path)]
    return sorted((each for each in found if 0 <= each.time <= run.last), key=lambda each: each.time)


def _decision(event: _Event, run: Timeline) -> Decision:
    facts = {name: _text(value) for name, value in (event.model_extra or {}).items() if name != "number"}
    time = round((event.time_unix - run.started_unix) * 1e9)
    return Decision(time, event.job, event.event, facts)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _events(path: Path) -> Iterator[_Event]:
    try:
        text = content_of(path, _MOST).decode("utf-8")
    except (OSError, NotReadError) as problem:
        raise TraceError(f"{path}: cannot be read: {getattr(problem, 'strerror', None) or problem}") from None
    except UnicodeDecodeError:
        raise TraceError(f"{path}: is no text: {_ALLOWED}") from None
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield _event(line, f"{path}:{number}")


def _event(line: str, where: str) -> _Event:
    try:
        return _Event.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"]))
        raise TraceError(f"{where}: {key + ': ' if key else ''}{first['msg']}: {_ALLOWED}") from None
