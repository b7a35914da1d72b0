# SPDX-License-Identifier: BSD-3-Clause
"""The option by which a command prints for programs what it else tells people."""

from typing import Annotated

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
