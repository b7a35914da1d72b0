# SPDX-License-Identifier: BSD-3-Clause
"""What the commands of `nereus simulate` that simulate a cluster have in common on their command lines."""

from typing import Annotated

import typer

from nereus.launch import memory_bytes
from nereus.smpi import MOST_RANKS, read_bytes

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
