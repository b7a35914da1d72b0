# SPDX-License-Identifier: BSD-3-Clause
"""What size `nereus resize` asks for: so many processes, or more hosts, or fewer."""

import re
from dataclasses import dataclass
from typing import Any

from nereus.cli.messages import Refused
from nereus.launch.hosts import is_name

_MOST = 2**31 - 1
_MORE_HOSTS = re.compile(r"\+([1-9][0-9]{0,5})(?:nodes?|hosts?)")
# By which the job answers that hosts were not granted before nobody waits for the answer any more.
_ANSWERED_BEFORE = 0.9


@dataclass(frozen=True)
class WantedSize:
    """`ranks`: None where they follow from the hosts."""

    ranks: int | None = None
    change: str = ""
    count: int = 0
    names: tuple[str, ...] = ()

    @property
    def hosts(self) -> bool:
        """Whether hosts are asked for or given back."""
        return bool(self.change)

    def question(self, timeout: float | None) -> dict[str, Any]:
        """For the job; `timeout`: how long its answer is waited for, None: not at all."""
        if not self.change:
            return {"kind": "resize", "ranks": self.ranks}
        hosts = {"change": self.change, "count": self.count, "names": list(self.names)}
        patience = None if timeout is None else _ANSWERED_BEFORE * timeout
        return {"kind": "hosts", **hosts, "ranks": self.ranks, "patience": patience}


def wanted_size(size: str | None, grow_to: str | None, release: str | None) -> WantedSize:
    """Out of the words of the command line: hosts come or go in one way at a time, if at all."""
    more = _MORE_HOSTS.fullmatch(size or "")
    if sum((more is not None, grow_to is not None, release is not None)) > 1:
        raise Refused("+Nnodes, --grow-to and --release: only one of them is allowed")
    if more is not None:
        return WantedSize(change="grow", count=int(more[1]))
    ranks = _ranks(size) if size is not None else None
    if grow_to is not None:
        return WantedSize(ranks, "grow", names=_names("--grow-to", grow_to))
    if release is not None:
        count = _number(release)
        names = () if count else _names("--release", release)
        return WantedSize(ranks, "release", count or 0, names)
    if ranks is None:
        raise Refused("RANKS, +Nnodes, --grow-to or --release: one of them is needed")
    return WantedSize(ranks)


def _ranks(text: str) -> int:
    number = _number(text)
    if number is None:
        raise Refused(f"RANKS = {text}: allowed is 1 .. {_MOST}, or +Nnodes for N more hosts")
    return number


def _number(text: str) -> int | None:
    """None where it is none, or not allowed."""
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(_MOST))
    return int(text) if is_number and 1 <= int(text) <= _MOST else None


def _names(option: str, text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    wrong = next((name for name in names if not is_name(name)), None)
    if wrong is not None:
        raise Refused(
            f"{option} = {text}: {wrong or 'an empty name'} is no name of a host; allowed is NAME,..."
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Refused(f"{option} = {text}: {twice} is there twice")
    return names
