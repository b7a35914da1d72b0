# SPDX-License-Identifier: BSD-3-Clause
"""nereus - make MPI jobs malleable: emulate, resize, measure."""

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from nereus import __version__
from nereus.cli.bench import bench
from nereus.cli.calibrate import calibrate
from nereus.cli.convert import convert
from nereus.cli.doctor import doctor
from nereus.cli.emulate import emulate
from nereus.cli.jobs import jobs
from nereus.cli.messages import Refused, complain
from nereus.cli.report import report
from nereus.cli.resize import resize
from nereus.cli.run import run as run_program
from nereus.config import ConfigError
from nereus.launch import LaunchError
from nereus.report import ResultError

USER_ERRORS = (ConfigError, LaunchError, ResultError, Refused)

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
app.command()(emulate)
# What stands behind the program's name belongs to the program.
app.command("run", context_settings={"allow_interspersed_args": False})(run_program)
app.command()(jobs)
app.command()(resize)
app.command()(doctor)
app.command()(calibrate)
app.command()(report)
app.command()(convert)
app.add_typer(bench, name="bench")


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"nereus {__version__}")
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
        print(context.get_help())


def run(arguments: Sequence[str]) -> int:
    """Carry out one command line; returns the exit code. A user's mistake is one line, never a traceback."""
    try:
        result = app(args=list(arguments), prog_name="nereus", standalone_mode=False)
    except USER_ERRORS as error:
        complain(str(error))
        return 2
    except typer.TyperException as error:
        complain(f"{error.format_message()} (nereus --help)")
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
