# SPDX-License-Identifier: BSD-3-Clause
"""How the events of a file are written: a line of JSON each, or one after the other in CBOR (RFC 8742)."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from io import BufferedReader
from pathlib import Path
from typing import Any

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


def _cbor_items(path: Path, file: BufferedReader) -> Iterator[Item]:
    import cbor2

    number = 0
    while file.peek(1):
        number += 1
        where = f"{path}: event {number}"
        try:
            value = cbor2.load(file)
            text = json.dumps(value, allow_nan=False).encode()
        except (cbor2.CBORError, ValueError, TypeError, RecursionError):
            raise DamagedError(where) from None
        yield Item(where, value, text)
