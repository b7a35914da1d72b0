# SPDX-License-Identifier: BSD-3-Clause
"""nereus simulate SCENARIO - jobs on simulated time under one policy or several."""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nereus.cli import policies
from nereus.cli.messages import Refused, note, show, show_json, warn
from nereus.cli.trial_bar import TrialBar
from nereus.simulate import Result, Scenario, load_scenario, load_trace, simulation

if TYPE_CHECKING:
    from rich.table import Table

_MOST_ROWS = 12  # jobs of which the table tells each


def simulate(
    scenario: Annotated[
        Path, typer.Argument(metavar="SCENARIO", help="A scenario (.toml), or a trace of jobs (.swf).")
    ],
    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help=f"In place of those of the scenario, again for each: {policies.HELP}"
        ),
    ] = None,
    cores: Annotated[
        int | None,
        typer.Option(min=1, max=10**7, help="In place of those of the scenario; a trace needs it."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**63 - 1, help="In place of that of the scenario.")
    ] = None,
    parallel_fraction: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Of each job of a trace, which gets faster with more ranks so far."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
    events: Annotated[
        Path | None, typer.Option(metavar="FILE", help="All that happened, as lines of JSON.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Ranks and I/O phases of the jobs over time, as PNG.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Simulate jobs that compute, write and are resized, as a policy decides.

    Example: nereus simulate examples/simulate/use-case-d.toml
    """
    chosen = _scenario(scenario, cores, parallel_fraction)
    if seed is not None:
        chosen = chosen.model_copy(update={"seed": seed})
    names = list(dict.fromkeys(policy or chosen.compared))
    results = list(_results(chosen, names, quiet))
    warn(_doubts(chosen, results))
    if events is not None:
        _write_events(results, events)
        note(f"written: {events}", quiet)
    if picture is not None:
        from nereus.simulate.picture import draw  # matplotlib takes long to import

        draw(results, picture)
        note(f"written: {picture}", quiet)
    if as_json:
        show_json({"policies": {result.policy: result.document() for result in results}})
    else:
        _show(results)


def _scenario(path: Path, cores: int | None, parallel_fraction: float | None) -> Scenario:
    if path.suffix == ".swf":
        if cores is None:
            raise Refused(f"{path}: --cores is missing: a trace does not say how many there are")
        return load_trace(path, cores, parallel_fraction)
    if parallel_fraction is not None:
        raise Refused("--parallel-fraction goes with a trace (.swf); a scenario says it in [trace]")
    return load_scenario(path, cores)


def _results(scenario: Scenario, names: Sequence[str], quiet: bool) -> Iterator[Result]:
    loaded = {name: policies.load(name) for name in names}
    jobs = simulation.jobs_in(scenario)
    if quiet:
        yield from (simulation.simulate(scenario, name, policy, jobs) for name, policy in loaded.items())
        return
    with TrialBar("simulate", len(jobs.all) * len(names)) as bar:
        for name, policy in loaded.items():
            yield simulation.simulate(scenario, name, policy, jobs, partial(_advance, bar, name))


def _advance(bar: TrialBar, policy: str, job: str) -> None:
    bar.advance(policy)


def _doubts(scenario: Scenario, results: Sequence[Result]) -> Iterator[str]:
    if results[0].left_out:
        more = f"need more than {scenario.cluster.cores} cores"
        yield f"{results[0].left_out} jobs of the trace {more} and are left out"


def _write_events(results: Sequence[Result], file: Path) -> None:
    with file.open("w", encoding="utf-8") as lines:
        for result in results:
            for event in result.events:
                lines.write(json.dumps({"policy": result.policy, **event}) + "\n")


def _show(results: Sequence[Result]) -> None:
    from rich.table import Table  # --json does without

    table = Table(title="simulated", title_justify="left")
    for heading in ("policy", "makespan", "I/O", "of it waits", "resizes", "flop/s", "wait for cores"):
        table.add_column(heading, justify="left" if heading == "policy" else "right")
    for result in results:
        table.add_row(
            result.policy,
            f"{result.makespan:.1f} s",
            f"{result.service + result.delay:.1f} s",
            f"{result.delay:.1f} s",
            str(sum(job.resizes for job in result.jobs)),
            f"{result.flops:.3g}" if result.flops else "-",
            f"{result.queued:.0f} s",
        )
    show(table)
    if all(len(result.jobs) <= _MOST_ROWS for result in results):
        show(_of_jobs(results))


def _of_jobs(results: Sequence[Result]) -> "Table":
    from rich.table import Table

    table = Table(title="jobs", title_justify="left")
    for heading in ("policy", "job", "start", "end", "ranks", "phases", "I/O", "of it waits", "resizes"):
        table.add_column(heading, justify="left" if heading in ("policy", "job") else "right")
    for result in results:
        for job in result.jobs:
            table.add_row(
                result.policy,
                job.name,
                _time(job.started),
                _time(job.ended),
                str(job.ranks),
                str(job.phases),
                f"{job.service + job.wait:.1f} s",
                f"{job.wait:.1f} s",
                str(job.resizes),
            )
    return table


def _time(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.1f} s"
