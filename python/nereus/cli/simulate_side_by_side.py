# SPDX-License-Identifier: BSD-3-Clause
"""The simulations of `nereus simulate workload`: how far they are, and what is kept of them."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

import typer

from nereus.cli.messages import complain, note, warn
from nereus.cli.progress_bar import ProgressBar
from nereus.cli.trial_bar import LINE_EVERY_SECONDS
from nereus.launch import Stopping
from nereus.simulation.workload.comparison import Case, Comparison
from nereus.simulation.workload.figures import Figures
from nereus.simulation.workload.results_file import ResultsFile
from nereus.simulation.workload.workers import Watcher, simulate_all, usual_workers


def simulated(
    comparison: Comparison, workers: int | None, results: Path | None, quiet: bool
) -> Mapping[Case, Figures]:
    """Of all cases; typer.Exit where the user wanted an end before."""
    with (
        Stopping() as stopping,
        nullcontext() if results is None else ResultsFile(results, comparison) as kept,
    ):
        if kept is not None and kept.was_cut:
            warn([f"{results}: its last line was half written, and was removed"])
        found = {} if kept is None else dict(kept.found)
        left = [case for case in comparison.cases if case not in found]
        if kept is not None and found:
            note(
                f"{results}: {len(comparison.cases) - len(left)} of {len(comparison.cases)} are there", quiet
            )

        def done(case: Case, figures: Figures) -> None:
            found[case] = figures
            if kept is not None:
                kept.add(case, figures)

        _simulate(comparison, left, workers, done, lambda: stopping.signal is not None, quiet)
    if stopping.signal is not None:
        go_on = "" if results is None else "; run the same command to continue"
        complain(f"stopped by {stopping.text}{go_on}")
        raise typer.Exit(stopping.exit_code)
    return found


def _simulate(
    comparison: Comparison,
    cases: Sequence[Case],
    workers: int | None,
    done: Callable[[Case, Figures], None],
    stopped: Callable[[], bool],
    quiet: bool,
) -> None:
    jobs = comparison.jobs_each * len(cases)
    ended = 0
    with ProgressBar("simulate", LINE_EVERY_SECONDS, quiet) as bar:

        def tell(more: int, case: Case) -> None:
            nonlocal ended
            ended += more
            bar.are_done(ended, jobs, case.text)

        bar.are_done(ended, jobs)
        count = usual_workers(comparison, cases) if workers is None else workers
        simulate_all(comparison, cases, count, Watcher(tell, done, stopped))
