# SPDX-License-Identifier: BSD-3-Clause
"""nereus compare FIRST SECOND - two runs, studies, records or results of workloads beside each other."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Column, Table

from nereus import load, printable
from nereus.analysis.frames.comparison import Row, Side, compared
from nereus.analysis.report.tables import new_table, number
from nereus.analysis.report.units import (
    amount_text,
    bytes_text,
    count_text,
    p_text,
    percent_text,
    ratio_text,
    seconds_text,
)
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import note, show, show_json

_TEXT_OF_UNIT: Mapping[str, Callable[[float], str]] = {
    "s": seconds_text,
    "B": lambda value: bytes_text(int(value)),
    "kWh": lambda value: amount_text(1000 * value, "Wh"),
}
#: Of figures that have none and are no numbers of things.
_TEXT_OF_FIGURE: Mapping[str, Callable[[float], str]] = {
    "utilisation": percent_text,
    "utilisation_by_ranks": percent_text,
    "mean_bounded_slowdown": ratio_text,
    "omega": ratio_text,
}


def compare(
    first: Annotated[
        Path,
        typer.Argument(metavar="FIRST", help="What `nereus.load` reads: a run, a study, a record, ..."),
    ],
    second: Annotated[Path, typer.Argument(metavar="SECOND", help="Another one of the same kind.")],
    least: Annotated[
        float,
        typer.Option(metavar="PERCENT", min=0, help="Leave out what differs by less."),
    ] = 0.0,
    as_json: JsonOption = False,
) -> None:
    """Show the figures of two runs, studies, records or results of workloads beside each other.

    Ratios are those of the second to the first.

    Example: nereus compare results/before results/after --least 5
    """
    sides = load(first), load(second)
    every = compared(*sides)
    rows = [row for row in every if _differs(row, least)]
    for each in sides:
        for line in each.notes:
            note(line if line.startswith(str(each.path)) else f"{each.path}: {line}")
    if as_json:
        there = [{"path": str(each.path), "notes": list(each.notes)} for each in sides]
        named = dict(zip(("first", "second"), there, strict=True))
        show_json({"kind": sides[0].kind, **named, "rows": [row.document() for row in rows]})
    elif rows:
        for table in _tables(rows):
            show(table)
    else:
        show("nothing differs by so much" if every else "there is nothing to compare")


def _differs(row: Row, percent: float) -> bool:
    """Also what cannot be divided, as it is in one of both alone, or was nothing."""
    return row.ratio is None or abs(row.ratio - 1) >= percent / 100


def _tables(rows: Sequence[Row]) -> Iterator[Table]:
    """One for each frame."""
    for frame, found in groupby(rows, key=lambda row: row.frame):
        of_frame = list(found)
        keys = [_key_column(name, [row.keys[name] for row in of_frame]) for name in of_frame[0].keys]
        table = new_table(
            *keys, "what", number("first"), number("second"), number("ratio"), number("p"), title=frame
        )
        for row in of_frame:
            cells = [*map(_key_text, row.keys.values()), row.figure.replace("_", " ")]
            figures = [_text(side, row) for side in (row.first, row.second)]
            table.add_row(*cells, *figures, ratio_text(row.ratio), p_text(row.p))
        yield table


def _key_column(name: str, values: Sequence[object]) -> str | Column:
    text = name.replace("_", " ")
    return number(text) if all(isinstance(each, int | float) for each in values) else text


def _key_text(value: Any) -> str:
    return "-" if value is None else printable(f"{value:g}" if isinstance(value, float) else str(value))


def _text(side: Side, row: Row) -> str:
    if side.value is None:
        return "-"
    text = _TEXT_OF_UNIT.get(row.unit) or _TEXT_OF_FIGURE.get(row.figure)
    if text is not None:
        return text(side.value)
    return amount_text(side.value, row.unit) if row.unit else count_text(side.value)
