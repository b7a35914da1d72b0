# SPDX-License-Identifier: BSD-3-Clause
"""How Flux writes sets of numbers (its RFC 22) and lists of hosts (RFC 29)."""

import re
from collections.abc import Iterator

from nereus.allocation.contract import AllocationError

_MOST = 1_000_000
_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
# A name with at most one bracket, and a comma or the end.
_PART = re.compile(r"([^\[\],]*)(?:\[([0-9,-]*)\]([^\[\],]*))?(?:,|\Z)")


def numbers_of(text: str) -> tuple[int, ...]:
    """Out of "0-3,7" or "[0-3,7]"."""
    inner = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    return tuple(int(number) for number in _numbers(inner, text))


def names_in(text: str) -> tuple[str, ...]:
    """Out of "n[08-10,12],login": the zeros stay."""
    names: list[str] = []
    position = 0
    while position < len(text):
        part = _PART.match(text, position)
        if part is None or part.end() == position or not part[0].strip(","):
            raise _unreadable(text)
        head, inside, tail = part[1], part[2], part[3] or ""
        names += [head] if inside is None else [f"{head}{n}{tail}" for n in _numbers(inside, text)]
        position = part.end()
        if len(names) > _MOST:
            raise _unreadable(text)
    return tuple(names)


def _numbers(inner: str, text: str) -> Iterator[str]:
    count = 0
    for part in inner.split(","):
        found = _RANGE.fullmatch(part)
        if found is None:
            raise _unreadable(text)
        first, last = int(found[1]), int(found[2] or found[1])
        count += last - first + 1
        if last < first or count > _MOST:
            raise _unreadable(text)
        yield from (str(number).zfill(len(found[1])) for number in range(first, last + 1))


def _unreadable(text: str) -> AllocationError:
    return AllocationError(f"{text[:80]!r}: allowed is a list as Flux writes it, such as n[1-3,7]")
