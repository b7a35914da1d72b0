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

_RUN, _LOOK, _STUDY = "Run and resize", "Look", "Study"
_PLAN, _OPERATE = "Simulate and place", "Operate"

app = group_of(
    {
        "demo": Home("nereus.cli.demo", section=_RUN),
        # What stands behind the program's name belongs to the program.
        "run": Home("nereus.cli.run", interspersed=False, section=_RUN),
        "resize": Home("nereus.cli.resize", section=_RUN),
        "save": Home("nereus.cli.save", section=_RUN),
        "emulate": Home("nereus.cli.emulate", section=_RUN),
        "jobs": Home("nereus.cli.jobs", section=_LOOK),
        "top": Home("nereus.cli.top", section=_LOOK),
        "page": Home("nereus.cli.page", section=_LOOK),
        "monitor": Home("nereus.cli.monitor", interspersed=False, section=_LOOK),
        "trace": Home("nereus.cli.trace", interspersed=False, interspersed_with="--for", section=_LOOK),
        "export": Home("nereus.cli.export", section=_LOOK),
        "report": Home("nereus.cli.report", section=_LOOK),
        "compare": Home("nereus.cli.compare", section=_LOOK),
        "study": Home("nereus.cli.study", section=_STUDY),
        "capture": Home("nereus.cli.capture", interspersed=False, section=_STUDY),
        "profile": Home("nereus.cli.profile", interspersed=False, section=_STUDY),
        "bench": Home("nereus.cli.bench", section=_STUDY),
        "convert": Home("nereus.cli.convert", section=_STUDY),
        "matrix": Home("nereus.cli.matrix", section=_STUDY),
        "examples": Home("nereus.cli.examples", section=_STUDY),
        "schema": Home("nereus.cli.schema", section=_STUDY),
        "simulate": Home("nereus.cli.simulate", section=_PLAN),
        "place": Home("nereus.cli.place", section=_PLAN),
        "build": Home("nereus.cli.build", section=_OPERATE),
        "daemon": Home("nereus.cli.daemon", section=_OPERATE),
        "doctor": Home("nereus.cli.doctor", section=_OPERATE),
        "calibrate": Home("nereus.cli.calibrate", section=_OPERATE),
    },
    add_completion=True,
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
