# SPDX-License-Identifier: BSD-3-Clause
"""Translates what a Proteo file says into our words (docs/formats/proteo.md)."""

from __future__ import annotations

from typing import Any

from nereus import printable
from nereus.config.document import Document, KeyPath, Place
from nereus.config.errors import fail
from nereus.config.proteo_codes import CAPTURES, STAGES, Codes, choose_codes
from nereus.config.proteo_file import (
    CONSTANT_PERCENTAGE,
    PAPER_KEYS,
    TOTAL_DATA,
    Entry,
    ProteoFile,
    ProteoPhase,
    Table,
)
from nereus.config.proteo_methods import process_method, transfer, without_intercomm
from nereus.config.proteo_values import code, flag, raw_codes, real, whole
from nereus.stages import BY_ID, COMPUTE

DEFAULT_GRANULARITY = 600
SECONDS = "seconds, 0 or more"
METHODS = {
    "Spawn_Method": "process_method",
    "Spawn_Strategy": "process_strategies",
    "Redistribution_Method": "transfer_method",
    "Redistribution_Strategy": "transfer_strategy",
}


def translated(file: ProteoFile, name: str, codes: Codes | None) -> Document:
    """The document that the file stands for, its codes read as `codes` or as its shape suggests."""
    return _Translator(file, codes or _generation(file, name)).document()


def _generation(file: ProteoFile, name: str) -> Codes:
    paper_key = next((key for key in PAPER_KEYS if key in file.general.entries), "")
    if file.dialect != "proteo-flat-ini" and not paper_key:
        return "new"
    stages = [stage for phase in file.phases for stage in phase.stages]
    chosen, reason = choose_codes(
        _all_codes(stages, "Stage_Type"),
        [_all_codes([group], "Spawn_Strategy") for group in file.groups],
        [_all_codes([group], "Redistribution_Strategy") for group in file.groups],
        "Datasize" in file.general.entries or any("Stage_Identifier" in stage.entries for stage in stages),
        paper_key,
    )
    if chosen is None:
        text = f"cannot tell which of Proteo's codes it has: {reason}; use --proteo-codes paper, old or new"
        raise fail(name, text)
    others = " or ".join(codes for codes in STAGES if codes != chosen)
    text = f"read with the {chosen} codes of Proteo, because {reason}; --proteo-codes {others} takes others"
    file.warnings.append(printable(f"{name}: {text}"))
    return chosen


def _all_codes(tables: list[Table], key: str) -> list[int]:
    return [number for table in tables if key in table.entries for number in raw_codes(table.entries[key])]


class _Translator:
    """Builds the tree of our model and notes where each value came from."""

    def __init__(self, file: ProteoFile, codes: Codes) -> None:
        self._file = file
        self._codes = codes
        self._places: dict[KeyPath, Place] = {}
        self._warnings = file.warnings

    def document(self) -> Document:
        file = self._file
        as_its_code = {"factor_scales": "all", "reduction": "max"}
        tree: dict[str, Any] = {"data": self._data(), **self._measuring(), **as_its_code}
        tree["groups"] = [self._group(index) for index in range(len(file.groups))]
        tree["phases"] = [self._phase(index, phase) for index, phase in enumerate(file.phases)]
        if file.dialect == "proteo-flat-ini":
            tree["phases"][0]["iterations"] = self._iterations_of_groups(tree["groups"])
        return Document(file.dialect, tree, self._places, self._warnings)

    def _note(self, path: KeyPath, entry: Entry) -> None:
        self._places[path] = Place(entry.where, entry.key, entry.text)

    def _warn(self, entry: Entry, text: str) -> None:
        self._warnings.append(printable(f"{entry.where}: {entry.key} = {entry.text}: {text}"))

    def _count(self, path: KeyPath, entry: Entry, least: int = 0, cut: bool = False) -> int:
        allowed = f"a whole number, {least} or more"
        value = whole(entry, allowed, cut)
        if value < least:
            raise entry.wrong(allowed)
        self._note(path, entry)
        return value

    def _data(self) -> dict[str, Any]:
        general = self._file.general.entries
        data: dict[str, Any] = {"element_bytes": 1}
        if "Datasize" in general:
            data["element_bytes"] = code(general["Datasize"], {1: "byte", 2: "bytes", 4: "bytes", 8: "bytes"})
            self._note(("data", "element_bytes"), general["Datasize"])
        if TOTAL_DATA in general or CONSTANT_PERCENTAGE in general:
            return data | self._total_and_share()
        for key, ours in (("SDR", "variable_bytes"), ("ADR", "constant_bytes")):
            if key in general:
                data[ours] = self._count(("data", ours), general[key], cut=True) * data["element_bytes"]
        return data

    def _total_and_share(self) -> dict[str, Any]:
        """As Proteo 2024 has them in section 4.4."""
        general = self._file.general
        total = general.needed(TOTAL_DATA, "bytes to redistribute, 0 or more")
        percentage = general.needed(CONSTANT_PERCENTAGE, "percentage of constant data, 0 to 100")
        for key in ("SDR", "ADR"):
            if key in general.entries:
                raise general.entries[key].beside(TOTAL_DATA)
        self._note(("data", "constant_percent"), percentage)
        return {
            "bytes": self._count(("data", "bytes"), total, cut=True),
            "constant_percent": real(percentage, "a number from 0 to 100"),
        }

    def _measuring(self) -> dict[str, Any]:
        general = self._file.general.entries
        tree: dict[str, Any] = {}
        if "Rigid" in general:
            tree["barrier"] = flag(general["Rigid"])
            self._note(("barrier",), general["Rigid"])
        if "Capture_Method" in general:
            tree["capture"] = CAPTURES[code(general["Capture_Method"], dict(enumerate(CAPTURES)))]
            self._note(("capture",), general["Capture_Method"])
        return tree

    def _iterations_of_groups(self, groups: list[dict[str, Any]]) -> int:
        """A flat file has no total: each group runs its own iterations, the last one too."""
        self._note(("phases", 0, "iterations"), self._file.groups[-1].entries["Iters"])
        return sum(group["iterations"] for group in groups)

    def _phase(self, index: int, phase: ProteoPhase) -> dict[str, Any]:
        path: KeyPath = ("phases", index)
        self._places[path] = Place(phase.table.where, phase.table.title)
        tree: dict[str, Any] = {}
        if self._file.dialect != "proteo-flat-ini":
            entry = phase.table.needed("Total_Iters", "iterations of the phase, 1 or more")
            tree["iterations"] = self._count((*path, "iterations"), entry, 1)
        tree["stages"] = [self._stage((*path, "stages", n), table) for n, table in enumerate(phase.stages)]
        self._bind_unnamed(tree["stages"])
        return tree

    def _stage(self, path: KeyPath, table: Table) -> dict[str, Any]:
        self._places[path] = Place(table.where, table.title)
        names = STAGES[self._codes]
        entry = table.needed("Stage_Type", "the number of a stage type")
        stage: dict[str, Any] = {"type": names[code(entry, names)]}
        self._note((*path, "type"), entry)
        stage |= self._amounts(path, table)
        self._keep_what_has_effect(table, stage)
        granularity = table.entries.get("Granularity", self._file.general.entries.get("Granularity"))
        if stage["bytes"] == 0 and stage["type"] != "wait":  # else it has no effect
            stage["granularity"] = DEFAULT_GRANULARITY
            if granularity is not None:
                stage["granularity"] = self._count((*path, "granularity"), granularity, 1)
        if stage["type"] in BY_ID:
            stage["id"] = self._identifier(path, table)
        return stage

    def _amounts(self, path: KeyPath, table: Table) -> dict[str, Any]:
        """Time, bytes and limits as the file has them."""
        entries = table.entries
        time = table.needed("Stage_Time", SECONDS)
        amounts: dict[str, Any] = {"time": real(time, SECONDS), "bytes": 0, "capped": False, "ranks": 0}
        if amounts["time"] < 0:
            raise time.wrong(SECONDS)
        self._note((*path, "time"), time)
        for key, ours in (("Stage_Bytes", "bytes"), ("Stage_Involved_Procs", "ranks")):
            if key in entries:
                amounts[ours] = self._count((*path, ours), entries[key])
        if "Stage_Time_Capped" in entries:
            amounts["capped"] = flag(entries["Stage_Time_Capped"])
            self._note((*path, "capped"), entries["Stage_Time_Capped"])
        return amounts

    def _keep_what_has_effect(self, table: Table, stage: dict[str, Any]) -> None:
        """Takes out, with a warning, what Proteo's emulator does not look at."""

        def drop(key: str, ours: str, why: str) -> None:
            if stage[ours]:
                self._warn(table.entries[key], f"of no effect, as in Proteo: {why}")
                stage[ours] = type(stage[ours])()

        kind = stage["type"]
        if kind in (*COMPUTE, *BY_ID):
            drop("Stage_Time_Capped", "capped", f"a stage of type {kind} is not capped")
        if kind in (*COMPUTE, "wait") or stage["capped"]:
            drop(
                "Stage_Bytes",
                "bytes",
                f"a stage of type {kind}{' that is capped' * stage['capped']} has none",
            )
        if kind not in ("write", "read"):
            drop("Stage_Involved_Procs", "ranks", "only stages that write or read look at it")
        if kind == "wait":
            drop("Stage_Time", "time", "the wait ends with what it waits for")
        if stage["bytes"]:
            drop("Stage_Time", "time", "Stage_Bytes asks for one operation, however long")

    def _identifier(self, path: KeyPath, table: Table) -> int | None:
        if "Stage_Identifier" not in table.entries:
            return None
        entry = table.entries["Stage_Identifier"]
        self._note((*path, "id"), entry)
        value = whole(entry, "a whole number, -1 (none) or more")
        if value < -1:
            raise entry.wrong("a whole number, -1 (none) or more")
        return None if value == -1 else value

    @staticmethod
    def _bind_unnamed(stages: list[dict[str, Any]]) -> None:
        """In Proteo stages without identifier share the identifier -1; ours get a number that is free."""
        used = {stage.get("id") for stage in stages}
        free = next(number for number in range(len(stages) + 1) if number not in used)
        for stage in stages:
            if stage["type"] in BY_ID and stage["id"] is None:
                stage["id"] = free

    def _group(self, index: int) -> dict[str, Any]:
        table = self._file.groups[index]
        path: KeyPath = ("groups", index)
        self._places[path] = Place(table.where, table.title)
        ranks = self._count((*path, "ranks"), table.needed("Procs", "processes, 1 or more"), 1)
        iterations = self._count((*path, "iterations"), table.needed("Iters", "iterations, 0 or more"))
        group: dict[str, Any] = {"ranks": ranks, "iterations": iterations}
        if "FactorS" in table.entries:
            group["factor"] = real(table.entries["FactorS"], "a number above 0")
            self._note((*path, "factor"), table.entries["FactorS"])
        if "Dist" in table.entries:
            group["placement"] = self._placement(table.entries["Dist"])
            self._note((*path, "placement"), table.entries["Dist"])
        if index > 0:
            self._methods(path, table, group, int(self._file_ranks(index - 1)))
        return group

    def _file_ranks(self, index: int) -> int:
        return whole(self._file.groups[index].entries["Procs"], "processes, 1 or more")

    def _placement(self, entry: Entry) -> str:
        if entry.value not in ("compact", "spread"):
            self._warn(entry, "compact, as in Proteo; known are compact and spread")
            return "compact"
        return str(entry.value)

    def _methods(self, path: KeyPath, table: Table, group: dict[str, Any], before: int) -> None:
        method, strategies, notes = process_method(table, self._codes, shrinks=group["ranks"] < before)
        moved_by, group["transfer_strategy"], transfer_notes = transfer(table, self._codes)
        method, intercomm_notes = without_intercomm(method, moved_by, table)
        group["process_method"], group["process_strategies"] = method, strategies
        group["transfer_method"] = moved_by
        group["survivors"] = "first"  # the only choice that Proteo knows
        for entry, text in [*notes, *intercomm_notes, *transfer_notes]:
            self._warn(entry, text)
        for key, ours in METHODS.items():
            if key in table.entries:
                self._note((*path, ours), table.entries[key])
