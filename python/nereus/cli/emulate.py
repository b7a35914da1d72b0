# SPDX-License-Identifier: BSD-3-Clause
"""nereus emulate FILE - run an emulated application that grows and shrinks."""

import json
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from nereus.analysis.report import Progress, ResultError, Results, draw, read, table, write_csv
from nereus.analysis.report.tables import new_table
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, complain, note, show, show_json, warn, write
from nereus.cli.proteo_codes import Codes, ProteoCodesOption
from nereus.cli.where import HostsOption, OversubscribeOption, RshOption
from nereus.config import Loaded, describe, load, write_toml
from nereus.launch import RANKS_PER_CORE, Build, Stopping, cores, fostering, most_ranks
from nereus.runs import Where
from nereus.runs.emulated_job import Ended, Means
from nereus.runs.experiment import build_for, check_protection, load_measured, means_for, run
from nereus.runs.results_folder import is_full, new_folder, unused_folder
from nereus.supervisor import check_control_socket


def emulate(
    file: Annotated[
        Path | None, typer.Argument(help="Experiment: our TOML, or Proteo's JSON or INI.")
    ] = None,
    measured: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="RESULTS", help="Emulate the application that wrote this (NEREUS_RESULTS)."
        ),
    ] = None,
    jobs: Annotated[
        Path | None,
        typer.Option(
            metavar="WORKLOAD",
            help="Many emulated applications under a daemon; the same is simulated beside.",
        ),
    ] = None,
    print_experiment: Annotated[
        bool, typer.Option("--print", help="Print the experiment as our TOML; run nothing.")
    ] = False,
    mpi: Annotated[str | None, typer.Option(metavar="NAME", help="MPI build to use (nereus doctor).")] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Results folder; if not given, results/NAME-TIME.")
    ] = None,
    as_json: JsonOption = False,
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Show each value and where it comes from; run nothing.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, only what went wrong.")] = False,
    max_ranks: Annotated[
        int | None,
        typer.Option(min=1, help=f"Most ranks to start; if not given, {RANKS_PER_CORE} for each core."),
    ] = None,
    hosts: HostsOption = "",
    rsh: RshOption = None,
    oversubscribe: OversubscribeOption = False,
    proteo_codes: ProteoCodesOption = None,
    picture: Annotated[bool, typer.Option(help="Draw DIR/picture.png at the end.")] = True,
) -> None:
    """Run an emulated application that grows and shrinks, or fails as it is told, and report the costs.

    Example: nereus emulate examples/emulate/cg.toml --mpi openmpi

    Example: nereus emulate --jobs examples/workload/three-solvers.toml
    """
    if jobs is not None:
        others = {
            "FILE": file,
            "--from": measured,
            "--print": print_experiment,
            "--print-config": print_config,
            "--hosts": hosts,
            "--rsh": rsh,
            "--oversubscribe": oversubscribe,
            "--proteo-codes": proteo_codes,
            "--no-picture": not picture,
        }
        _emulate_jobs(jobs, output, mpi, max_ranks, as_json, quiet, [name for name in others if others[name]])
        return
    source, loaded = _load(file, measured, proteo_codes)
    warn(loaded.warnings)
    if print_experiment and as_json:
        raise Refused("--json: allowed without --print, which prints TOML")
    if print_experiment:
        write(write_toml(loaded.experiment))
        return
    if print_config:
        _print_config(loaded, as_json)
        return
    build = build_for(loaded, source, mpi)
    where = _where(loaded, hosts, rsh, oversubscribe)
    _check_capacity(loaded, source, max_ranks, where)
    ended, folder = emulated(loaded, build, where, output, quiet)
    is_good = present(ended, folder, _show_json if as_json else _show_table, quiet, picture)
    raise typer.Exit(0 if is_good else 1)


def emulated(
    loaded: Loaded, build: Build, where: Where, output: Path | None, quiet: bool
) -> tuple[Ended, Path]:
    """How it ended, and its folder. Exit where it is stopped."""
    with Stopping() as stopping, fostering():
        check_control_socket()
        means = means_for(
            loaded.experiment.process_methods, build, where, lambda: stopping.signal is not None
        )
        if stopping.signal is not None:
            raise typer.Exit(stopping.exit_code)
        _warn_of_joins(loaded, means)
        build.program("nereus-emulator")
        folder = new_folder(output, loaded.experiment.name)
        shown = partial(Progress, quiet=quiet)
        ended = run(loaded.experiment, means, folder, shown, lambda: stopping.signal is not None)
    if ended.outcome is None:
        complain(f"stopped by {stopping.text}; results so far: {folder} (nereus report {folder})")
        raise typer.Exit(stopping.exit_code)
    return ended, folder


def _emulate_jobs(
    jobs: Path,
    output: Path | None,
    mpi: str | None,
    max_ranks: int | None,
    as_json: bool,
    quiet: bool,
    others: Sequence[str],
) -> None:
    """`others`: options of this command line that one experiment has, and a workload has not."""
    from nereus.cli.study_live import study_live  # the daemon's policies take long to import

    if others:
        raise Refused(f"--jobs: allowed without {', '.join(others)}")
    study_live(
        jobs, lambda name: output or unused_folder(name), mpi, max_ranks, as_json, plan=False, quiet=quiet
    )


def _warn_of_joins(loaded: Loaded, means: Means) -> None:
    """The job itself does not know why processes cannot join it."""
    asked = any("join" in group.process_strategies for group in loaded.experiment.groups[1:])
    if asked and not means.join.works:
        warn([f"processes cannot join with {means.build.name} here: {means.join.reason}"])


def _load(file: Path | None, measured: Path | None, proteo_codes: Codes | None) -> tuple[Path, Loaded]:
    """What is to be emulated, and the file that says so."""
    if file is not None and measured is None:
        return file, load(
            file, environment=os.environ, proteo_codes=proteo_codes.value if proteo_codes else None
        )
    if measured is None or file is not None:
        raise Refused("allowed is either FILE, an experiment, or --from RESULTS of a real application")
    return measured, load_measured(measured)


def _print_config(loaded: Loaded, as_json: bool) -> None:
    rows = describe(loaded)
    if as_json:
        show_json([{"key": key, "value": value, "origin": origin} for key, value, origin in rows])
        return
    grid = new_table("key", "value", "origin")
    for key, value, origin in rows:
        # As texts, because brackets in strings mean styles to the table.
        grid.add_row(Text(key), Text(json.dumps(value, ensure_ascii=False)), Text(origin))
    show(grid)


def _where(loaded: Loaded, hosts: str, rsh: str | None, oversubscribe: bool) -> Where:
    first = loaded.experiment.groups[0]
    placements = [group.placement for group in loaded.experiment.groups]
    where = Where.read(warn, hosts, rsh, placements, oversubscribe)
    where.check_slots(first.ranks)
    check_protection(loaded.experiment, where)
    return where


def _check_capacity(loaded: Loaded, file: Path, max_ranks: int | None, where: Where) -> None:
    limit = max_ranks or (RANKS_PER_CORE * where.slots if where.hosts else most_ranks())
    for number, group in enumerate(loaded.experiment.groups):
        if group.ranks > limit:
            key = f"groups[{number}].ranks"
            origin = loaded.origins.get(key, "default")
            place = file if origin == "default" else origin
            rule = (
                "--max-ranks"
                if max_ranks
                else f"{RANKS_PER_CORE} for each of {_units(where)}; see --max-ranks"
            )
            raise Refused(
                f"{place}: {key} = {group.ranks}: the launcher is asked for at most {limit} ({rule})"
            )


def _units(where: Where) -> str:
    return f"{where.slots} slots" if where.hosts else f"{cores()} cores"


def present(ended: Ended, folder: Path, shown: Callable[[Results], None], quiet: bool, picture: bool) -> bool:
    """Show what there is; True when the run came to a good end and its files could be written."""
    for line in ended.complaints:
        note(line)
    failure = None if ended.outcome is None or ended.outcome.good else ended.outcome.text
    if failure is not None and is_full(folder):
        failure += f" (no space is left on the device of {folder})"
    try:
        results = read(folder)
    except ResultError as error:
        complain(f"the run did not finish: {failure or error}; what it wrote: {folder}")
        return False
    shown(results)
    written = _write(results, folder, picture)
    if failure is None and not results.finished:
        failure = "the results have no end"
    if failure is not None:
        complain(f"the run did not finish: {failure}; results so far: {folder} (nereus report {folder})")
        return False
    if written:
        note(f"results: {folder}", quiet)
    return written


def _show_json(results: Results) -> None:
    show_json(results.document())


def _show_table(results: Results) -> None:
    show(table(results))


def _write(results: Results, folder: Path, picture: bool) -> bool:
    """Whether its files could be written."""
    try:
        write_csv(results, folder)
        if picture:
            draw([results], folder / "picture.png")
    except OSError as problem:
        place = problem.filename or folder
        complain(
            f"{place}: cannot be written: {problem.strerror}; `nereus report {folder}` shows the results"
        )
        return False
    return True
