# SPDX-License-Identifier: BSD-3-Clause
"""nereus convert OLD NEW.toml - turn Proteo's experiment files into ours."""

from pathlib import Path
from typing import Annotated

import typer

from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, note, show_json, warn
from nereus.cli.proteo_codes import ProteoCodesOption
from nereus.config import load, write_toml


def convert(
    old: Annotated[Path, typer.Argument(help="Experiment to read: Proteo's JSON or INI, or TOML.")],
    new: Annotated[Path, typer.Argument(metavar="NEW.toml", help="File to write.")],
    force: Annotated[bool, typer.Option("--force", help="Write over NEW.toml.")] = False,
    proteo_codes: ProteoCodesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Turn an experiment file of Proteo into our TOML, with the same meaning.

    Example: nereus convert examples/emulate/cg.ini cg-of-mine.toml
    """
    if new.suffix != ".toml":
        raise Refused(f"{new}: the name of the new file must end in .toml")
    loaded = load(old, proteo_codes=proteo_codes.value if proteo_codes else None)
    warn(loaded.warnings)
    text = write_toml(loaded.experiment)
    try:
        with new.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as problem:
        raise Refused(f"{new}: exists; --force writes over it") from problem
    except OSError as problem:
        raise Refused(f"{new}: cannot be written: {problem.strerror}") from problem
    if as_json:
        show_json({"file": str(new), "warnings": list(loaded.warnings)})
    note(f"written: {new}")
