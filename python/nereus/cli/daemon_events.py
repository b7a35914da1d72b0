# SPDX-License-Identifier: BSD-3-Clause
"""nereus daemon events - what happened, as the daemon of this user knows it."""

import json
from datetime import datetime
from typing import Annotated, Any

import typer

from nereus.cli.messages import say, show_json_line
from nereus.daemon import all_events
from nereus.supervisor import job_names, named, shown_name

_TOLD = {"number", "time_unix", "job", "name", "event", "text"}


def events(
    since: Annotated[int, typer.Option(min=0, help="Those after the event of this number.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print each event as a line of JSON.")] = False,
) -> None:
    """List what happened to this user's jobs: ranks, I/O phases, waits, resizes, decisions with reasons.

    Example: nereus daemon events --since 100 --json
    """
    names = job_names()
    for event in all_events(since):
        show_json_line(event) if as_json else say(_line(named(event, names)))


def _line(event: dict[str, Any]) -> str:
    when = f"{datetime.fromtimestamp(event['time_unix']):%Y-%m-%d %H:%M:%S.%f}"[:-3]
    about = {key: event[key] for key in event if key not in _TOLD}
    words = [f"{key}={json.dumps(value)}" for key, value in about.items() if value is not None]
    return " ".join([when, shown_name(event) or "-", event["event"], event.get("text", ""), *words]).strip()
