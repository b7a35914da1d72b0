# SPDX-License-Identifier: BSD-3-Clause
"""Helps in which no word is cut at a hyphen: options and names of files are to be read, and copied, whole."""

from typing import Any

import typer

_UNBROKEN = "\u2011"  # a hyphen at which lines are not broken


# A class that the parser of options has, and does not name as one to derive from.
_Formatter: Any = typer.Context.formatter_class


class WholeWords(_Formatter):  # type: ignore[misc]
    """Writes what it is given with other hyphens, and tells it with usual ones."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, _unbroken(args), prefix)

    def write_text(self, text: str) -> None:
        super().write_text(_unbroken(text))

    def write_dl(self, rows: Any, *widths: Any, **spacing: Any) -> None:
        whole = [(_unbroken(name), _unbroken(text)) for name, text in rows]
        super().write_dl(whole, *widths, **spacing)

    def getvalue(self) -> str:
        return str(super().getvalue()).replace(_UNBROKEN, "-")


def _unbroken(text: str) -> str:
    return text.replace("-", _UNBROKEN)


class HelpInWholeWords:
    """For commands and groups."""

    def get_help(self, ctx: Any) -> str:
        """As the base's."""
        ctx.formatter_class = WholeWords
        text: str = super().get_help(ctx)  # type: ignore[misc]
        return text
