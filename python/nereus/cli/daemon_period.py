# SPDX-License-Identifier: BSD-3-Clause
"""nereus daemon period JOB - how often a job writes, by the daemon's prediction and by FTIO."""

from typing import Annotated

import typer

from nereus.cli.messages import Refused, say, show_json
from nereus.daemon import all_events, whole_status


def period(
    job: Annotated[str, typer.Argument(metavar="JOB", help="A job of the daemon, or how its name begins.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")] = False,
) -> None:
    """Tell how often a job writes: as the daemon foretells it by iterations, and as FTIO finds it.

    FTIO (pip install ftio-hpc) looks at the bandwidth, and is a second opinion for programs that do not
    write every so many iterations.

    Example: nereus daemon period 4f2a --json
    """
    from nereus.daemon.ftio_period import opinion

    known = {each["job"]: each for each in whole_status()["jobs"]}
    phases = [each for each in all_events() if each["event"] == "wrote" and each["job"].startswith(job)]
    names = {each["job"] for each in phases} | {name for name in known if name.startswith(job)}
    if len(names) != 1:
        raise Refused(f"JOB = {job}: {len(names)} jobs are called so; nereus daemon status lists them")
    name = names.pop()
    found, ours = opinion(phases), known.get(name, {})
    document = {
        "job": name,
        "phases": len(phases),
        "daemon": {"period_seconds": ours.get("period_seconds"), "confidence": ours.get("confidence")},
        "ftio": {"period_seconds": found.period, "confidence": found.confidence},
    }
    if as_json:
        show_json(document)
        return
    for who in ("daemon", "ftio"):
        seconds, sure = document[who]["period_seconds"], document[who]["confidence"]
        say(f"{who:6}  {'no period' if seconds is None else f'{seconds:.2f} s, confidence {sure:.2f}'}")
