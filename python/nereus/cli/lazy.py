# SPDX-License-Identifier: BSD-3-Clause
"""Commands that are imported when they are asked for: to import all takes longer than many of them run."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from nereus.cli.help_text import HelpInWholeWords
from nereus.cli.usage import kinds_of

#: `nereus help run` is `nereus run --help`.
HELP_COMMAND = "help"
HELP_OPTIONS = ["-h", "--help"]
_METAVARS = {int: "N", float: "NUMBER", Path: "FILE", str: "TEXT"}


@dataclass(frozen=True)
class Home:
    """Where a command is: a function, or a group, of the command's name in a module."""

    module: str
    interspersed: bool = True  # whether options may stand behind arguments
    interspersed_with: str = ""  # an option with which they may stand behind the first one
    section: str = "Commands"  # of the list in which its group shows it


def group_of(
    homes: Mapping[str, Home], usual: str | None = None, add_completion: bool = False
) -> typer.Typer:
    """A group of the commands that live there, in this order; `usual`: the one whose name may be left out."""

    class Group(HelpInWholeWords, TyperGroup):
        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            # The names suffice for suggestions; what is more, the two last methods say.
            names: dict[str, Any] = dict.fromkeys(homes)
            self.commands = names
            _name_values(self.params)

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            if args[:1] == [HELP_COMMAND]:
                args = _asking_for_help(args[1:], homes)
            if usual is not None and not set(args[:1]) & {*HELP_OPTIONS, *homes}:
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

        def format_commands(self, ctx: Any, formatter: Any) -> None:
            """By sections, each with the whole first paragraph of its help."""
            sections: dict[str, list[tuple[str, str]]] = {}
            for name, home in homes.items():
                text = " ".join((_listed(name, home).help or "").split())
                sections.setdefault(home.section, []).append((name, text))
            for title, rows in sections.items():
                with formatter.section(title):
                    formatter.write_dl(rows)

    return typer.Typer(
        cls=Group,
        add_completion=add_completion,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": HELP_OPTIONS},
    )


def _asking_for_help(words: list[str], homes: Mapping[str, Home]) -> list[str]:
    """The command line that prints the help of a command, or of one of a group's; nothing else may start."""
    name, *further = words or [""]
    if further and name in homes and isinstance(_command(name, homes[name]), TyperGroup):
        return [name, HELP_COMMAND, *further]
    return [*words[:1], HELP_OPTIONS[0]]


def _command(name: str, home: Home) -> Any:
    found = getattr(import_module(home.module), name)
    if isinstance(found, typer.Typer):
        group = get_command(found)
        group.name = name
        return group
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    settings = {"allow_interspersed_args": home.interspersed, "help_option_names": HELP_OPTIONS}
    alone.command(name, cls=_Command, context_settings=settings)(found)
    made: Any = get_command(alone)
    made.interspersed_with = home.interspersed_with
    return made


class _Command(HelpInWholeWords, TyperCommand):
    """Its help names values in a word, and arguments as their declarations do."""

    interspersed_with = ""

    def __init__(self, *positional: Any, **settings: Any) -> None:
        super().__init__(*positional, **settings)
        _name_values(self.params)
        self._arguments: list[Any] = [each for each in self.params if each.param_type_name == "argument"]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        # Behind one argument, or none: further words may be a command that has such an option too.
        before = list(takewhile(lambda word: word.partition("=")[0] != self.interspersed_with, args))
        if len(before) < len(args) and all(word.startswith("-") for word in before[:-1]) and "--" not in args:
            ctx.allow_interspersed_args = True
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return ["[OPTIONS]", *(a.metavar if a.required else f"[{a.metavar}]" for a in self._arguments)]


def _name_values(parameters: Sequence[Any]) -> None:
    for each in parameters:
        if each.param_type_name == "argument":
            each.metavar = each.metavar or each.name.upper() + "..." * (each.nargs != 1)
            each.display_type_rich = _no_type
        elif not each.is_flag:
            each.metavar = each.metavar or _metavar_of(each)


def _no_type(ctx: Any) -> None:
    """Of an argument, whose name says enough."""


def _metavar_of(option: Any) -> str | None:
    """A word for its value; None for what the parser names itself."""
    return next((word for kind, word in _METAVARS.items() if kind in kinds_of(option)), None)


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
