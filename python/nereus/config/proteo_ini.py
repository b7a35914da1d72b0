# SPDX-License-Identifier: BSD-3-Clause
"""Reads Proteo's INI: with phases, and the old flat form.

The order of keys matters: Stage_Time closes a stage and Spawn_Strategy a resize. A key that comes after is
lost in Proteo's reader; here it is lost with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nereus import printable
from nereus.config.document import Document
from nereus.config.errors import fail
from nereus.config.proteo import translated
from nereus.config.proteo_codes import Codes
from nereus.config.proteo_file import (
    GENERAL_KEYS,
    GROUP_KEYS,
    PHASE_KEYS,
    STAGE_KEYS,
    TOTAL_RESIZES,
    Entry,
    ProteoFile,
    ProteoPhase,
    Table,
)
from nereus.config.proteo_values import whole

MOST = 10_000  # phases, stages or resizes; a larger number is a slip of the pen
_SECTION = re.compile(r"(?P<general>general)|phase(?P<phase>\d{1,6})(?:\.stage(?P<phase_stage>\d{1,6}))?"
                      r"|stage(?P<stage>\d{1,6})|resize(?P<resize>\d{1,6})", re.ASCII)  # fmt: skip


@dataclass(frozen=True)
class _Line:
    where: str
    section: str
    key: str
    value: str


def read_ini(text: str, name: str, codes: Codes | None) -> Document:
    """The document in `text`; `name` is how messages call the file."""
    lines = list(_lines(text, name))
    has_phases = any(line.section.startswith("phase") or line.key == "Total_Phases" for line in lines)
    return translated(_Reader(name, flat=not has_phases).read(lines), name, codes)


def _lines(text: str, name: str) -> Iterator[_Line]:
    """The `key = value` lines with their section, by the rules of the inih library that Proteo uses."""
    section, previous = "", False
    for number, raw in enumerate(text.split("\n"), start=1):
        line, where = raw.strip(), f"{name}:{number}"
        if not line or line[0] in ";#":
            continue
        if previous and raw[0].isspace():
            raise fail(where, "INI syntax: in Proteo an indented line continues the value above")
        if line[0] == "[":
            end = line.find("]")
            if end < 0:
                raise fail(where, "INI syntax: a section is written as [general]")
            section, previous = line[1:end].strip(), False
            continue
        key, separator, value = _split(line)
        if not separator:
            raise fail(where, "INI syntax: a line is [section], key = value, or a comment after ';'")
        previous = True
        yield _Line(where, section, key.strip(), _without_comment(value).strip())


def _split(line: str) -> tuple[str, str, str]:
    found = re.search("[=:]", line)
    return (line[: found.start()], found[0], line[found.end() :]) if found else (line, "", "")


def _without_comment(value: str) -> str:
    comment = re.search(r"\s;", value)
    return value[: comment.start()] if comment else value


class _Reader:
    """Fills in phases, stages and groups one after the other, as Proteo's reader does."""

    def __init__(self, name: str, flat: bool) -> None:
        self._flat = flat
        self._file = ProteoFile("proteo-flat-ini" if flat else "proteo-ini", Table(f"{name}:1", "general"))
        self._totals: dict[str, int] = {}
        self._stage_totals: list[int | None] = []
        self._stage: Table | None = None
        self._group: Table | None = None
        self._last_where = f"{name}:1"
        if flat:
            self._open_phase(self._file.general)

    def read(self, lines: list[_Line]) -> ProteoFile:
        for line in lines:
            self._last_where = line.where
            if not self._take(line):
                self._file.warnings.append(
                    printable(f"{line.where}: [{line.section}] {line.key}: {self._lost(line)}")
                )
        self._check_complete()
        return self._file

    def _take(self, line: _Line) -> bool:
        """Whether the line was of use."""
        match = _SECTION.fullmatch(line.section)
        if match is None:
            return False
        if match["general"]:
            return self._take_general(line)
        if match["resize"]:
            return self._take_group(line, match["resize"])
        if self._flat:
            return match["stage"] is not None and self._take_stage(line, match["stage"])
        if match["phase"] is None:
            return False
        if match["phase_stage"] is None:
            return self._take_phase(line, match["phase"])
        is_current = match["phase"] == str(len(self._file.phases) - 1)
        return is_current and self._take_stage(line, match["phase_stage"])

    def _take_general(self, line: _Line) -> bool:
        known = [key for key in GENERAL_KEYS if self._flat or key not in ("Total_Stages", "Granularity")]
        if line.key not in known:
            return False
        entry = _put(self._file.general, line)
        if line.key in TOTAL_RESIZES:
            other = next((key for key in TOTAL_RESIZES if key != line.key), "")
            if other in self._file.general.entries:
                raise entry.beside(other)
            self._totals["Total_Resizes"] = _total(entry, 0)
        elif line.key == "Total_Phases":
            self._totals[line.key] = _total(entry, 1)
        elif line.key == "Total_Stages":
            self._stage_totals[0] = _total(entry, 1)
        return True

    def _take_phase(self, line: _Line, index: str) -> bool:
        if line.key not in PHASE_KEYS:
            return False
        phases = self._file.phases
        if (
            index == str(len(phases))
            and len(phases) < self._totals.get("Total_Phases", 1)
            and self._is_phase_full()
        ):
            self._open_phase(Table(line.where, line.section))
        if index != str(len(phases) - 1) or (self._is_phase_full() and phases[-1].stages):
            return False
        entry = _put(phases[-1].table, line)
        if line.key == "Total_Stages":
            self._stage_totals[-1] = _total(entry, 1)
        return True

    def _open_phase(self, table: Table) -> None:
        self._file.phases.append(ProteoPhase(table))
        self._stage_totals.append(None)

    def _is_phase_full(self) -> bool:
        return not self._file.phases or len(self._file.phases[-1].stages) == self._stage_totals[-1]

    def _take_stage(self, line: _Line, index: str) -> bool:
        stages = self._file.phases[-1].stages
        total = self._stage_totals[-1]
        if line.key not in STAGE_KEYS or index != str(len(stages)) or total is None or len(stages) >= total:
            return False
        self._stage = self._stage or Table(line.where, line.section)
        _put(self._stage, line)
        if line.key == "Stage_Time":
            stages.append(self._stage)
            self._stage = None
        return True

    def _take_group(self, line: _Line, index: str) -> bool:
        groups = self._file.groups
        total = self._totals.get("Total_Resizes", 0) + 1
        if line.key not in GROUP_KEYS or index != str(len(groups)) or len(groups) >= total:
            return False
        self._group = self._group or Table(line.where, line.section)
        _put(self._group, line)
        if line.key == "Spawn_Strategy":
            groups.append(self._group)
            self._group = None
        return True

    def _lost(self, line: _Line) -> str:
        """Why a line is of no use."""
        match = _SECTION.fullmatch(line.section)
        if match is None or line.key not in _keys_of(match):
            return "unknown key, ignored as Proteo does"
        if match["resize"]:
            index, done, closer = match["resize"], len(self._file.groups), "Spawn_Strategy"
            total = self._totals.get("Total_Resizes", 0) + 1
        else:
            index = match["stage"] or match["phase_stage"] or match["phase"] or "0"
            done, closer, total = (
                len(self._file.phases[-1].stages) if self._file.phases else 0,
                "Stage_Time",
                None,
            )
        if total is not None and int(index) >= total:
            return f"lost, as in Proteo: Total_Resizes announces no resize{index}"
        if int(index) < done:
            return f"lost, as in Proteo: it comes after {closer}, which closes the section"
        return "lost, as in Proteo: sections come in the order of their numbers, after their totals"

    def _check_complete(self) -> None:
        phases, groups = self._file.phases, self._file.groups
        for phase, total in zip(phases, self._stage_totals, strict=True):
            if total is None:
                raise fail(
                    phase.table.where, "is missing: the number of stages", f"{phase.table.title}.Total_Stages"
                )
            if len(phase.stages) < total:
                self._too_few(self._stage, f"{total} stages", f"stage{len(phase.stages)}", "Stage_Time")
        if len(phases) < self._totals.get("Total_Phases", 1):
            self._too_few(
                None, f"{self._totals.get('Total_Phases', 1)} phases", f"phase{len(phases)}", "Total_Iters"
            )
        total = self._totals.get("Total_Resizes", 0) + 1
        if len(groups) < total:
            self._too_few(self._group, f"{total} groups", f"resize{len(groups)}", "Spawn_Strategy")

    def _too_few(self, opened: Table | None, wanted: str, title: str, closer: str) -> None:
        where, section = (opened.where, opened.title) if opened else (self._last_where, title)
        raise fail(
            where, f"is missing: the file announces {wanted}, and {closer} closes each", f"{section}.{closer}"
        )


def _keys_of(section: re.Match[str]) -> tuple[str, ...]:
    """The keys that Proteo knows in a section."""
    if section["general"]:
        return GENERAL_KEYS
    if section["resize"]:
        return GROUP_KEYS
    return STAGE_KEYS if section["stage"] or section["phase_stage"] else PHASE_KEYS


def _put(table: Table, line: _Line) -> Entry:
    entry = Entry(line.where, f"{line.section}.{line.key}", line.value)
    table.entries[line.key] = entry
    return entry


def _total(entry: Entry, least: int) -> int:
    allowed = f"a whole number from {least} to {MOST}"
    value = whole(entry, allowed)
    if not least <= value <= MOST:
        raise entry.wrong(allowed)
    return value
