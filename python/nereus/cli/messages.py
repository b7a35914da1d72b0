# SPDX-License-Identifier: BSD-3-Clause
"""What commands say to people: tables on stdout, everything else on stderr."""

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from nereus import UserError, printable, printable_lines

if TYPE_CHECKING:
    from rich.console import RenderableType

# Columns of a table that goes to a file or a pipe, where no terminal says how wide it is.
_WIDTH_ELSEWHERE = 160


class Refused(UserError):
    """What was asked for cannot be done, and nothing was started; the text is one line that says why."""


def complain(text: str) -> None:
    """Say what is wrong, in one line."""
    print(f"nereus: {printable(' '.join(text.split()))}", file=sys.stderr, flush=True)


def warn(texts: Iterable[str]) -> None:
    """Say what is doubtful, a line each."""
    for text in texts:
        complain(f"warning: {text}")


def note(text: str, quiet: bool = False) -> None:
    """Say where things are."""
    if not quiet:
        print(printable_lines(text), file=sys.stderr, flush=True)


def say(text: str) -> None:
    """Print lines for people."""
    print(printable_lines(text), flush=True)


def write(text: str) -> None:
    """Print what is written for a program, as a file's contents: nothing of it is changed."""
    sys.stdout.write(text)


def show(content: "RenderableType") -> None:
    """Print a table or text for people."""
    from nereus.analysis.report.console import PlainConsole  # commands that show none start sooner

    console = PlainConsole()
    if not console.is_terminal:
        console = PlainConsole(width=_WIDTH_ELSEWHERE)
    console.print(content)


def show_json(document: Any) -> None:
    """Print one JSON document for programs."""
    # Bytes of a command that are no UTF-8 are characters that only JSON's own way to write them can show.
    print(printable_lines(json.dumps(document, indent=2, ensure_ascii=False)))


def show_json_line(document: Any) -> None:
    """Print one of many JSON documents, at once."""
    print(json.dumps(document), flush=True)
