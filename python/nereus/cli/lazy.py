# SPDX-License-Identifier: BSD-3-Clause
"""Commands that are imported when they are asked for: to import all takes longer than many of them run."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command


@dataclass(frozen=True)
class Home:
    """Where a command is: a function, or a group, of the command's name in a module."""

    module: str
    interspersed: bool = True  # whether options may stand behind arguments


def group_of(homes: Mapping[str, Home], usual: str | None = None) -> typer.Typer:
    """A group of the commands that live there, in this order; `usual`: the one whose name may be left out."""

    class Group(TyperGroup):
        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            # The names suffice for lists and suggestions; whoever wants a command asks below.
            names: dict[str, Any] = dict.fromkeys(homes)
            self.commands = names

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            if usual is not None and args[:1] != ["--help"] and not set(args[:1]) & set(homes):
                args = [usual, *args]
            return super().parse_args(ctx, args)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            return _command(cmd_name, homes[cmd_name]) if cmd_name in homes else None

    return typer.Typer(cls=Group, add_completion=False, pretty_exceptions_enable=False)


def _command(name: str, home: Home) -> Any:
    found = getattr(import_module(home.module), name)
    if isinstance(found, typer.Typer):
        group = get_command(found)
        group.name = name
        return group
    alone = typer.Typer(add_completion=False)
    alone.command(name, context_settings={"allow_interspersed_args": home.interspersed})(found)
    return get_command(alone)
