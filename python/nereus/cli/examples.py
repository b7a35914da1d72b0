# SPDX-License-Identifier: BSD-3-Clause
"""nereus examples - the examples that were installed, to look at and to change."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, note, show_json
from nereus.launch import choose


def examples(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that is not there yet.")],
    as_json: JsonOption = False,
) -> None:
    """Copy the examples into a new folder: experiments, studies, scenarios, policies, programs.

    Example: nereus examples mine
    """
    source = choose().examples
    try:
        shutil.copytree(source, folder)
    except FileExistsError:
        raise Refused(f"DIR = {folder}: is there already; a new folder is needed") from None
    except (OSError, shutil.Error) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise Refused(f"DIR = {folder}: {source} cannot be copied there: {reason}") from None
    if as_json:
        show_json({"folder": str(folder)})
    note(f"written: {folder}")
