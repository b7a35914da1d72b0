# SPDX-License-Identifier: BSD-3-Clause
"""The line of each key of a JSON text, which the json module does not tell."""

from __future__ import annotations

import json
import re

from nereus.config.document import KeyPath

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')


def json_lines(text: str) -> dict[KeyPath, int]:
    """Line of every value in `text`, which json.loads has accepted. O(length)."""
    lines: dict[KeyPath, int] = {}
    path: list[str | int] = []
    opened: list[str] = []
    line, seen, token = 1, 0, ""
    for match in _TOKEN.finditer(text):
        before, token = token, match[0]
        line += text.count("\n", seen, match.start())
        seen = match.start()
        if token in "[{":
            lines.setdefault(tuple(path), line)
            opened.append(token)
            path.append(0 if token == "[" else "")
        elif token in "]}":
            opened.pop()
            path.pop()
        elif token == ",":
            last = path[-1]
            path[-1] = last + 1 if isinstance(last, int) else ""
        elif token == ":":
            path[-1] = _unquoted(before)
            lines[tuple(path)] = line
        elif opened and opened[-1] == "[":
            lines[tuple(path)] = line
    return lines


def _unquoted(token: str) -> str:
    """The key that a JSON string token stands for."""
    return str(json.loads(token, strict=False))
