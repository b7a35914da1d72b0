# SPDX-License-Identifier: BSD-3-Clause
"""nereus run --adapter FILE -- PROGRAM ARGS - run a program that saves its own state."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from signal import SIGTERM
from typing import TYPE_CHECKING, Annotated

import typer

from nereus.cli.messages import Refused, complain, note
from nereus.cli.run_end import exit_code_of
from nereus.cli.run_start import where_it_starts
from nereus.launch import Build, SaveSignals, Stopping, fostering
from nereus.methods import Placement
from nereus.runs import TO_BE_CONTINUED, Ending, RecoveryLimit, Where
from nereus.supervisor import check_control_socket, claim_name

if TYPE_CHECKING:  # jobs of programs with Nereus begin sooner without it
    from nereus.adapters import Start

AdapterOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        show_default=False,
        help="The program does not use Nereus, and saves its own state: how, says this file (TOML).",
    ),
]


def check_adapter_options(others: Mapping[str, object], placement: Placement) -> None:
    """Refuse what the program would have to use Nereus for."""
    given = next((option for option, value in others.items() if value is not None), None)
    if given is not None:
        raise Refused(f"{given} = {others[given]}: does not go together with --adapter")
    if placement == "measured":
        raise Refused("--placement = measured: does not go together with --adapter")


def adapted_start(
    file: Path, build: Build, program: Path, arguments: tuple[str, ...], where: Where, most: int
) -> "Start":
    """ConfigError where the adapter's file is wrong."""
    from nereus.adapters import Start, load_adapter

    return Start(load_adapter(file), file, where, build, program, arguments, most)


def run_adapted(
    start: "Start",
    again: RecoveryLimit,
    name: str | None,
    ranks: int,
    queue: bool,
    quiet: bool,
    program: str,
) -> int:
    """The exit code of the job."""
    from nereus.adapters import AdaptedJob

    start.shares(ranks)
    with Stopping() as stopping, fostering():
        check_control_socket()
        with (
            claim_name(name, start.program.name) as claim,
            where_it_starts(start.where, claim, ranks, queue, stopping, quiet) as there,
        ):
            if there is None:
                return exit_code_of(Ending(None), stopping)
            with SaveSignals([SIGTERM]) as to_save:

                def say(text: str) -> None:
                    complain(f"job {claim.name}: {text}")

                job = AdaptedJob(replace(start, where=there), claim, ranks, again, to_save, say)
                note(f"job {claim.name}: `nereus resize {claim.name} N` asks it for N ranks", quiet)
                ending = job.run(lambda: stopping.signal is not None)
                if ending.outcome is None:
                    stopping.signal = stopping.signal or to_save.first
    return _exit_code(ending, start, stopping, program)


def _exit_code(ending: Ending, start: "Start", stopping: Stopping, program: str) -> int:
    code = exit_code_of(ending, stopping)
    if code != 0 or not ending.stopped:
        return code
    complain(f"stopped after it was saved; to continue: {start.continued(ending.ranks, program)}")
    return TO_BE_CONTINUED
