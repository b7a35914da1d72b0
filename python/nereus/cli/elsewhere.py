# SPDX-License-Identifier: BSD-3-Clause
"""`--at HOST`: the same command, carried out on another host."""

import sys
from typing import Annotated, Any

import typer

from nereus.cli.messages import Refused, complain
from nereus.cli.start import OWN_COMMAND
from nereus.launch import Stopping
from nereus.launch.hosts import is_name
from nereus.launch.remote_command import NoEnd, run_there

AtOption = Annotated[
    str | None,
    typer.Option(
        "--at", metavar="HOST", show_default=False, help="Carry this command out on HOST, by a remote shell."
    ),
]
AtShellOption = Annotated[
    str | None,
    typer.Option(
        "--rsh",
        metavar="CMD",
        show_default=False,
        help="With --at: the remote shell in the place of ssh, CMD HOST COMMAND.",
    ),
]
_OURS = ("at", "rsh")
# What the other host's shell and Python need to begin.
_BEGIN_WITHIN = 60.0


def carried_out_elsewhere(
    context: typer.Context, at: str | None, rsh: str | None, seconds: float | None, terminal: bool = False
) -> None:
    """With `at`, carry out the command of this context there, and exit with its code; else do nothing.

    `seconds`: how long the command may take by itself, None: as long as it likes; `terminal`: it may draw.
    """
    if at is None:
        if rsh is not None:
            raise Refused(f"--rsh = {rsh}: only with --at")
        return
    if not is_name(at):
        raise Refused(f"--at = {at or '(empty)'}: is no name of a host")
    limit = None if seconds is None else seconds + _BEGIN_WITHIN
    draws = terminal and sys.stdin.isatty() and sys.stdout.isatty()
    with Stopping() as stopping:
        try:
            code = run_there(at, [*OWN_COMMAND, *_words(context)], stopping, rsh, draws, limit)
        except NoEnd as problem:
            complain(f"--at = {at}: {problem}")
            code = 1
    raise typer.Exit(code)


def _words(context: typer.Context) -> list[str]:
    """The command line again, without what concerns the other host."""
    options: list[str] = []
    arguments: list[str] = []
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if name in _OURS or source is None or source.name != "COMMANDLINE":
            continue
        if parameter.param_type_name == "argument":
            arguments.append(str(context.params[name]))
        else:
            options += _option(parameter, context.params[name])
    return [context.info_name or "", *options, "--", *arguments]


def _option(parameter: Any, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [parameter.opts[0] if value else parameter.secondary_opts[0]]
    return [f"{parameter.opts[0]}={value}"]
