# SPDX-License-Identifier: BSD-3-Clause
"""nereus bench - what resizes, hosts, epochs, the monitor and the daemon cost on this machine."""

import typer

from nereus.cli.lazy import Home, group_of
from nereus.cli.messages import write

bench = group_of(
    {
        "transfer": Home("nereus.cli.bench_transfer"),
        "processes": Home("nereus.cli.bench_processes"),
        "allocation": Home("nereus.cli.bench_allocation"),
        "monitor": Home("nereus.cli.bench_monitor"),
        "program": Home("nereus.cli.bench_program", interspersed=False),
        "daemon": Home("nereus.cli.bench_daemon"),
        "recovery": Home("nereus.cli.bench_recovery"),
    }
)


@bench.callback(invoke_without_command=True)
def options(context: typer.Context) -> None:
    """Measure what resizes, hosts, epochs, the monitor and the daemon cost on this machine.

    Example: nereus bench processes --from 2 --to 4
    """
    if context.invoked_subcommand is None:
        write(context.get_help() + "\n")
