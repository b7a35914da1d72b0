# SPDX-License-Identifier: BSD-3-Clause
"""nereus daemon period JOB - how often a job writes, by the daemon's prediction and by FTIO."""

from typing import Annotated

import typer

from nereus.analysis.report.units import seconds_text
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, say, show_json
from nereus.daemon import all_events, whole_status
from nereus.supervisor import job_names, meant_by


def period(
    job: Annotated[
        str, typer.Argument(metavar="JOB", help="A job of the daemon: its name, or how its key begins.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Show how often a job writes: as the daemon predicts it by iterations, and as FTIO finds it.

    FTIO (pip install ftio-hpc) looks at the bandwidth, and is a second opinion for programs that do not
    write every so many iterations.

    Example: nereus daemon period cg-1 --json
    """
    from nereus.daemon.ftio_period import opinion

    known = {each["job"]: each for each in whole_status()["jobs"]}
    wrote = [each for each in all_events() if each["event"] == "wrote"]
    names = job_names()
    meant = meant_by(job, known.keys() | {each["job"] for each in wrote}, names)
    if len(meant) != 1:
        raise Refused(f"JOB = {job}: {len(meant)} jobs match; nereus daemon status lists them")
    (key,) = meant
    phases = [each for each in wrote if each["job"] == key]
    found, ours = opinion(phases), known.get(key, {})
    opinions = {
        "daemon": {"period_seconds": ours.get("period_seconds"), "confidence": ours.get("confidence")},
        "ftio": {"period_seconds": found.period, "confidence": found.confidence},
    }
    if as_json:
        show_json({"job": key, "name": names.get(key), "phases": len(phases), **opinions})
        return
    for who, told in opinions.items():
        seconds, sure = told["period_seconds"], told["confidence"]
        text = "no period" if seconds is None else f"{seconds_text(seconds)}, confidence {sure:.2f}"
        say(f"{who:6}  {text}")
