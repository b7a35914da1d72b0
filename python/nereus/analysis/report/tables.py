# SPDX-License-Identifier: BSD-3-Clause
"""The look of all tables for people: no lines, words to the left, numbers to the right.

A cell has its unit with it (`units`), so that headings have none.
"""

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Column, Table
from rich.text import Text


def number(heading: str) -> Column:
    """A column of numbers, which are compared by their ends."""
    return Column(heading, justify="right")


def new_table(*columns: str | Column, title: str = "", show_header: bool = True) -> Table:
    """A table without rows; a column that is given by its heading alone has words."""
    return _Titled(title, *columns, show_header=show_header)


class _Titled(Table):
    """Its title is as wide as the screen: one of the usual kind is broken where the table ends."""

    def __init__(self, heading: str, *columns: str | Column, show_header: bool) -> None:
        super().__init__(*columns, box=None, pad_edge=False, show_header=show_header)
        self._heading = heading

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The title above the table."""
        if self._heading:
            yield Text(self._heading, style="bold")
        yield from super().__rich_console__(console, options)
