# SPDX-License-Identifier: BSD-3-Clause
"""nereus place - a slot for each rank, by what the ranks send each other."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, note, show, show_json, write
from nereus.cli.place_table import table, what_counts
from nereus.placement import (
    Asked,
    Placed,
    Selection,
    Topology,
    place_ranks,
    read_topology,
    read_traffic,
    renumbering,
    written,
)
from nereus.placement.topology import MOST_COST
from nereus.reading import MOST_OF_AN_EVENT, content_of

_LONGEST_NOTE = 300


class Format(StrEnum):
    """For whom a mapping is written."""

    HYDRA = "hydra"
    OPENMPI = "openmpi"
    SLURM = "slurm"
    KEYS = "keys"


class What(StrEnum):
    """What of messages counts."""

    BYTES = "bytes"
    MESSAGES = "messages"


def place(
    matrix: Annotated[
        Path,
        typer.Option(
            "--matrix", metavar="M", help="Record of `nereus monitor`, or a matrix: .mtx, .npy, .npz, text."
        ),
    ],
    topology: Annotated[
        str,
        typer.Option(
            "--topology", metavar="T", help='here, FILE.xml, FILE.toml or "host:8 package:2 core:10".'
        ),
    ],
    what: Annotated[What, typer.Option(help="What of messages counts.")] = What.BYTES,
    generation: Annotated[
        int | None, typer.Option(min=0, help="Of a record: which; the latest if not given.")
    ] = None,
    phase: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of a record: this phase of the program only.")
    ] = None,
    ranks: Annotated[
        int | None, typer.Option(min=1, max=2**24, help="Ranks, where the last send nothing.")
    ] = None,
    threads: Annotated[
        bool, typer.Option("--threads", help="Slots are hardware threads, not cores.")
    ] = False,
    cost: Annotated[
        list[str] | None,
        typer.Option(metavar="LEVEL=COST", help="Of a byte on a link above each node of a level."),
    ] = None,
    in_use: Annotated[
        str, typer.Option(metavar="SLOTS", help="Slots of others: 0-3,17 or n1:0-3.", show_default=False)
    ] = "",
    fix: Annotated[
        list[str] | None, typer.Option(metavar="RANK=SLOT", help="This rank has to be there.")
    ] = None,
    oversubscribe: Annotated[
        bool, typer.Option("--oversubscribe", help="Slots may have several ranks.")
    ] = False,
    current: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where ranks are now, as --json wrote it; kept unless there is a cheaper mapping.",
        ),
    ] = None,
    form: Annotated[Format | None, typer.Option("--format", help="For a launcher or a program.")] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Output file of --format; printed if not given.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the random mappings.")] = 42,
    as_json: JsonOption = False,
) -> None:
    """Find a slot for each rank so that those that send each other much are close, and show what that saves.

    Example: nereus place --matrix nereus-monitor-1f.jsonl --topology cluster.toml --format hydra
    """
    if output is not None and form is None:
        raise Refused("--output: allowed with --format only")
    if as_json and form is not None and output is None:
        raise Refused("--json: with --format, --output is required")
    if oversubscribe and form == Format.KEYS:
        raise Refused("--format keys: allowed without --oversubscribe only")
    machine = read_topology(topology, threads).with_costs(dict(map(_cost, cost or [])), "--cost")
    asked = Asked(
        traffic=read_traffic(matrix, Selection(what.value, generation, phase, ranks)),
        topology=machine,
        in_use=frozenset(machine.read_slots(in_use, "--in-use")) if in_use else frozenset(),
        fixed=_fixed(fix or [], machine),
        current=None if current is None else _mapping_of(current),
        oversubscribe=oversubscribe,
        seed=seed,
    )
    placed = place_ranks(renumbering(asked) if form == Format.KEYS else asked)
    if form is not None:
        _write(placed, form.value, output)
    if as_json:
        show_json(placed.document())
    elif form is None or output is not None:
        show(table(placed, what_counts(matrix, what.value)))


def _cost(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    try:
        cost = float(number)
    except ValueError:
        cost = -1.0
    if not 0 <= cost <= MOST_COST:
        raise Refused(f"--cost {text}: LEVEL=COST is allowed, with a number from 0 to {MOST_COST:g}")
    return name, cost


def _fixed(texts: list[str], machine: Topology) -> dict[int, int]:
    fixed: dict[int, int] = {}
    for text in texts:
        rank, _, slot = text.partition("=")
        if not (rank.isascii() and rank.isdigit() and len(rank) < 9):
            raise Refused(f"--fix {text}: RANK=SLOT is allowed")
        slots = machine.read_slots(slot, "--fix")
        if len(slots) != 1 or int(rank) in fixed:
            raise Refused(f"--fix {text}: one slot for each rank is allowed")
        fixed[int(rank)] = slots[0]
    return fixed


def _mapping_of(path: Path) -> list[int]:
    """Of a document that --json printed, or of a list alone."""
    try:
        found = json.loads(content_of(path, MOST_OF_AN_EVENT))
    except OSError as problem:
        raise Refused(f"--current {path}: {problem.strerror}") from problem
    except (ValueError, RecursionError):
        found = None
    mapping = found.get("mapping") if isinstance(found, dict) else found
    if not isinstance(mapping, list) or not all(type(slot) is int for slot in mapping):
        raise Refused(
            f"--current {path}: a document of `nereus place --json`, or a list of slots, is allowed"
        )
    return mapping


def _write(placed: Placed, form: str, output: Path | None) -> None:
    """To a file, or to stdout; how it is used goes to stderr."""
    made = written(placed, form, str(output) if output else "FILE")
    if output is None:
        write(made.text)
    else:
        try:
            output.write_text(made.text, encoding="utf-8")
        except OSError as problem:
            raise Refused(f"--output {output}: {problem.strerror}") from problem
    long = len(made.use) > _LONGEST_NOTE
    note("use: as the first line of the file says" if long else f"use: {made.use}")
    cost = made.cost(placed)
    if cost > placed.cost * (1 + 1e-9):
        note(
            f"{form} contains only the host of each rank: with a host's ranks on its slots in order "
            f"the cost is {cost:.6g}, not {placed.cost:.6g}"
        )
