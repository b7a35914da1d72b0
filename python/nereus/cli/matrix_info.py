# SPDX-License-Identifier: BSD-3-Clause
"""nereus matrix info - what a file of a matrix holds."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from nereus.analysis.report.units import ratio_text
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import show, show_json
from nereus.placement.matrix import Facts, facts_of, read_matrix


def info(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File that convert made.")],
    as_json: JsonOption = False,
) -> None:
    """Show how large a matrix is, and how unbalanced blocks of its rows are.

    Example: nereus matrix info audikw_1.nm
    """
    facts = facts_of(read_matrix(file))
    if as_json:
        show_json(asdict(facts))
    else:
        show(_sentences(facts))


def _sentences(facts: Facts) -> str:
    kind = "symmetric" if facts.symmetric else "not symmetric"
    lines = [
        f"{facts.rows} rows, {facts.columns} columns, {facts.nonzeros} nonzeros, {kind}",
        f"rows have {facts.shortest_row} to {facts.longest_row} nonzeros, the median is {facts.median_row:g}",
    ]
    lines += [
        f"in {blocks} blocks of rows the fullest has {ratio_text(part)} times the mean"
        for blocks, part in facts.unbalance.items()
    ]
    return "\n".join(lines)
