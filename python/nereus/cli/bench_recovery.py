# SPDX-License-Identifier: BSD-3-Clause
"""nereus bench recovery - how soon a job goes on after a death, and what its epochs cost."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

import typer

from nereus.analysis.report.units import (
    bytes_text,
    change_text,
    count_text,
    range_text,
    ratio_text,
    seconds_text,
    spread_text,
)
from nereus.bench.epochs_job import PROGRAM, Size
from nereus.bench.local_hosts import complaint as complaint_about_hosts
from nereus.bench.logged_job import TrialError
from nereus.bench.recovery_rows import (
    RecoveryRow,
    row_of_costs,
    rows_of_host_losses,
    rows_of_memory_recoveries,
    rows_of_recoveries,
    rows_of_rounds,
    rows_of_times,
)
from nereus.bench.recovery_trials import HostLoss, Recovery, RecoveryTrials, Round
from nereus.bench.saving_costs import OFF, ON, PROGRAMS, PROTECTED, SavingCosts
from nereus.bench.ulfm_job import complaint_about_ulfm
from nereus.cli.bench_bytes import data_bytes
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, complain, show, show_json
from nereus.cli.start import OWN_COMMAND
from nereus.cli.trial_bar import TrialBar
from nereus.launch import Build, Stopping, choose, fostering, most_ranks

if TYPE_CHECKING:
    from rich.table import Table

_COSTS = {"off": OFF, "on": ON, "protected": PROTECTED}
_One = TypeVar("_One")


@dataclass(frozen=True)
class _Kind(Generic[_One]):
    """What is done to a job again and again."""

    title: str
    run: Callable[[RecoveryTrials, int], Iterator[_One]]
    seconds: Callable[[_One], float]
    rows: Callable[[str, int, Sequence[_One]], list[RecoveryRow]]


_KILLS: _Kind[Round] = _Kind("kills", RecoveryTrials.rounds, lambda one: one.recovery.seconds, rows_of_rounds)
_MEMORY: _Kind[Recovery] = _Kind(
    "kills, memory", RecoveryTrials.memory_recoveries, lambda one: one.seconds, rows_of_memory_recoveries
)
_RERUNS: _Kind[float] = _Kind("jobs run again", RecoveryTrials.reruns, float, partial(rows_of_times, "rerun"))
_RESTARTS: _Kind[float] = _Kind("restarts", RecoveryTrials.restarts, float, partial(rows_of_times, "restart"))


def _by_ulfm(case: str, title: str, replaces: bool) -> _Kind[Recovery]:
    run = partial(RecoveryTrials.ulfm, replaces=replaces)
    return _Kind(title, run, lambda one: one.seconds, partial(rows_of_recoveries, case))


def _of_hosts(case: str, title: str, has_buddies: bool) -> _Kind[HostLoss]:
    run = partial(RecoveryTrials.host_losses, has_buddies=has_buddies)
    return _Kind(title, run, lambda one: one.seconds, partial(rows_of_host_losses, case))


_ON_HOSTS = {
    "host": _of_hosts("host", "hosts lost", has_buddies=False),
    "buddy": _of_hosts("buddy", "hosts lost, memory", has_buddies=True),
}
_ULFM = {
    "ulfm": _by_ulfm("ulfm", "kills, ULFM", replaces=False),
    "ulfm-replace": _by_ulfm("ulfm-replace", "kills, ULFM with new processes", replaces=True),
}
_JOBS: dict[str, _Kind[Any]] = {
    "rank": _KILLS,
    **_ON_HOSTS,
    "memory": _MEMORY,
    "rerun": _RERUNS,
    "restart": _RESTARTS,
    **_ULFM,
}
_CASES = (*_JOBS, *_COSTS)
# Hosts can be made by root alone, and few MPIs have ULFM.
_USUAL_CASES = tuple(case for case in _CASES if case not in {*_ON_HOSTS, *_ULFM})


def recovery(
    ranks: Annotated[int, typer.Option("-n", "--ranks", min=1, help="Processes of each job.")] = 2,
    size: Annotated[
        str, typer.Option("--bytes", metavar="SIZE", help="Data that is saved: 1000000 or 64MiB.")
    ] = "64MiB",
    cases: Annotated[
        str,
        typer.Option(
            help="What is measured, with commas between: rank (kills, with save and resume), host (one of "
            "three is lost; as root), buddy (the same, with epochs in memory of hosts), memory (kills, with "
            "epochs in memory), rerun (kills, and another job continues), restart, ulfm and ulfm-replace "
            "(kills of a program that survives by ULFM; with Open MPI 5), off, on, protected (what epochs "
            "cost programs)."
        ),
    ] = ",".join(_USUAL_CASES),
    repeat: Annotated[int, typer.Option(min=1, max=10_000, help="Rounds of each case.")] = 10,
    seconds: Annotated[
        float, typer.Option(min=1, max=3600, help="How long a run is of which costs are measured.")
    ] = 20,
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where epochs go while it is measured; removed at the end.")
    ] = Path(),
    mpi: Annotated[str | None, typer.Option(metavar="NAME", help="MPI build to use (nereus doctor).")] = None,
    as_json: JsonOption = False,
) -> None:
    """Time how soon a job goes on after a rank was killed, and what it costs to save epochs.

    Example: nereus bench recovery --bytes 64MiB --repeat 10
    """
    wanted = _wanted(cases)
    most = ranks * (2 if "restart" in wanted else 1)
    if most > most_ranks():
        raise Refused(f"-n = {ranks}: this machine is asked for at most {most_ranks()} processes, not {most}")
    _check_ranks(ranks, wanted)
    data = Size(ranks, data_bytes(size))
    build = choose(mpi)
    _check_build(build, wanted)
    rows: list[RecoveryRow] = []
    failure = ""
    with Stopping() as stopping, fostering(), _folder_below(folder) as name:
        own = Path(name)

        def stopped() -> bool:
            return stopping.signal is not None

        try:
            for case, kind in _JOBS.items():
                if case in wanted:
                    _measure(kind, _trials(build, data, own / case, stopped), repeat, rows)
            costs = SavingCosts(OWN_COMMAND, build, ranks, own, seconds, stopped)
            _measure_costs(costs, [case for case in wanted if case in _COSTS], repeat, rows)
        except TrialError as problem:
            failure = str(problem)
    _present(rows, as_json)
    if stopping.signal is not None:
        complain(f"stopped by {stopping.text}; shown is what there is")
        raise typer.Exit(stopping.exit_code)
    if failure:
        complain(failure)
        raise typer.Exit(1)


def _folder_below(folder: Path) -> "tempfile.TemporaryDirectory[str]":
    try:
        return tempfile.TemporaryDirectory(prefix="nereus-bench-", dir=folder.absolute())
    except OSError as problem:
        raise Refused(f"--folder = {folder}: nothing can be written there: {problem.strerror}") from None


def _wanted(cases: str) -> list[str]:
    named = cases.split(",")
    for case in named:
        if case not in _CASES:
            raise Refused(f"--cases = {cases}: {case or '(empty)'}: allowed are {', '.join(_CASES)}")
    return named


def _check_build(build: Build, wanted: Sequence[str]) -> None:
    if not _ULFM.keys() >= set(wanted):
        build.program(PROGRAM)
    by_ulfm = [case for case in wanted if case in _ULFM]
    why = complaint_about_ulfm(build) if by_ulfm else ""
    if why:
        raise Refused(f"--cases = {by_ulfm[0]}: {why}")


def _check_ranks(ranks: int, wanted: Sequence[str]) -> None:
    """Somebody has to be left."""
    needing = [case for case in wanted if case in {*_ON_HOSTS, *_ULFM}]
    if ranks < 2 and needing:
        raise Refused(f"-n = {ranks}: --cases = {needing[0]} needs at least 2 ranks")
    on_hosts = [case for case in wanted if case in _ON_HOSTS]
    why = complaint_about_hosts() if on_hosts else ""
    if why:
        raise Refused(f"--cases = {on_hosts[0]}: {why}")


def _trials(build: Build, data: Size, folder: Path, stopped: Callable[[], bool]) -> RecoveryTrials:
    folder.mkdir()
    return RecoveryTrials(OWN_COMMAND, build, data, folder, stopped)


def _measure(kind: _Kind[_One], trials: RecoveryTrials, repeat: int, rows: list[RecoveryRow]) -> None:
    """Rows of what there was, also where one fails."""
    made: list[_One] = []
    try:
        with TrialBar(f"{trials.build.name}: {kind.title}", repeat) as bar:
            for one in kind.run(trials, repeat):
                made.append(one)
                bar.advance(f"went on after {seconds_text(kind.seconds(one))}")
    finally:
        rows += kind.rows(trials.build.name, trials.size.bytes, made)


def _measure_costs(costs: SavingCosts, cases: list[str], repeat: int, rows: list[RecoveryRow]) -> None:
    if not cases:
        return
    with TrialBar(f"{costs.build.name}: pairs of runs", repeat * len(cases) * len(PROGRAMS)) as bar:
        for case in cases:
            for program in PROGRAMS:
                found = costs.pairs(program, _COSTS[case], repeat, bar.advance)
                if found.with_it:
                    rows.append(row_of_costs(case, costs.build.name, PROGRAMS[program][0], found))


def _present(rows: list[RecoveryRow], as_json: bool) -> None:
    if as_json:
        show_json({"rows": [row.document() for row in rows]})
    elif rows:
        show(_table(rows))


def _table(rows: list[RecoveryRow]) -> "Table":
    from nereus.analysis.report.tables import new_table, number

    made = new_table(
        *("case", "MPI", "of"),
        *map(number, ("time", "noticed after", "of plain files", "done again", "cost")),
    )
    for row in rows:
        of = row.program if row.bytes is None else bytes_text(row.bytes)
        time = spread_text(row.seconds.median, row.seconds.deviation) if row.seconds else "-"
        noticed = spread_text(row.noticed.median, row.noticed.deviation) if row.noticed else "-"
        plain = ratio_text(row.of_plain.median if row.of_plain else None)
        made.add_row(row.case, row.mpi, of, time, noticed, plain, count_text(row.lost_iterations), _cost(row))
    return made


def _cost(row: RecoveryRow) -> str:
    if row.costs is None or row.cost_percent is None:
        return "-"
    shares = [each / 100 for each in (row.cost_percent, *(row.costs.interval_percent or ()))]
    return range_text(change_text, *shares) if len(shares) == 3 else change_text(shares[0])
