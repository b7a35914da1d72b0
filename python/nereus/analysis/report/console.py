# SPDX-License-Identifier: BSD-3-Clause
"""The terminal: tables and texts for people, in which text from outside is text and nothing else."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from nereus import printable_lines


class PlainConsole(Console):
    """Neither brackets mean styles in it, nor does what a job is called reach the terminal as a command."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **settings)

    def render_str(self, text: str, **settings: Any) -> Text:
        """Before its width is measured."""
        return super().render_str(printable_lines(text), **settings)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Whatever it is made of; what is of the console itself, as moves of the cursor, stays."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable_lines(segment.text), segment.style)
