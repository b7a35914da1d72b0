# SPDX-License-Identifier: BSD-3-Clause
"""What a reader of any dialect hands on: values in the model's shape, and where each of them came from."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

KeyPath = tuple[str | int, ...]

_PART = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)|\[(\d{1,6})\]")


@dataclass(frozen=True)
class Place:
    """Where a value came from, and how its key and value are written there."""

    where: str
    key: str
    value: str | None = None


@dataclass
class Document:
    """One experiment as read, not validated yet."""

    dialect: str
    tree: dict[str, Any]
    places: dict[KeyPath, Place] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def path_text(path: KeyPath) -> str:
    """`("groups", 2, "ranks")` as `groups[2].ranks`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def parse_path(text: str) -> KeyPath | None:
    """The reverse of path_text(); None when `text` is no key path."""
    path: list[str | int] = []
    for piece in text.split("."):
        at = 0
        while at < len(piece):
            match = _PART.match(piece, at)
            if match is None or (match[1] is not None) != (at == 0):
                return None
            path.append(match[1] if match[1] is not None else int(match[2]))
            at = match.end()
        if not piece:
            return None
    return tuple(path)
