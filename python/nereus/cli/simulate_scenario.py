# SPDX-License-Identifier: BSD-3-Clause
"""nereus simulate SCENARIO - jobs on simulated time under one policy or several."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nereus.analysis.report.units import amount_text, seconds_text
from nereus.cli import policies
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, note, show, show_json, warn
from nereus.cli.trial_bar import TrialBar
from nereus.simulation.jobs import Scenario, comparison, load_scenario, load_trace
from nereus.simulation.jobs.comparison import Comparison, doubts, write_events
from nereus.simulation.jobs.results import Sizes

if TYPE_CHECKING:
    from rich.table import Table

_MOST_ROWS = 12  # jobs of which the table tells each
_MOST_BARS = 200  # of a picture


def scenario(
    file: Annotated[
        Path, typer.Argument(metavar="SCENARIO", help="A scenario (.toml), or a trace of jobs (.swf).")
    ],
    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help=f"In place of those of the scenario, again for each: {policies.HELP}"
        ),
    ] = None,
    cores: Annotated[
        list[int] | None,
        typer.Option(
            metavar="N",
            min=1,
            max=10**7,
            help="In place of those of the scenario, again for each; a trace needs it.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**63 - 1, help="In place of that of the scenario.")
    ] = None,
    repeat: Annotated[
        int, typer.Option(min=1, max=10_000, metavar="N", help="So many seeds, from that on; medians of all.")
    ] = 1,
    vary: Annotated[
        float,
        typer.Option(min=0, max=0.9, metavar="SHARE", help="Times of jobs, each at random up to so much."),
    ] = 0.0,
    parallel_fraction: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Of each job of a trace, which gets faster with more ranks so far."),
    ] = None,
    as_json: JsonOption = False,
    events: Annotated[
        Path | None, typer.Option(metavar="FILE", help="All that happened, as lines of JSON.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Ranks and I/O phases of the jobs over time, as PNG.")
    ] = None,
    bars: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Ranks, waits and flop/s of the jobs by cores and policy, as PNG."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Simulate jobs that compute, write and are resized, as a policy decides.

    Example: nereus simulate examples/simulate/use-case-d.toml
    """
    scenarios = _scenarios(file, cores or [], parallel_fraction)
    if seed is not None:
        scenarios = [each.model_copy(update={"seed": seed}) for each in scenarios]
    names = list(dict.fromkeys(policy or scenarios[0].compared))
    _can_be_drawn(len(scenarios), len(names), picture, bars)
    if events is not None and not events.absolute().parent.is_dir():
        raise Refused(f"--events = {events}: allowed is a file in a folder that exists")
    if repeat > 1 or vary > 0:
        if any(each is not None for each in (events, picture, bars)):
            raise Refused("--events, --picture and --bars show one run: allowed without --repeat and --vary")
        _repeat(scenarios, names, repeat, vary, as_json, quiet)
        return
    results = _results(Comparison(scenarios, names), quiet)
    warn(doubts(results))
    if as_json:
        show_json(comparison.document(results))
    else:
        _show(results)
    if events is not None:
        write_events(results, events)
        note(f"written: {events}", quiet)
    _draw(results, picture, bars, quiet)


def _scenarios(path: Path, cores: Sequence[int], parallel_fraction: float | None) -> list[Scenario]:
    """One for each number of cores."""
    again = next((each for index, each in enumerate(cores) if each in cores[:index]), None)
    if again is not None:
        raise Refused(f"--cores {again}: is there twice; each number of cores is simulated once")
    if path.suffix == ".swf":
        if not cores:
            raise Refused(f"{path}: --cores is missing: a trace does not say how many there are")
        return [load_trace(path, each, parallel_fraction) for each in cores]
    if parallel_fraction is not None:
        raise Refused("--parallel-fraction goes with a trace (.swf); a scenario sets it in [trace]")
    return [load_scenario(path, each) for each in cores] if cores else [load_scenario(path)]


def _can_be_drawn(sizes: int, policies: int, picture: Path | None, bars: Path | None) -> None:
    """Refused before anything is simulated."""
    if picture is not None and sizes > 1:
        raise Refused("--picture shows one number of cores over time; --bars shows several")
    if bars is not None and sizes * policies > _MOST_BARS:
        all_of_them = f"{sizes} numbers of cores with {policies} policies are {sizes * policies} bars"
        raise Refused(f"--bars: {all_of_them}; at most {_MOST_BARS} can be read")


def _results(comparison: Comparison, quiet: bool) -> Sizes:
    with TrialBar("simulate", comparison.jobs, quiet) as bar:
        return comparison.results(bar.advance)


def _repeat(
    scenarios: Sequence[Scenario], names: Sequence[str], count: int, vary: float, as_json: bool, quiet: bool
) -> None:
    from nereus.cli.simulate_repeats import table_of
    from nereus.simulation.jobs.repeats import Repeats, document

    repeats = Repeats(scenarios, names, count, vary)
    with TrialBar("simulate", repeats.jobs, quiet) as bar:
        found = repeats.distributions(bar.advance)
    if as_json:
        show_json(document(found, count, vary))
    else:
        show(table_of(found, count, vary))


def _draw(results: Sizes, picture: Path | None, bars: Path | None, quiet: bool) -> None:
    if picture is not None:
        from nereus.simulation.jobs.picture import draw  # matplotlib takes long to import

        draw(next(iter(results.values())), picture)
        note(f"written: {picture}", quiet)
    if bars is not None:
        from nereus.simulation.jobs.bars import draw_bars

        draw_bars(results, bars)
        note(f"written: {bars}", quiet)


def _show(results: Sizes) -> None:
    headings = ("makespan", "I/O", "of it waits", "resizes", "rate", "wait for cores")
    table = _table("simulated", results, ["policy"], headings)
    for cores, each in results.items():
        for result in each:
            table.add_row(
                *_size(results, cores),
                result.policy,
                seconds_text(result.makespan),
                seconds_text(result.service + result.delay),
                seconds_text(result.delay),
                str(sum(job.resizes for job in result.jobs)),
                amount_text(result.flops or None, "flop/s"),
                seconds_text(result.queued),
            )
    show(table)
    if all(len(result.jobs) <= _MOST_ROWS for each in results.values() for result in each):
        show("")
        show(_of_jobs(results))


def _of_jobs(results: Sizes) -> "Table":
    headings = ("start", "end", "ranks", "phases", "I/O", "of it waits", "resizes")
    table = _table("jobs", results, ["policy", "job"], headings)
    for cores, each in results.items():
        for policy, job in ((result.policy, job) for result in each for job in result.jobs):
            table.add_row(
                *_size(results, cores),
                policy,
                job.name,
                seconds_text(job.started),
                seconds_text(job.ended),
                str(job.ranks),
                str(job.phases),
                seconds_text(job.service + job.wait),
                seconds_text(job.wait),
                str(job.resizes),
            )
    return table


def _table(title: str, results: Sizes, names: Sequence[str], figures: Sequence[str]) -> "Table":
    from nereus.analysis.report.tables import new_table, number  # --json does without

    cores = ["cores"] if len(results) > 1 else []
    return new_table(*map(number, cores), *names, *map(number, figures), title=title)


def _size(results: Sizes, cores: int) -> list[str]:
    return [str(cores)] if len(results) > 1 else []
