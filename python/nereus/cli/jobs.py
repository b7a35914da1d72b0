# SPDX-License-Identifier: BSD-3-Clause
"""nereus jobs - the jobs of this user that run on this host."""

import shlex
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from nereus.cli.messages import note, show, show_json
from nereus.launch import NoAnswer, doors, status


def jobs(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")] = False,
) -> None:
    """List this user's jobs that `nereus run` or `nereus emulate` supervises on this host.

    Example: nereus jobs --json
    """
    found = [_status(path) for path in doors()]
    if as_json:
        show_json({"jobs": found})
    elif found:
        show(_table(found))
    else:
        note("no jobs")


def _status(path: Path) -> dict[str, Any]:
    try:
        answer = status(path)
    except NoAnswer as problem:
        return {"job": path.stem, "state": "silent", "reason": str(problem)}
    return {key: value for key, value in answer.items() if key not in {"version", "kind"}}


def _table(found: list[dict[str, Any]]) -> Table:
    names = ("job", "ranks", "generation", "hosts", "state", "since", "command")
    grid = Table(*names, box=None, pad_edge=False)
    for job in found:
        since = datetime.fromtimestamp(job["started_unix"]) if "started_unix" in job else None
        cells = {
            "hosts": ", ".join(f"{host}:{ranks}" for host, ranks in Counter(job.get("hosts", [])).items()),
            "since": f"{since:%Y-%m-%d %H:%M:%S}" if since else "",
            "command": shlex.join(job.get("command", [])),
        }
        # As texts, because brackets in commands mean styles to the table.
        grid.add_row(*(Text(str(cells.get(name, job.get(name, "")))) for name in names))
    return grid
