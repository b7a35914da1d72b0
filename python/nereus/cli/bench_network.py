# SPDX-License-Identifier: BSD-3-Clause
"""Options of benches whose processes can talk over several networks."""

from typing import Annotated

import typer

from nereus.bench.networks import NETWORKS
from nereus.cli.messages import Refused

NetworkName = Annotated[
    str, typer.Option("--network", metavar="|".join(NETWORKS), help="Network between the processes.")
]
Gigabits = Annotated[
    float, typer.Option(min=0.001, max=400, help="Rate of each link with --network limited, in Gbit/s.")
]


def check_network(word: str) -> None:
    """Refused where there is no such network."""
    if word not in NETWORKS:
        raise Refused(f"--network = {word}: allowed are {', '.join(NETWORKS)}")
