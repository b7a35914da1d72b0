# SPDX-License-Identifier: BSD-3-Clause
"""What the commands of `nereus simulate` that simulate a cluster have in common on their command lines."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from nereus.cli.messages import complain
from nereus.launch import Stopping, memory_bytes
from nereus.simulation.network import MOST_RANKS, Stopped, read_bytes

Nodes = Annotated[int, typer.Option(min=1, max=MOST_RANKS, help="Hosts.")]
Cores = Annotated[int, typer.Option(min=1, max=MOST_RANKS, help="Cores of each host, one rank each.")]
Latency = Annotated[str, typer.Option(metavar="TIME", help="Of each host's link.")]
MemoryRate = Annotated[
    str, typer.Option("--memory-bandwidth", metavar="RATE", help="That messages within a host share.")
]
Acknowledged = Annotated[
    bool,
    typer.Option("--acks/--no-acks", help="A twentieth of what is received goes back, as SimGrid has it."),
]
Memory = Annotated[str, typer.Option(metavar="SIZE", help="A simulation that takes more is ended.")]


def most_memory(text: str) -> int:
    """Bytes that a simulation may take: never more than this machine has."""
    return min(read_bytes("--memory", text), memory_bytes())


@contextmanager
def stoppable() -> Iterator[Callable[[], bool]]:
    """Whether the user wants an end; who hears Stopped then ends the command."""
    with Stopping() as stopping:
        try:
            yield lambda: stopping.signal is not None
        except Stopped:
            complain(f"stopped by {stopping.text}")
            raise typer.Exit(stopping.exit_code) from None
