# SPDX-License-Identifier: BSD-3-Clause
"""nereus examples - the examples that were installed, to look at and to change."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, note, show_json
from nereus.launch import choose

#: Where the first line of an example names its schema: there, and in the copy.
_SCHEMAS = ("../docs/schemas/", "schemas/")


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
        shutil.copytree(source.parent / "docs" / "schemas", folder / "schemas")
        for file in folder.rglob("*.toml"):
            file.write_text(file.read_text(encoding="utf-8").replace(*_SCHEMAS, 1), encoding="utf-8")
    except FileExistsError:
        raise Refused(f"DIR = {folder}: is there already; a new folder is needed") from None
    except (OSError, shutil.Error) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise Refused(f"DIR = {folder}: {source} cannot be copied there: {reason}") from None
    if as_json:
        show_json({"folder": str(folder)})
    note(f"written: {folder}")
