# SPDX-License-Identifier: BSD-3-Clause
"""The line of each key of a TOML text, which tomllib does not tell."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from nereus.config.document import KeyPath

_TOKEN = re.compile(
    r'(?P<string>"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\]|\\.)*"|\'[^\']*\')'
    r"|(?P<skip>#[^\n]*|[ \t\r]+)|(?P<mark>[\[\]{},=\n])|(?P<bare>[^\s\[\]{},=#\"']+)",
    re.DOTALL,
)
_END = "end of text"


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    line: int


def toml_lines(text: str) -> dict[KeyPath, int]:
    """Line of every key and table in `text`, which tomllib has accepted."""
    return _Finder(_tokens(text)).find()


def _tokens(text: str) -> Iterator[_Token]:
    line, seen = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        if match.lastgroup and match.lastgroup != "skip":
            yield _Token(match.lastgroup, match[0], line)
    yield _Token("mark", _END, line)


class _Finder:
    """Walks the tokens and keeps the path it is at."""

    def __init__(self, tokens: Iterator[_Token]) -> None:
        self._tokens = tokens
        self._now = next(tokens)
        self._lines: dict[KeyPath, int] = {}
        self._tables: Counter[KeyPath] = Counter()  # how often each [[array of tables]] was opened

    def find(self) -> dict[KeyPath, int]:
        table: KeyPath = ()
        while self._now.text != _END:
            if self._at("\n"):
                self._step()
            elif self._at("["):
                table = self._header()
            else:
                self._pair(table)
        return self._lines

    def _at(self, mark: str) -> bool:
        return self._now.kind == "mark" and self._now.text == mark

    def _step(self) -> _Token:
        token = self._now
        self._now = next(self._tokens, token)
        return token

    def _header(self) -> KeyPath:
        line = self._step().line
        is_array = self._at("[")
        if is_array:
            self._step()
        *parents, last = self._key("]")
        path: KeyPath = ()
        for part in parents:
            path = self._latest((*path, part))
        path = (*path, last)
        if is_array:
            self._step()
            self._tables[path] += 1
            self._lines.setdefault(path, line)
        path = self._latest(path)
        self._lines[path] = line
        return path

    def _latest(self, path: KeyPath) -> KeyPath:
        """Where keys below `path` go: into the latest table when it is an array of tables."""
        return (*path, self._tables[path] - 1) if path in self._tables else path

    def _key(self, until: str) -> list[str]:
        parts: list[str] = []
        while not self._at(until) and self._now.text != _END:
            token = self._step()
            if token.kind == "string":
                parts.append(str(tomllib.loads(f"x = {token.text}")["x"]))
            else:
                parts += [part for part in token.text.split(".") if part]
        self._step()
        return parts

    def _pair(self, table: KeyPath) -> None:
        line = self._now.line
        path = table
        for part in self._key("="):
            path = (*path, part)
            self._lines.setdefault(path, line)
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        if self._at("["):
            self._array(path)
        elif self._at("{"):
            self._inline_table(path)
        else:
            while self._now.kind != "mark":  # a date and its time are two tokens
                self._step()

    def _array(self, path: KeyPath) -> None:
        self._step()
        index = 0
        while not self._at("]") and self._now.text != _END:
            if self._at("\n"):
                self._step()
            elif self._at(","):
                self._step()
                index += 1
            else:
                self._lines[*path, index] = self._now.line
                self._value((*path, index))
        self._step()

    def _inline_table(self, path: KeyPath) -> None:
        self._step()
        while not self._at("}") and self._now.text != _END:
            if self._at(",") or self._at("\n"):
                self._step()
            else:
                self._pair(path)
        self._step()
