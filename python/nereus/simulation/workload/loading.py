# SPDX-License-Identifier: BSD-3-Clause
"""Reads a workload, or a trace alone; what is wrong with it is said with file, line and key."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nereus.config import ConfigError
from nereus.config.document import Document, Place
from nereus.config.errors import fail
from nereus.config.tables import Tables, validated_by
from nereus.config.text import text_of
from nereus.config.toml_reader import read_tables
from nereus.config.validation import problem_at
from nereus.simulation.workload.behaviour import ResizeCostTable, SpeedupTable
from nereus.simulation.workload.disturbances import FailuresTable, StorageTable
from nereus.simulation.workload.model import Generated, PriorityWeights, ReservedCores, SubmittedJob, Workload

#: Of files that are traces alone.
_TRACES = (".swf", ".sacct")
_TABLES: Tables = {
    (): Workload,
    ("generated",): Generated,
    ("jobs",): SubmittedJob,
    ("resize_cost",): ResizeCostTable,
    ("failures",): FailuresTable,
    ("storage",): StorageTable,
    ("speedup",): SpeedupTable,
    ("priority",): PriorityWeights,
    ("reservations",): ReservedCores,
}


def load_workload(path: Path, chosen: Mapping[str, Any]) -> Workload:
    """`chosen`: by options, in place of keys of the same name; one of a table as `failures.mtbf`.

    A ConfigError says what is wrong.
    """
    name = str(path)
    if path.suffix not in _TRACES:
        document = read_tables(text_of(path), name)
        return _with_trace(_validated(document, chosen, name), document, path)
    if "cores" not in chosen:
        raise fail(name, "--cores is missing: a trace does not say how many there are")
    return _validated(Document("toml", {"trace": name}), chosen, name)


def _validated(document: Document, chosen: Mapping[str, Any], name: str) -> Workload:
    for key, value in chosen.items():
        *table, last = key.split(".")
        place = Place("option", f"--{last.replace('_', '-')}")
        if not table:
            document.tree[key] = value
        elif isinstance(found := document.tree.setdefault(table[0], {}), dict):
            document.places.setdefault((table[0],), Place(name, table[0]))
            found[last] = value
        document.places[(*table, last)] = place
    return validated_by(Workload, _TABLES, document, name)


def _with_trace(workload: Workload, document: Document, path: Path) -> Workload:
    """Its file is named as it can be opened from here."""
    if workload.trace is None:
        return workload
    file = path.parent / workload.trace
    if not file.is_file():
        raise ConfigError([problem_at(document, ("trace",), "the name of a file that is there", str(path))])
    return workload.model_copy(update={"trace": str(file)})
