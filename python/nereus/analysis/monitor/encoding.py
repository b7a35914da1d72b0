# SPDX-License-Identifier: BSD-3-Clause
"""How the events of a file are written: a line of JSON each, or one after the other in CBOR (RFC 8742)."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from io import BufferedIOBase, BufferedReader
from pathlib import Path
from typing import IO, Any, NoReturn, cast

from nereus.reading import MOST_OF_AN_EVENT


class Encoding(StrEnum):
    """Of a whole file."""

    JSON = "json"
    CBOR = "cbor"


class DamagedError(Exception):
    """An event that is cut or damaged; `where` in the file."""

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self.where = where


def encoded(event: Mapping[str, Any], encoding: Encoding) -> bytes:
    """An event with its end."""
    if encoding is Encoding.JSON:
        return json.dumps(event).encode() + b"\n"
    import cbor2

    return cbor2.dumps(dict(event))


@dataclass(frozen=True)
class Item:
    """Where in the file it stands, what it is, and that as JSON."""

    where: str
    value: Any
    text: bytes


def items_in(path: Path) -> Iterator[Item]:
    """All that stands in a file. DamagedError at the first that is cut or damaged; OSError."""
    with path.open("rb") as file:
        is_text = file.peek(1)[:1] in (b"{", b"")  # a map in CBOR begins with another byte
        yield from (_lines if is_text else _cbor_items)(path, file)


def _lines(path: Path, file: BufferedReader) -> Iterator[Item]:
    number = 0
    while raw := file.readline(MOST_OF_AN_EVENT + 1):
        number += 1
        if not raw.strip():
            continue
        where = f"{path}:{number}"
        if len(raw) > MOST_OF_AN_EVENT:
            raise DamagedError(where)
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError):
            raise DamagedError(where) from None
        yield Item(where, value, raw)


# What refers to something that came before, which a few bytes could make endless, and integers of any length.
_REFUSED_TAGS = (2, 3, 25, 28, 29, 256)


def _refuse(*_: Any) -> NoReturn:
    raise ValueError("a record has no tags")


class _OneEvent(BufferedIOBase):
    """The file from where it is, up to the size of an event."""

    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        self._end = file.tell() + MOST_OF_AN_EVENT

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, *where: int) -> int:
        return self._file.seek(*where)

    def tell(self) -> int:
        return self._file.tell()

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell() > self._end:
            raise ValueError("an event is not as long")
        return self._file.read(size)


def _cbor_items(path: Path, file: BufferedReader) -> Iterator[Item]:
    import cbor2

    number = 0
    while file.peek(1):
        number += 1
        where = f"{path}: event {number}"
        try:
            value = cbor2.load(
                cast(IO[bytes], _OneEvent(file)),
                tag_hook=_refuse,
                semantic_decoders=dict.fromkeys(_REFUSED_TAGS, _refuse),
            )
            text = json.dumps(value, allow_nan=False).encode()
        except (cbor2.CBORError, ValueError, TypeError, RecursionError):
            raise DamagedError(where) from None
        yield Item(where, value, text)
