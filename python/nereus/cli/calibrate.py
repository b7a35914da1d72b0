# SPDX-License-Identifier: BSD-3-Clause
"""nereus calibrate - measure once what `auto` chooses by."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from nereus.bench import StoredCosts, stored_costs
from nereus.bench.calibration import (
    PAIR,
    Measured,
    amounts,
    bench_for,
    costs_of,
    measure,
    over_after,
    rounds_of,
)
from nereus.bench.costs import Cost, new_costs, store_costs
from nereus.bench.transfer_trials import PROGRAM
from nereus.bench.transfer_ways import TransferWay
from nereus.cli.bench_transfer_words import Asked, read_asked
from nereus.cli.calibrate_table import document, tables
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, complain, note, show, show_json
from nereus.cli.trial_bar import TrialBar
from nereus.launch import Build, Stopping, builds, choose, fostering
from nereus.methods import TRANSFER_METHODS, TRANSFER_STRATEGIES

#: Less would measure nothing but the time that a message takes.
_LEAST_BYTES = 2**20
_MOST_SECONDS = 86400.0


def calibrate(
    mpi: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="MPI build to measure; may be given again.")
    ] = None,
    size: Annotated[
        str, typer.Option("--bytes", metavar="SIZE", help="The largest amount of data.")
    ] = "64MiB",
    repeat: Annotated[
        int, typer.Option(min=1, max=1000, help="Rounds over all ways and amounts, as far as there is time.")
    ] = 3,
    limit: Annotated[
        float, typer.Option(min=5.0, max=_MOST_SECONDS, metavar="SECONDS", help="Time for each MPI.")
    ] = 60.0,
    show_stored: Annotated[
        bool, typer.Option("--show", help="Measure nothing; show what is stored.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure once what each way to move data costs on this machine; `auto` then chooses by it.

    Example: nereus calibrate --mpi mpich --mpi openmpi
    """
    asked = _asked(size)
    chosen = [choose(name) for name in mpi] if mpi else builds() if show_stored else [choose()]
    with Stopping() as stopping, fostering():
        if not show_stored:
            for build in chosen:
                build.program(PROGRAM)
            for build in chosen:
                _calibrate(build, asked, repeat, limit, stopping)
    if stopping.signal is not None:
        complain(f"stopped by {stopping.text}; nothing is stored of an MPI that was not measured to the end")
        raise typer.Exit(stopping.exit_code)
    _present(chosen, [stored_costs(build) for build in chosen], as_json)


def _asked(size: str) -> Asked:
    words = {
        "methods": ",".join(TRANSFER_METHODS),
        "strategies": ",".join(TRANSFER_STRATEGIES),
        "process-methods": "merge",
        "process-strategies": "none",
    }
    words |= {"from": str(PAIR.before), "to": str(PAIR.after), "bytes": size, "network": "shm"}
    asked = read_asked(words, 1, 100)
    if asked.amount.bytes < _LEAST_BYTES:
        raise Refused(f"--bytes = {size}: allowed is 1MiB or more")
    return asked


def _calibrate(build: Build, asked: Asked, repeat: int, limit: float, stopping: Stopping) -> None:
    """Measure with one MPI, and store what was found."""
    over = over_after(limit, lambda: stopping.signal is not None)
    bench = bench_for(build, asked.amount.bytes, limit, over)
    wanted = amounts(asked.amount.bytes)
    made: list[Measured] = []
    with TrialBar(build.name, repeat * len(wanted) * len(asked.ways)) as bar:
        for one in measure(bench, asked.ways, repeat):
            made.append(one)
            bar.advance(one.trial.way.text)
    if stopping.signal is not None:
        return
    for trial in (one.trial for one in made if not one.trial.works):
        note(f"{build.name} {trial.way.text}: failed and will not be chosen: {trial.reason}")
    rounds = rounds_of(made, asked.ways, wanted)
    late = [way for way, number in rounds.items() if number == 0]
    kept = _stored_of(build, late)
    _tell_of_time(build, rounds, kept, repeat, limit)
    costs = costs_of([one for one in made if one.trial.way not in late])
    if not costs:
        complain(
            f"{build.name}: no way to move data {'was measured' if late else 'works'}; nothing was stored"
        )
        raise typer.Exit(1)
    note(f"stored: {store_costs(build, new_costs(build, [*costs, *kept]))}")


def _stored_of(build: Build, ways: Sequence[TransferWay]) -> list[Cost]:
    """What is known of them from before."""
    stored = stored_costs(build).costs
    asked = {(way.method, way.strategy) for way in ways}
    return [cost for cost in (stored.costs if stored else ()) if (cost.method, cost.strategy) in asked]


def _tell_of_time(
    build: Build, rounds: Mapping[TransferWay, int], kept: Sequence[Cost], repeat: int, limit: float
) -> None:
    """Where it did not suffice for all that was asked for."""
    late = [way.text for way, number in rounds.items() if number == 0]
    made = min((number for number in rounds.values() if number), default=repeat)
    if made < repeat:
        note(f"{build.name}: {made} of {repeat} rounds were made in {limit:g} s; --limit gives more time")
    if late:
        end = f", and earlier costs of {len(kept)} are kept" if kept else " and will not be chosen"
        note(f"{build.name} {', '.join(late)}: not measured in {limit:g} s{end}; --limit gives more time")


def _present(chosen: Sequence[Build], all_stored: Sequence[StoredCosts], as_json: bool) -> None:
    """Show what is stored now. Exit code 0: something is for each."""
    found = [document(stored, build.name) for build, stored in zip(chosen, all_stored, strict=True)]
    if as_json:
        show_json({"calibrations": found})
    else:
        show(tables(found, all_stored))
    raise typer.Exit(0 if found and all(stored.costs for stored in all_stored) else 1)
