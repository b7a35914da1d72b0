# SPDX-License-Identifier: BSD-3-Clause
"""nereus bench daemon - how soon a turn is granted, and how many messages one daemon takes."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nereus.analysis.report.units import frequency_text, percent_text, seconds_text
from nereus.bench.daemon_jobs import Grants, Load, load, timed_grants
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, show, show_json
from nereus.cli.start import OWN_COMMAND
from nereus.supervisor.daemon_address import daemon_control_socket, daemon_line

if TYPE_CHECKING:
    from rich.table import Table

_START_SECONDS = 60.0


def daemon(
    clients: Annotated[int, typer.Option(min=1, max=10_000, help="Jobs whose grants are timed.")] = 100,
    phases: Annotated[int, typer.Option(min=10, help="Grants that are timed.")] = 1000,
    many: Annotated[int, typer.Option(min=1, max=10_000, help="Jobs that send many messages.")] = 1000,
    rate: Annotated[float, typer.Option(min=0.1, max=1e4, help="Messages a second of each of these.")] = 10,
    seconds: Annotated[float, typer.Option(min=1, max=3600, help="How long these send.")] = 10,
    policy: Annotated[str, typer.Option(metavar="NAME", help="The daemon's policy.")] = "blocking",
    as_json: JsonOption = False,
) -> None:
    """Time grants of a daemon to which many jobs are connected, and load it with messages.

    Example: nereus bench daemon --clients 100 --many 1000 --rate 10
    """
    with _house(policy) as (process, line):
        grants = timed_grants(line, clients, phases)
    with _house(policy) as (process, line):
        taken = load(process, line, many, rate, seconds)
    if as_json:
        show_json({"policy": policy, "grants": asdict(grants), "load": asdict(taken)})
    else:
        show(_table(grants, taken))


@contextmanager
def _house(policy: str) -> Iterator[tuple[int, Path]]:
    """A daemon in a process of its own, with sockets and a store of its own; its process and its line."""
    with tempfile.TemporaryDirectory(prefix="nb-") as folder:
        environment = {**os.environ, "XDG_RUNTIME_DIR": folder}
        words = [*OWN_COMMAND, "daemon", "--policy", policy, "--store", f"{folder}/store.sqlite"]
        process = subprocess.Popen(
            words, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        try:
            _wait_for(daemon_control_socket(environment), process)
            yield process.pid, daemon_line(environment)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()


def _wait_for(control_socket: Path, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not control_socket.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            raise Refused("the daemon did not start; nereus daemon shows why")
        time.sleep(0.02)


def _table(grants: Grants, taken: Load) -> "Table":
    from nereus.analysis.report.tables import new_table, number

    made = new_table("what", number("clients"), number("figure"))
    for name in ("median", "p99", "worst"):
        seconds = asdict(grants)[f"{name}_seconds"]
        made.add_row(f"grant, {name} of {grants.phases}", str(grants.clients), seconds_text(seconds))
    many = str(taken.clients)
    rate, lasted = frequency_text(taken.messages_per_second), seconds_text(taken.seconds)
    made.add_row("messages", many, f"{rate} for {lasted}")
    made.add_row("messages lost", many, f"{taken.messages - taken.heard} of {taken.messages}")
    made.add_row("daemon's processor time", many, f"{percent_text(taken.cpu_share)} of a core")
    return made
