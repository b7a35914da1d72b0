# SPDX-License-Identifier: BSD-3-Clause
"""The option by which commands are told the code table of a Proteo file."""

from enum import StrEnum
from typing import Annotated

import typer


class Codes(StrEnum):
    """Proteo's tables of numeric codes: of the paper of 2024, and of two generations of its code."""

    PAPER = "paper"
    OLD = "old"
    NEW = "new"


ProteoCodesOption = Annotated[
    Codes | None, typer.Option(help="Code table of a Proteo file, when its shape misleads.")
]
