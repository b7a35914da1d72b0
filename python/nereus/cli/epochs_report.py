# SPDX-License-Identifier: BSD-3-Clause
"""What `nereus report` shows of a folder of epochs."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from nereus.analysis.report.units import bytes_text
from nereus.cli.messages import note, say, show, show_json
from nereus.epochs import Epoch, complete_epochs

if TYPE_CHECKING:
    from rich.table import Table


def report_epochs(folder: Path, as_json: bool) -> None:
    """All epochs, and the arrays of the newest one."""
    epochs = complete_epochs(folder)
    if as_json:
        show_json({"epochs": [epoch.document() for epoch in epochs]})
        return
    if not epochs:
        note(f"{folder}: no epoch is complete")
        return
    show(_epochs_table(epochs))
    newest = epochs[-1]
    say(f"epoch {newest.number}:")
    show(_arrays_table(newest))
    note(f"nereus run --resume {newest.folder} -n N -- {newest.program} continues from it")


def _epochs_table(epochs: list[Epoch]) -> "Table":
    from nereus.analysis.report.tables import new_table, number

    table = new_table(
        *(number(name) for name in ("epoch", "iteration", "ranks", "size")), "saved", "program", "MPI"
    )
    for epoch in epochs:
        saved = datetime.fromtimestamp(epoch.saved_unix)
        cells = (epoch.number, epoch.iteration, epoch.ranks, bytes_text(epoch.bytes))
        table.add_row(*map(str, cells), f"{saved:%Y-%m-%d %H:%M:%S}", epoch.program, epoch.mpi.split(",")[0])
    return table


def _arrays_table(epoch: Epoch) -> "Table":
    from nereus.analysis.report.tables import new_table, number

    table = new_table("name", "kind", "layout", "type", number("elements"), number("size"))
    for array in epoch.arrays:
        kind = array.type or f"{array.extent} bytes"
        table.add_row(
            array.name, array.kind, array.layout, kind, str(array.elements), bytes_text(array.bytes)
        )
    for own in epoch.own:
        table.add_row(own.name, "application's own", "", "pieces", str(own.pieces), bytes_text(own.bytes))
    return table
