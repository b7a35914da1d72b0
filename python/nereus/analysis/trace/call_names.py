# SPDX-License-Identifier: BSD-3-Clause
"""Names of calls that a trace can be limited to, from the table that the monitor's wrappers are made from."""

import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from nereus.analysis.trace.call_kinds import is_collective, is_of_files


def _timed() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each call that a trace has, with its row."""
    table = tomllib.loads((files("nereus.analysis.trace") / "calls.toml").read_text("utf-8"))
    for row in table["moves"]:
        if "timed" in row:
            yield from ((name, row) for name in row.get("calls", "").split())


def _is_of_messages(row: Mapping[str, Any]) -> bool:
    """As generate.py beside the table has it: without all of these, messages have no arrows."""
    is_sent = row.get("envelope", "").startswith("dest")
    return is_sent or not row.get("messages", "communicator_").startswith("communicator_")


def calls_of() -> tuple[frozenset[str], dict[str, frozenset[str]]]:
    """All names, and those of each group."""
    rows = dict(_timed())
    groups = {
        "point-to-point": {name for name, row in rows.items() if _is_of_messages(row)},
        "collective": {name for name in rows if is_collective(name)},
        "one-sided": {name for name, row in rows.items() if row["timed"].startswith("with_target")},
        "file": {name for name in rows if is_of_files(name)},
    }
    return frozenset(rows), {name: frozenset(members) for name, members in groups.items()}


def named_calls(text: str) -> list[str]:
    """Of `Barrier,point-to-point`, sorted; ValueError where one is neither a call nor a group."""
    names, groups = calls_of()
    found: set[str] = set()
    for word in text.split(","):
        if word in groups:
            found |= groups[word]
        elif word.removeprefix("MPI_") in names:
            found.add(word.removeprefix("MPI_"))
        else:
            allowed = f"allowed are names such as Send, and {', '.join(groups)}"
            raise ValueError(f"{word!r} is no call of MPI that is traced; {allowed}")
    return sorted(found)
