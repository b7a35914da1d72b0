# SPDX-License-Identifier: BSD-3-Clause
"""Commands that are imported when they are asked for: to import all takes longer than many of them run."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
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
            # The names suffice for suggestions; what is more, the two last methods say.
            names: dict[str, Any] = dict.fromkeys(homes)
            self.commands = names

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            if usual is not None and args[:1] != ["--help"] and not set(args[:1]) & set(homes):
                args = [usual, *args]
            return super().parse_args(ctx, args)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            """For lists: it has a name and the first paragraph of its help, and cannot be carried out."""
            return _listed(cmd_name, homes[cmd_name]) if cmd_name in homes else None

        def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
            """Of a command line: the command itself."""
            if args[0] in homes:
                return args[0], _command(args[0], homes[args[0]]), args[1:]
            return super().resolve_command(ctx, args)

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


def _listed(name: str, home: Home) -> TyperCommand:
    """Read in the text of its module, whose imports may take long."""
    spec = find_spec(home.module)
    text = Path(spec.origin).read_text(encoding="utf-8") if spec and spec.origin else ""
    helps = (
        ast.get_docstring(part) or ""
        for part in ast.parse(text).body
        if isinstance(part, ast.FunctionDef) and (part.name == name or _is_callback(part))
    )
    return TyperCommand(name, help=next(helps, "").split("\n\n")[0])


def _is_callback(function: ast.FunctionDef) -> bool:
    """Whether a group has its help from there."""
    return any(".callback(" in ast.unparse(each) for each in function.decorator_list)
