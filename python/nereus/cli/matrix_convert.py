# SPDX-License-Identifier: BSD-3-Clause
"""nereus matrix convert - from Matrix Market to a file that processes read by rows."""

from pathlib import Path
from typing import Annotated

import typer

from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, note, show_json
from nereus.placement.matrix import read_market, write_matrix


def convert(
    market: Annotated[Path, typer.Argument(metavar="FILE.mtx", help="Matrix Market file to read.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="File to write.")],
    force: Annotated[bool, typer.Option("--force", help="Write over OUT.")] = False,
    as_json: JsonOption = False,
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
    if as_json:
        rows, columns = found.shape
        show_json({"file": str(out), "rows": rows, "columns": columns, "nonzeros": int(found.nnz)})
    note(f"written: {out}")
