# SPDX-License-Identifier: BSD-3-Clause
"""nereus save JOB - ask a running job to save an epoch."""

from typing import Annotated, Any

import typer

from nereus.analysis.report.units import bytes_text, seconds_text
from nereus.cli.elsewhere import AtOption, AtShellOption, carried_out_elsewhere
from nereus.cli.job_question import ask_job
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import complain, say, show_json, warn
from nereus.supervisor import OK, find


def save(
    context: typer.Context,
    job: Annotated[str, typer.Argument(metavar="JOB", help="Its name (nereus jobs), or how its key begins.")],
    stop: Annotated[
        bool,
        typer.Option(
            "--stop", help="The job ends then, with exit code 75; another continues from the epoch."
        ),
    ] = False,
    wait: Annotated[bool, typer.Option(help="Wait until it is saved.")] = True,
    timeout: Annotated[float, typer.Option(min=0.1, max=1e6, help="Seconds to wait at most.")] = 300.0,
    as_json: JsonOption = False,
    at: AtOption = None,
    rsh: AtShellOption = None,
) -> None:
    """Ask a running job to save an epoch: its data, from which `nereus run --resume` continues at any size.

    The job was started with `nereus run --save FOLDER`.

    Example: nereus save cg-1 --stop
    """
    carried_out_elsewhere(context, at, rsh, timeout)
    found = find(job, lambda text: warn([text]))
    answer = ask_job(found, {"kind": "save", "stops": stop, "wait": wait}, timeout, "saved")
    good = answer.get("kind") == "saved" and answer.get("code") == OK
    if as_json:
        show_json({key: value for key, value in answer.items() if key not in {"version", "kind", "never"}})
    elif good:
        say(_sentence(answer))
    else:
        name = answer.get("name")
        complain(f"{answer.get('message') or 'no epoch was saved'}" + (f" ({name})" if name else ""))
    raise typer.Exit(0 if good else 1)


def _sentence(answer: dict[str, Any]) -> str:
    report = answer.get("report")
    if not isinstance(report, dict):
        return f"noted as request {answer.get('request')}"
    size, seconds = bytes_text(report["bytes"]), seconds_text(report["seconds"])
    stops = "; the job stops there" if report["stops"] else ""
    if report["epoch"] == 0:
        return f"the program has saved its own state: {size} in {seconds}{stops}"
    return f"epoch {report['epoch']} was saved: {size} in {seconds}, iteration {report['iteration']}{stops}"
