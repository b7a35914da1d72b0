# SPDX-License-Identifier: BSD-3-Clause
"""nereus - make MPI jobs malleable: emulate, resize, measure."""

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

import nereus
from nereus.cli.lazy import Home, group_of
from nereus.cli.messages import complain, say, write
from nereus.cli.usage import sentence

app = group_of(
    {
        "emulate": Home("nereus.cli.emulate"),
        # What stands behind the program's name belongs to the program.
        "run": Home("nereus.cli.run", interspersed=False),
        "monitor": Home("nereus.cli.monitor", interspersed=False),
        "capture": Home("nereus.cli.capture", interspersed=False),
        "top": Home("nereus.cli.top"),
        "page": Home("nereus.cli.page"),
        "jobs": Home("nereus.cli.jobs"),
        "resize": Home("nereus.cli.resize"),
        "daemon": Home("nereus.cli.daemon"),
        "profile": Home("nereus.cli.profile", interspersed=False),
        "doctor": Home("nereus.cli.doctor"),
        "calibrate": Home("nereus.cli.calibrate"),
        "report": Home("nereus.cli.report"),
        "study": Home("nereus.cli.study"),
        "simulate": Home("nereus.cli.simulate"),
        "convert": Home("nereus.cli.convert"),
        "matrix": Home("nereus.cli.matrix"),
        "place": Home("nereus.cli.place"),
        "bench": Home("nereus.cli.bench"),
    }
)


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"nereus {nereus.__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Make MPI jobs malleable: run and resize programs, or emulate one and see what its resizes cost.

    Example: nereus emulate examples/emulate/minimal.toml
    """
    if context.invoked_subcommand is None:
        write(context.get_help() + "\n")


def run(arguments: Sequence[str]) -> int:
    """Carry out one command line; returns the exit code. A user's mistake is one line, never a traceback."""
    try:
        result = app(args=list(arguments), prog_name="nereus", standalone_mode=False)
    except nereus.UserError as error:
        for line in error.lines:
            complain(line)
        return 2
    except typer.TyperException as error:
        complain(f"{sentence(error)} (nereus --help)")
        return 2
    except BrokenPipeError:
        raise
    except OSError as error:
        complain(f"{error.filename or 'a file'}: {error.strerror}")
        return 1
    return result if isinstance(result, int) else 0


def main() -> None:
    """The entry point of the command."""
    try:
        code = run(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has enough of it, as `head` does; Python must not complain at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)
