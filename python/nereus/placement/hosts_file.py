# SPDX-License-Identifier: BSD-3-Clause
"""Files of hosts and switches: docs/formats/topology.md."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from nereus.config import ConfigError, Problem
from nereus.config.document import Document, KeyPath
from nereus.config.suggest import unknown_key
from nereus.config.text import text_of
from nereus.config.toml_reader import read_tables
from nereus.config.validation import problem_at
from nereus.placement.hosts_tree import Node, WrongTreeError, levels_above, ordered
from nereus.placement.program import inside_of, inside_of_words
from nereus.placement.topology import MOST_COST, MOST_SLOTS, Inside, Topology, of_hosts

_NAMES = "a name, or several as n[1-8] or n[01-16,20]"
_RANGE = re.compile(
    r"(?P<head>[^\[\]]*)\[(?P<list>[0-9]{1,9}(?:-[0-9]{1,9})?(?:,[0-9]{1,9}(?:-[0-9]{1,9})?)*)\](?P<tail>[^\[\]]*)"
)
_ONE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}")
_MOST_NAMES = 1_000_000

Costs = dict[str, Annotated[float, Field(ge=0, le=MOST_COST)]]
Bandwidths = dict[str, Annotated[float, Field(ge=1 / MOST_COST, le=MOST_COST)]]


class Part(BaseModel):
    """What the tables of the file have in common."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class Hosts(Part):
    name: str = Field(description=_NAMES)
    slots: int | None = Field(None, ge=1, le=MOST_SLOTS, description=f"a whole number from 1 to {MOST_SLOTS}")
    inside: str | None = Field(None, description='what is in the host, as "package:2 core:10"')
    xml: str | None = Field(None, description="the name of a file of hwloc")


class Switch(Part):
    name: str = Field(description=_NAMES)
    level: str = Field("switch", description="what switches of this depth are called")
    below: list[str] = Field(min_length=1, description="names of hosts or of switches, as n[1-8]")


class File(Part):
    hosts: list[Hosts] = Field(min_length=1, description="[[hosts]] tables, at least one")
    switches: list[Switch] = Field([], description="[[switches]] tables")
    costs: Costs = Field({}, description=f"a table of numbers from 0 to {MOST_COST:g}, by levels")
    bandwidths: Bandwidths = Field(
        {}, description=f"a table of bytes/s from {1 / MOST_COST:g} to {MOST_COST:g}, by levels"
    )


_TABLES: dict[tuple[str, ...], type[BaseModel]] = {(): File, ("hosts",): Hosts, ("switches",): Switch}


def read_hosts_file(path: Path, threads: bool = False) -> Topology:
    """A ConfigError says what is wrong, with its line; `threads`: slots are threads where they are told."""
    name = str(path)
    document = read_tables(text_of(path), name)
    return _Reading(path, document, _validated(document, name), threads).topology()


class _Reading:
    def __init__(self, path: Path, document: Document, file: File, threads: bool) -> None:
        self.path, self.document, self.file, self.threads = path, document, file, threads

    def topology(self) -> Topology:
        hosts = dict(self._hosts())
        tree = self._tree(hosts)
        names = ordered(tree)
        insides = [hosts[name] for name in names]
        self._check_levels(insides)
        slots = sum(inside.slots for inside in insides)
        if slots > MOST_SLOTS:
            raise self._wrong(("hosts",), f"up to {MOST_SLOTS} slots, not {slots}, are allowed")
        alone = len(names) == 1 and not self.file.switches
        topology = of_hosts(names, insides, () if alone else levels_above(tree))
        return self._with_costs(topology)

    def _hosts(self) -> Iterator[tuple[str, Inside]]:
        seen: set[str] = set()
        for at, table in enumerate(self.file.hosts):
            inside = self._inside(at, table)
            for name in self._names(table.name, ("hosts", at, "name")):
                if name in seen:
                    raise self._wrong(("hosts", at, "name"), f"{name} is there twice")
                seen.add(name)
                yield name, inside

    def _inside(self, at: int, table: Hosts) -> Inside:
        told = [key for key in ("slots", "inside", "xml") if getattr(table, key) is not None]
        if len(told) != 1:
            raise self._wrong(("hosts", at), "one of slots, inside and xml is allowed")
        if table.slots is not None:
            return Inside(("slot",), ((table.slots,),))
        if table.inside is not None:
            return inside_of_words(table.inside, self.threads)
        file = self.path.parent / str(table.xml)
        if not file.is_file():
            raise self._wrong(("hosts", at, "xml"), "the name of a file that is there")
        return inside_of(["--xml", str(file)], self.threads)

    def _tree(self, hosts: dict[str, Inside]) -> Node:
        tables = []
        for at, table in enumerate(self.file.switches):
            below = [
                n
                for i, text in enumerate(table.below)
                for n in self._names(text, ("switches", at, "below", i))
            ]
            tables.append((table.name, table.level, below))
        try:
            return Node.of(list(hosts), tables)
        except WrongTreeError as wrong:
            where = ("hosts",) if wrong.switch is None else ("switches", wrong.switch)
            raise self._wrong(where, wrong.what) from None

    def _check_levels(self, insides: Sequence[Inside]) -> None:
        for inside in insides:
            if inside.levels != insides[0].levels:
                one, other = (" ".join(each.levels) for each in (insides[0], inside))
                raise self._wrong(
                    ("hosts",), f"all hosts must have the same levels; there are {one} and {other}"
                )

    def _with_costs(self, topology: Topology) -> Topology:
        costs, bandwidths = self.file.costs, self.file.bandwidths
        if costs and bandwidths:
            raise self._wrong(("bandwidths",), "is allowed without costs only")
        for key, table in (("costs", costs), ("bandwidths", bandwidths)):
            for name in table:
                if name not in topology.levels:
                    raise self._wrong((key, name), unknown_key(name, list(dict.fromkeys(topology.levels))))
        if not bandwidths:
            return topology.with_costs(costs, str(self.path))
        missing = [name for name in dict.fromkeys(topology.levels) if name not in bandwidths]
        if missing:
            raise self._wrong(("bandwidths",), f"is missing: {', '.join(missing)}")
        return topology.with_bandwidths(bandwidths)

    def _names(self, text: str, where: KeyPath) -> list[str]:
        match = _RANGE.fullmatch(text)
        names = (
            [text]
            if match is None
            else [f"{match['head']}{number}{match['tail']}" for number in _numbers(match["list"])]
        )
        if not names or len(names) > _MOST_NAMES or not all(_ONE.fullmatch(name) for name in names):
            raise self._wrong(where, _NAMES)
        return names

    def _wrong(self, where: KeyPath, allowed: str) -> ConfigError:
        return ConfigError([problem_at(self.document, where, allowed, str(self.path))])


def _numbers(text: str) -> list[str]:
    """ "01-03,7" as 01, 02, 03, 7; too many are cut where the caller refuses them."""
    found: list[str] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        end = min(int(last or first), int(first) + _MOST_NAMES - len(found))
        found += [str(number).zfill(len(first)) for number in range(int(first), end + 1)]
        if len(found) > _MOST_NAMES:
            break
    return found


def _validated(document: Document, name: str) -> File:
    try:
        return File.model_validate(document.tree)
    except ValidationError as error:
        # A misspelt key is told before the missing one that it should have been.
        errors = sorted(error.errors(), key=lambda details: details["type"] != "extra_forbidden")
        raise ConfigError([_problem(document, details, name) for details in errors]) from None


def _problem(document: Document, details: ErrorDetails, name: str) -> Problem:
    path: KeyPath = details["loc"]
    names = tuple(part for part in path if isinstance(part, str))
    table = _TABLES.get(names[:-1], File)
    key = names[-1] if names[:-1] in _TABLES else names[0]
    if key not in table.model_fields:
        return problem_at(document, path, unknown_key(key, list(table.model_fields)), name)
    description = table.model_fields[key].description or ""
    allowed = f"is missing: {description}" if details["type"] == "missing" else description
    return problem_at(document, path, allowed, name)
