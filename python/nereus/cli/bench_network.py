# SPDX-License-Identifier: BSD-3-Clause
"""Options of benches whose processes can talk over several networks."""

from typing import Annotated

import typer

from nereus.bench.networks import NETWORKS

NetworkName = Annotated[
    str, typer.Option("--network", metavar="|".join(NETWORKS), help="Network between the processes.")
]
Gigabits = Annotated[
    float, typer.Option(min=0.001, max=400, help="Rate of each link with --network limited, in Gbit/s.")
]
