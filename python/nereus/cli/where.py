# SPDX-License-Identifier: BSD-3-Clause
"""Where the processes of a job go: options that commands have in common."""

from typing import Annotated

import typer

HostsOption = Annotated[
    str,
    typer.Option(
        metavar="n1:2,n2:2",
        envvar="NEREUS_HOSTS",
        show_default=False,
        help="Hosts and their slots; if not given, those of the resource manager around us, or this host.",
    ),
]
OversubscribeOption = Annotated[
    bool,
    typer.Option("--oversubscribe", envvar="NEREUS_OVERSUBSCRIBE", help="Take more processes than slots."),
]
RshOption = Annotated[
    str | None,
    typer.Option(metavar="CMD", help="Starts a command on a host, as ssh does: CMD HOST COMMAND."),
]
