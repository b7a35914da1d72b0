# SPDX-License-Identifier: BSD-3-Clause
"""nereus matrix - files of sparse matrices for applications."""

import typer

from nereus.cli.lazy import Home, group_of
from nereus.cli.messages import write

matrix = group_of(
    {"convert": Home("nereus.cli.matrix_convert"), "info": Home("nereus.cli.matrix_info")},
)


@matrix.callback(invoke_without_command=True)
def options(context: typer.Context) -> None:
    """Make and look at files of sparse matrices, as nereus-cg reads them.

    Example: nereus matrix convert audikw_1.mtx audikw_1.nm
    """
    if context.invoked_subcommand is None:
        write(context.get_help() + "\n")
