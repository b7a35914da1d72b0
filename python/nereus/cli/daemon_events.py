# SPDX-License-Identifier: BSD-3-Clause
"""nereus daemon events - what happened, as the daemon of this user knows it."""

import json
from datetime import datetime
from typing import Annotated, Any

import typer

from nereus.cli.messages import say, show_json_line
from nereus.daemon import all_events


def events(
    since: Annotated[int, typer.Option(min=0, help="Those after the event of this number.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print each event as a line of JSON.")] = False,
) -> None:
    """List what happened to this user's jobs: ranks, I/O phases, waits, resizes, who decided what and why.

    Example: nereus daemon events --since 100 --json
    """
    for event in all_events(since):
        show_json_line(event) if as_json else say(_line(event))


def _line(event: dict[str, Any]) -> str:
    when = f"{datetime.fromtimestamp(event['time_unix']):%Y-%m-%d %H:%M:%S.%f}"[:-3]
    about = {key: event[key] for key in event if key not in {"number", "time_unix", "job", "event", "text"}}
    words = [f"{key}={json.dumps(value)}" for key, value in about.items() if value is not None]
    return " ".join([when, event["job"] or "-", event["event"], event.get("text", ""), *words]).strip()
