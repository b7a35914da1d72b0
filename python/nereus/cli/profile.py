# SPDX-License-Identifier: BSD-3-Clause
"""nereus profile -- PROGRAM ARGS - how long a program's iterations take on several numbers of ranks."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nereus.analysis.report.units import ratio_text, seconds_text
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, complain, note, show, show_json, warn
from nereus.cli.trial_bar import TrialBar
from nereus.launch import Stopping, choose, fostering, found_program
from nereus.probe import joining
from nereus.runs import Where, founding
from nereus.supervisor import Job, Supervision, check_control_socket

if TYPE_CHECKING:
    from nereus.daemon.profiling import Profiler

_MOST_WORDS = 2000


def profile(
    program: Annotated[list[str], typer.Argument(metavar="PROGRAM [ARGS]...", help="What to run.")],
    ranks: Annotated[
        str,
        typer.Option("-n", "--ranks", metavar="N,N,...", help="Numbers of ranks; it starts with the first."),
    ] = "1,2,4",
    samples: Annotated[int, typer.Option(min=1, max=1000, help="Times of each, of about a second.")] = 5,
    mpi: Annotated[str | None, typer.Option(metavar="NAME", help="MPI build to use (nereus doctor).")] = None,
    store: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The daemon's store that is to know it.", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Run a program, resize it through several numbers of ranks and time its iterations.

    It is ended when all are timed. The daemon's policies know by that how much faster jobs of the same
    command line are with more ranks.

    Example: nereus profile -n 1,2,4 -- ./application --steps 100000
    """
    from nereus.daemon.profiling import Profiler, document, save
    from nereus.daemon.store import usual_place

    sizes = _sizes(ranks)
    build = choose(mpi)
    path = found_program(program[0], build)
    where = Where(warn)
    founders, own = founding(sizes[0], "rank")
    with Stopping() as stopping, fostering(), Profiler(sizes, samples) as profiler:
        check_control_socket()
        join = joining(build, stopped=lambda: stopping.signal is not None)
        settings = {"NEREUS_MAX_RANKS": str(max(sizes)), **own, **profiler.environment}
        start = where.supervision(build, path, tuple(program[1:]), founders, join, settings)
        job = _time(start, profiler, sizes, samples, stopping)
        times, measured = profiler.times(), profiler.measured
    _check(times, stopping)
    place = (store or usual_place()).absolute()
    save([str(path), *program[1:]], job, measured, place)
    found = document(program, times, measured)
    if as_json:
        show_json(found | {"store": str(place)})
    else:
        show(_table(found))
        note(f"known to the daemon by {place}")
    if stopping.signal:
        raise typer.Exit(stopping.exit_code)


def _sizes(text: str) -> list[int]:
    words = text.split(",")
    if not all(word.isascii() and word.isdigit() and 1 <= int(word) <= 1_000_000 for word in words):
        raise Refused(f"-n = {text}: allowed are numbers of ranks from 1, with commas between them")
    return list(dict.fromkeys(map(int, words)))


def _time(
    start: Supervision, profiler: "Profiler", sizes: Sequence[int], samples: int, stopping: Stopping
) -> str:
    """Until all are timed, the program ends, or somebody stops it; the job's key."""
    with TrialBar("timed", samples * len(sizes)) as bar, Job(start, profiler.output) as job:
        shown = 0
        for timed in profiler.follow(job, lambda: stopping.signal is not None):
            for _ in range(sum(timed.values()) - shown):
                bar.advance(" ".join(f"{size}:{number}" for size, number in timed.items()))
            shown = max(shown, sum(timed.values()))
        if not (profiler.is_over or stopping.signal):
            _say_end(job)
    return job.key


def _say_end(job: Job) -> None:
    outcome = job.outcome()
    complain(f"the program ended before all sizes were timed: {outcome.text}")
    if not outcome.good:
        complain(job.text()[-_MOST_WORDS:])


def _check(times: Mapping[int, Sequence[float]], stopping: Stopping) -> None:
    if times:
        return
    complain(
        f"stopped by {stopping.text}" if stopping.signal else "the program ended before anything was timed"
    )
    raise typer.Exit(stopping.exit_code if stopping.signal else 1)


def _table(document: dict[str, Any]) -> Any:
    from nereus.analysis.report.tables import new_table, number

    names = ("ranks", "iteration", "least", "greatest", "model", "samples", "speed-up")
    grid = new_table(*map(number, names))
    first = document["sizes"][0]
    for each in document["sizes"]:
        keys = ("seconds", "least_seconds", "greatest_seconds", "model_seconds")
        speedup = ratio_text(first["seconds"] / each["seconds"])
        grid.add_row(
            str(each["ranks"]), *(seconds_text(each[key]) for key in keys), str(each["samples"]), speedup
        )
    return grid
