# SPDX-License-Identifier: BSD-3-Clause
"""nereus simulate workload - jobs that wait for a whole machine, under start orders and strategies."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nereus.analysis.report.units import (
    amount_text,
    change_text,
    count_text,
    percent_text,
    ratio_text,
    seconds_text,
    spread_text,
)
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, note, show, show_json, warn
from nereus.cli.picture_file import check_picture
from nereus.cli.simulate_side_by_side import simulated
from nereus.policy.strategies import STRATEGIES
from nereus.simulation.workload.changes import changes_of
from nereus.simulation.workload.comparison import Comparison, Row, Variant, summary
from nereus.simulation.workload.document import document
from nereus.simulation.workload.export import check_export, write_rows
from nereus.simulation.workload.failures import Recovery
from nereus.simulation.workload.figures import Interval
from nereus.simulation.workload.gantt import MOST_JOBS
from nereus.simulation.workload.loading import load_workload
from nereus.simulation.workload.orders.registry import ORDERS
from nereus.simulation.workload.resize_cost import METHODS

if TYPE_CHECKING:
    from rich.table import Table

_TEXTS: Mapping[str, Callable[[float | None], str]] = {
    "mean_bounded_slowdown": ratio_text,
    "utilisation": percent_text,
    "killed": count_text,
    "core_hours_lost_to_resizes": lambda hours: amount_text(hours, "core h"),
    "failures": count_text,
    "failed": count_text,
    "core_hours_lost_to_failures": lambda hours: amount_text(hours, "core h"),
    "core_hours_of_saves": lambda hours: amount_text(hours, "core h"),
    "core_hours_lost_to_io": lambda hours: amount_text(hours, "core h"),
    "energy_kwh": lambda energy: amount_text(None if energy is None else 1000 * energy, "Wh"),
}
_HEADINGS: Mapping[str, str] = {
    "makespan_seconds": "makespan",
    "mean_turnaround_seconds": "turnaround",
    "mean_wait_seconds": "wait",
    "mean_bounded_slowdown": "slowdown",
    "utilisation": "utilisation",
    "killed": "killed",
    "core_hours_lost_to_resizes": "lost to resizes",
    "failures": "failures",
    "failed": "failed",
    "core_hours_lost_to_failures": "lost to failures",
    "core_hours_of_saves": "saves",
    "core_hours_lost_to_io": "lost to I/O",
    "energy_kwh": "energy",
}


#: Nobody asks for these where there are none.
_TOLD_ABOVE_0 = {"killed", "core_hours_lost_to_resizes", "failed", "core_hours_of_saves"}


def workload(
    file: Annotated[
        Path,
        typer.Argument(metavar="WORKLOAD", help="A workload (.toml), or a trace of jobs (.swf, .sacct)."),
    ],
    cores: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=10**7, help="Of the machine; a trace needs it.")
    ] = None,
    order: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help=f"Start order, again for each: {', '.join(ORDERS)}."),
    ] = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|FILE.py:CLASS",
            help=f"For malleable jobs, again for each: {', '.join(STRATEGIES)}; or one's own.",
        ),
    ] = None,
    malleable: Annotated[
        str | None, typer.Option(metavar="LIST", help="Percent of the jobs that are malleable: 0,20,40.")
    ] = None,
    moldable: Annotated[
        float | None, typer.Option(metavar="PERCENT", help="Of the jobs that are moldable.")
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="The first seed.")] = None,
    seeds: Annotated[int | None, typer.Option(metavar="N", help="How many, from that on.")] = None,
    default_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Time limit of jobs that have none.")
    ] = None,
    parallel_fraction: Annotated[
        float | None, typer.Option(metavar="F", help="Share of a job's time that more ranks divide.")
    ] = None,
    resize_cost: Annotated[
        str | None,
        typer.Option(
            metavar="SECONDS|METHOD", help=f"Of each resize; or by the bytes: {', '.join(METHODS)}."
        ),
    ] = None,
    mtbf: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Mean time between failures of one node; without, none fail."),
    ] = None,
    recovery: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"Of jobs whose nodes fail: {', '.join(Recovery)}."),
    ] = None,
    bandwidth: Annotated[
        float | None,
        typer.Option(metavar="RATE", help="Of a store that jobs share, in bytes per second."),
    ] = None,
    io_share: Annotated[
        float | None,
        typer.Option(metavar="F", help="Share of I/O in the time of jobs that do not say it."),
    ] = None,
    no_io: Annotated[bool, typer.Option("--no-io", help="As if all I/O took no longer than alone.")] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out lines of a trace that are wrong, and count them.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Simulations at a time; if not given, one for each core."),
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keeps what is simulated (.jsonl); what is there is not again."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The rows as a table: .csv, .parquet, or .jsonl."
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Figures over the percent of malleable jobs: .png, .pdf, .svg."),
    ] = None,
    gantt: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Cores of each job over time, of one simulation: .png, .pdf, .svg."
        ),
    ] = None,
    as_json: JsonOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Simulate the queue of a whole machine: start orders, time limits, malleable jobs.

    Example: nereus simulate workload examples/simulate/workload.toml --order easy
    """
    options = {
        "cores": cores,
        "order": order,
        "strategy": strategy,
        "malleable": None if malleable is None else _percents(malleable),
        "moldable": moldable,
        "seed": seed,
        "seeds": seeds,
        "default_limit": default_limit,
        "parallel_fraction": parallel_fraction,
        "failures.mtbf": mtbf,
        "failures.recovery": recovery,
        "storage.bandwidth": bandwidth,
        "storage.io_share": io_share,
        "resize_cost": None if resize_cost is None else _resize_cost(resize_cost),
    }
    chosen: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    _can_be_written(output, picture, gantt, results)
    found = load_workload(file, chosen)
    if no_io:
        found = found.model_copy(update={"storage": None})
    comparison = Comparison(found, skip_bad)
    if gantt is not None:
        _can_be_a_chart(comparison)
    warn(f"{count} jobs are left out: {why}" for why, count in comparison.left_out.items())
    rows = comparison.rows(simulated(comparison, workers, results, quiet))
    if as_json:
        show_json(document(comparison, rows))
    else:
        for table in _tables(rows, found.seeds):
            show(table)
    if output is not None:
        write_rows(rows, output)
    _draw(comparison, rows, picture, gantt)
    for each in (output, picture, gantt):
        if each is not None:
            note(f"written: {each}", quiet)


def _can_be_written(
    output: Path | None, picture: Path | None, gantt: Path | None, results: Path | None
) -> None:
    """Refused before anything is simulated."""
    files = [each.resolve() for each in (output, picture, gantt, results) if each is not None]
    if len(set(files)) < len(files):
        raise Refused("--output, --picture, --gantt and --results: allowed are different files")
    if output is not None:
        check_export(output)
    for option, file in (("--picture", picture), ("--gantt", gantt)):
        if file is not None:
            check_picture(file, option)


def _can_be_a_chart(comparison: Comparison) -> None:
    count = len(comparison.cases)
    if count > 1:
        raise Refused(
            "--gantt shows one simulation: allowed are one order, strategy, percentage and seed; "
            f"these are {count} simulations"
        )
    if comparison.jobs_each > MOST_JOBS:
        raise Refused(f"--gantt: of {comparison.jobs_each} jobs: at most {MOST_JOBS} can be told apart")


def _draw(comparison: Comparison, rows: list[Row], picture: Path | None, gantt: Path | None) -> None:
    if picture is not None:
        from nereus.simulation.workload.picture import draw  # matplotlib takes long to import

        chosen = comparison.workload
        spread = f", mean of {chosen.seeds} seeds with 95 % intervals" if chosen.seeds > 1 else ""
        draw(rows, f"{comparison.jobs_each} jobs on {chosen.cores} cores{spread}", picture)
    if gantt is not None:
        from nereus.simulation.workload.gantt import draw_gantt

        draw_gantt(comparison, comparison.cases[0], gantt)


def _percents(text: str) -> list[float]:
    try:
        return [float(each) for each in text.split(",")]
    except ValueError:
        raise Refused(
            f"--malleable = {text}: allowed are numbers from 0 to 100, with commas between"
        ) from None


def _resize_cost(text: str) -> dict[str, Any]:
    """The table of the workload."""
    try:
        return {"method": "constant", "seconds": float(text)}
    except ValueError:
        return {"method": text}


def _tables(rows: list[Row], seeds: int) -> "Iterator[Table]":
    """The second one where there are rows with malleable jobs and without."""
    spread = f": mean over {seeds} seeds ± 95 % confidence" if seeds > 1 else ""
    yield _table(f"simulated{spread}", summary(rows), _text)
    changes = changes_of(rows)
    if changes:
        yield _table(f"change from 0 % malleable, seed by seed{spread}", changes, _change_text)


def _table(
    title: str,
    found: Mapping[Variant, Mapping[str, Interval]],
    text: Callable[[str, Interval], str],
) -> "Table":
    from nereus.analysis.report.tables import new_table, number  # --json does without

    shown = [name for name in _HEADINGS if any(_is_told(name, each) for each in found.values())]
    names = ("order", number("malleable"), "strategy")
    table = new_table(*names, *(number(_HEADINGS[name]) for name in shown), title=title)
    for variant, measures in found.items():
        figures = (text(name, measures[name]) if name in measures else "-" for name in shown)
        table.add_row(variant.order, f"{variant.malleable_percent:g} %", variant.strategy, *figures)
    return table


def _is_told(name: str, measures: Mapping[str, Interval]) -> bool:
    """Killed jobs and what resizes cost are, where there is any."""
    return name in measures and (name not in _TOLD_ABOVE_0 or measures[name].mean > 0)


def _text(name: str, interval: Interval) -> str:
    """The mean, and how far from it the interval goes."""
    text = _TEXTS.get(name, seconds_text)
    if interval.high is None:
        return text(interval.mean)
    half = interval.high - interval.mean
    return (
        spread_text(interval.mean, half) if text is seconds_text else f"{text(interval.mean)} ± {text(half)}"
    )


def _change_text(name: str, interval: Interval) -> str:
    """The mean change, and how far from it the interval goes."""
    text = change_text(interval.mean / 100)
    return (
        text if interval.high is None else f"{text} ± {percent_text((interval.high - interval.mean) / 100)}"
    )
