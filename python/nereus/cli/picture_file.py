# SPDX-License-Identifier: BSD-3-Clause
"""Where a command may draw a picture, looked at before it does anything that takes long."""

from pathlib import Path

from nereus.cli.messages import Refused

_ENDINGS = (".png", ".pdf", ".svg")


def check_picture(file: Path, option: str = "--picture") -> None:
    """Refused for an ending that cannot be drawn, and for a place where no file can be."""
    if file.suffix not in _ENDINGS or file.is_dir() or not file.absolute().parent.is_dir():
        raise Refused(f"{option} = {file}: allowed is a .png, .pdf or .svg file in a folder that exists")
