# SPDX-License-Identifier: BSD-3-Clause
"""nereus report DIR - look at the results of a run again."""

from pathlib import Path
from typing import Annotated

import typer

from nereus.cli.messages import Refused, note, show, show_json
from nereus.report import draw, read, table, write_csv, write_proteo


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Results folder of a run.")],
    csv: Annotated[
        bool, typer.Option("--csv", help="Write DIR/generations.csv, resizes.csv, iterations.csv.")
    ] = False,
    picture: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the picture (PNG).")] = None,
    proteo: Annotated[bool, typer.Option("--proteo", help="Write Proteo's text files into DIR.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")] = False,
) -> None:
    """Show the results of a run, also of one that did not finish.

    Example: nereus report results/cg --csv --picture cg.png
    """
    results = read(folder)
    beside = folder if folder.is_dir() else folder.parent
    if as_json:
        show_json(results.document())
    else:
        show(table(results))
    try:
        written = [
            *(write_csv(results, beside) if csv else []),
            *(write_proteo(results, beside) if proteo else []),
        ]
        if picture is not None:
            draw(results, picture)
            written.append(picture)
    except OSError as problem:
        raise Refused(f"{problem.filename}: cannot be written: {problem.strerror}") from problem
    for path in written:
        note(f"written: {path}")
