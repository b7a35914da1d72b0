# SPDX-License-Identifier: BSD-3-Clause
"""Reads Proteo's JSON."""

from __future__ import annotations

import json
from typing import Any

from nereus import printable
from nereus.config.document import Document, KeyPath, path_text
from nereus.config.errors import fail, show
from nereus.config.json_lines import json_lines
from nereus.config.proteo import translated
from nereus.config.proteo_codes import Codes
from nereus.config.proteo_file import (
    GENERAL_KEYS,
    GROUP_KEYS,
    PHASE_KEYS,
    STAGE_KEYS,
    TOTAL_DATA,
    TOTAL_RESIZES,
    Entry,
    ProteoFile,
    ProteoPhase,
    Table,
)
from nereus.config.proteo_values import whole


def read_json(text: str, name: str, codes: Codes | None) -> Document:
    """The document in `text`; `name` is how messages call the file."""
    tree = _parse(text, name)
    return translated(_Reader(tree, json_lines(text), name).read(), name, codes)


def _parse(text: str, name: str) -> dict[str, Any]:
    try:
        tree = json.loads(text)
    except json.JSONDecodeError as error:
        raise fail(f"{name}:{error.lineno}", f"JSON syntax: {error.msg}") from None
    except RecursionError:
        raise fail(f"{name}:1", "JSON syntax: values are nested too deeply") from None
    except ValueError as error:  # a number with more digits than Python converts
        raise fail(f"{name}:1", f"JSON syntax: {error}") from None
    if not isinstance(tree, dict):
        raise fail(f"{name}:1", "an object with general, phases and groups")
    return tree


class _Reader:
    """Takes the tree apart into tables of entries that know their line."""

    def __init__(self, tree: dict[str, Any], lines: dict[KeyPath, int], name: str) -> None:
        self._tree = tree
        self._lines = lines
        self._name = name
        self._warnings: list[str] = []

    def read(self) -> ProteoFile:
        self._warn_unknown((), self._tree, ("general", "phases", "groups"))
        general = self._table(("general",), self._tree.get("general"), GENERAL_KEYS)
        phases = [
            self._phase(path, value) for path, value in self._list(("phases",), self._tree.get("phases"))
        ]
        groups = [
            self._table(path, value, GROUP_KEYS)
            for path, value in self._list(("groups",), self._tree.get("groups"))
        ]
        self._check_length(general, "Total_Phases", len(phases), "phases")
        resizes, others = TOTAL_RESIZES
        if others in general.entries:
            if resizes in general.entries:
                raise general.entries[others].beside(resizes)
            resizes = others
        self._check_length(general, resizes, len(groups) - 1, "groups less one")
        if TOTAL_DATA not in general.entries:
            for key in ("SDR", "ADR"):
                general.needed(key, "elements of data, 0 or more")
        return ProteoFile("proteo-json", general, phases, groups, self._warnings)

    def _where(self, path: KeyPath) -> str:
        line = next((self._lines[path[:n]] for n in range(len(path), -1, -1) if path[:n] in self._lines), 1)
        return f"{self._name}:{line}"

    def _table(self, path: KeyPath, value: object, known: tuple[str, ...]) -> Table:
        if not isinstance(value, dict):
            text = None if value is None else show(value)
            raise fail(self._where(path), f"an object with {', '.join(known)}", path_text(path), text)
        self._warn_unknown(path, value, known)
        table = Table(self._where(path), path_text(path))
        for key in (key for key in known if key in value):
            here = (*path, key)
            table.entries[key] = Entry(self._where(here), path_text(here), value[key])
        return table

    def _warn_unknown(self, path: KeyPath, value: dict[str, Any], known: tuple[str, ...]) -> None:
        for key in value:
            if key not in known and not (path and path[0] == "phases" and key == "stages"):
                here = (*path, key)
                text = f"{self._where(here)}: {path_text(here)}: unknown key, ignored as Proteo does"
                self._warnings.append(printable(text))

    def _list(self, path: KeyPath, value: object) -> list[tuple[KeyPath, object]]:
        if not isinstance(value, list) or not value:
            text = None if value is None else show(value)
            raise fail(self._where(path), "an array of at least one object", path_text(path), text)
        return [((*path, index), item) for index, item in enumerate(value)]

    def _phase(self, path: KeyPath, value: object) -> ProteoPhase:
        table = self._table(path, value, PHASE_KEYS)
        stages = value.get("stages") if isinstance(value, dict) else None
        items = self._list((*path, "stages"), stages)
        phase = ProteoPhase(table, [self._table(at, item, STAGE_KEYS) for at, item in items])
        self._check_length(table, "Total_Stages", len(phase.stages), "stages")
        return phase

    def _check_length(self, table: Table, key: str, length: int, of: str) -> None:
        entry = table.needed(key, f"the number of {of}")
        if whole(entry, f"a whole number, {length}, the number of {of} in the file") != length:
            raise entry.wrong(f"{length}, the number of {of} in the file")
