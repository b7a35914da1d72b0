# SPDX-License-Identifier: BSD-3-Clause
"""nereus matrix - files of sparse matrices for applications."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from nereus.cli.messages import Refused, note, show, show_json, write
from nereus.placement.matrix import Facts, facts_of, read_market, read_matrix, write_matrix

matrix = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@matrix.callback(invoke_without_command=True)
def options(context: typer.Context) -> None:
    """Make and look at files of sparse matrices, as nereus-cg reads them.

    Example: nereus matrix convert audikw_1.mtx audikw_1.nm
    """
    if context.invoked_subcommand is None:
        write(context.get_help() + "\n")


@matrix.command()
def convert(
    market: Annotated[Path, typer.Argument(metavar="FILE.mtx", help="Matrix Market file to read.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="File to write.")],
    force: Annotated[bool, typer.Option("--force", help="Write over OUT.")] = False,
) -> None:
    """Turn a Matrix Market file into one that processes read by rows.

    Example: nereus matrix convert audikw_1.mtx audikw_1.nm
    """
    if out.exists() and not force:
        raise Refused(f"{out}: exists; --force writes over it")
    found = read_market(market)
    try:
        if force:
            out.unlink(missing_ok=True)
        write_matrix(out, found)
    except OSError as problem:
        raise Refused(f"{out}: cannot be written: {problem.strerror}") from problem
    note(f"written: {out}")


@matrix.command()
def info(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File that convert made.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
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
        f"in {blocks} blocks of rows the fullest has {part:.2f} times the mean"
        for blocks, part in facts.unbalance.items()
    ]
    return "\n".join(lines)
