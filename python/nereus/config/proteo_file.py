# SPDX-License-Identifier: BSD-3-Clause
"""What is common to Proteo's dialects once their syntax is gone: entries with their place."""

from __future__ import annotations

from dataclasses import dataclass, field

from nereus.config.errors import ConfigError, fail, show


@dataclass(frozen=True)
class Entry:
    """One value of the file: a text in INI, anything in JSON."""

    where: str
    key: str
    value: object

    def wrong(self, allowed: str) -> ConfigError:
        """The error that says what this entry may be."""
        return fail(self.where, allowed, self.key, self.text)

    def beside(self, other: str) -> ConfigError:
        """The error that this entry and another key say the same."""
        return fail(self.where, f"{other} is there too; one of them is allowed", self.key, self.text)

    @property
    def text(self) -> str:
        """The value as the file has it."""
        return show(self.value)[1:-1] if isinstance(self.value, str) else show(self.value)


@dataclass
class Table:
    """Entries by key, and where the table begins."""

    where: str
    title: str
    entries: dict[str, Entry] = field(default_factory=dict)

    def needed(self, key: str, meaning: str) -> Entry:
        """The entry of `key`, without which the file means nothing."""
        if key not in self.entries:
            raise fail(self.where, f"is missing: {meaning}", f"{self.title}.{key}")
        return self.entries[key]


@dataclass
class ProteoPhase:
    """A phase and its stages; a flat file has one phase whose iterations follow from the groups."""

    table: Table
    stages: list[Table] = field(default_factory=list)


@dataclass
class ProteoFile:
    """Everything a Proteo file says."""

    dialect: str
    general: Table
    phases: list[ProteoPhase] = field(default_factory=list)
    groups: list[Table] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


#: The same number, in Proteo and in Proteo 2024, section 4.4.
TOTAL_RESIZES = ("Total_Resizes", "Total_Reconfigurations")
#: There, in place of SDR and ADR: bytes of both, and the percentage of ADR.
TOTAL_DATA, CONSTANT_PERCENTAGE = "Total_Data_Redistribution", "Asynch_Percentage_Redistribution"
#: Names of that section that no version of Proteo's code knows.
PAPER_KEYS = (TOTAL_RESIZES[1], TOTAL_DATA, CONSTANT_PERCENTAGE)
GENERAL_KEYS = (
    "Total_Resizes",
    *PAPER_KEYS,
    "Total_Phases",
    "Total_Stages",
    "Granularity",
    "SDR",
    "ADR",
    "Datasize",
    "Rigid",
    "Capture_Method",
)
PHASE_KEYS = ("Total_Iters", "Total_Stages")
STAGE_KEYS = (
    "Stage_Type",
    "Stage_Bytes",
    "Stage_Time",
    "Stage_Time_Capped",
    "Granularity",
    "Stage_Identifier",
    "Stage_Involved_Procs",
)
GROUP_KEYS = (
    "Iters",
    "Procs",
    "FactorS",
    "Dist",
    "Redistribution_Method",
    "Redistribution_Strategy",
    "Spawn_Method",
    "Spawn_Strategy",
)
