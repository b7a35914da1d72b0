# SPDX-License-Identifier: BSD-3-Clause
"""nereus study FILE - make the runs of a study, or those that are missing."""

import os
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

import nereus
from nereus.analysis.report.units import duration_text, seconds_text
from nereus.analysis.study import Planned, Record, Store, Study, load_study, planned_runs
from nereus.cli.messages import Refused, complain, note, say, show_json, warn
from nereus.cli.remedies import check_resizes
from nereus.cli.trial_bar import TrialBar
from nereus.launch import RANKS_PER_CORE, Build, Stopping, choose, cores, fostering, most_ranks
from nereus.probe import Joining
from nereus.runs import Where
from nereus.runs.experiment import Means
from nereus.runs.study import Runner, check_programs
from nereus.simulation.live import is_live
from nereus.supervisor import check_control_socket


def study(
    file: Annotated[
        Path, typer.Argument(help="Study file (docs/formats/study.md), or a scenario with a table live.")
    ],
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="STUDY", help="Folder for results, or a study to continue; default studies/NAME."
        ),
    ] = None,
    mpi: Annotated[str | None, typer.Option(metavar="NAME", help="MPI build to use (nereus doctor).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")] = False,
    plan: Annotated[bool, typer.Option("--plan", help="Print which runs are to be made; make none.")] = False,
    max_ranks: Annotated[
        int | None,
        typer.Option(min=1, help=f"Most ranks to start; if not given, {RANKS_PER_CORE} for each core."),
    ] = None,
) -> None:
    """Make the runs of a study in random order; when started again, those that are missing or failed.

    Of a scenario with a table live (docs/reference/io-study.md): real jobs under a daemon, and simulated.

    Example: nereus study examples/study/emulated.toml --folder studies/first
    """
    if is_live(file):
        from nereus.cli.study_live import study_live  # the daemon's policies take long to import

        study_live(file, folder, mpi, max_ranks, as_json, plan)
        return
    wanted = load_study(file)
    if plan:
        _show_plan(planned_runs(wanted), as_json)
        return
    build = choose(mpi)
    _check_sizes(wanted, file, max_ranks)
    check_programs(wanted, file, build, warn)
    with Stopping() as stopping, fostering():
        check_control_socket()
        os.environ.update(wanted.environment)
        where = Where(warn)
        means = Means(build, where, _join(wanted, build, where, lambda: stopping.signal is not None))
        with Store(folder or Path("studies") / wanted.name, file, wanted.name) as store:
            if stopping.signal is None:
                _make_all(Runner(wanted, file, means, store, lambda: stopping.signal is not None))
            summary = _summary(wanted, store)
    _tell(summary, as_json)
    if stopping.signal is not None:
        complain(f"stopped by {stopping.text}; run the same command to continue")
        raise typer.Exit(stopping.exit_code)
    raise typer.Exit(1 if summary["failed"] else 0)


def _show_plan(runs: Sequence[Planned], as_json: bool) -> None:
    names = [run.name for run in runs]
    if as_json:
        show_json(names)
        return
    for name in names:
        say(name)


def _check_sizes(wanted: Study, file: Path, max_ranks: int | None) -> None:
    limit = max_ranks or most_ranks()
    greatest = max(wanted.model_sizes)
    if greatest > limit:
        rule = "--max-ranks" if max_ranks else f"{RANKS_PER_CORE} for each core; see --max-ranks"
        raise Refused(f"{file}: size = {greatest}: the launcher is asked for at most {limit} ({rule})")


def _join(wanted: Study, build: Build, where: Where, stopped: Callable[[], bool]) -> Joining:
    if not wanted.pairs:
        return Joining(False, "this study has no resizes")
    return check_resizes(build, where, stopped)


def _make_all(runner: Runner) -> None:
    """Make the runs that have no good record, each once."""
    build = runner.means.build
    about = {"host": socket.gethostname(), "cores": cores(), "mpi": build.name}
    started = {"started": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}", "nereus_version": nereus.__version__}
    runner.store.write({"event": "started", **started, **about, "library": build.library_version})
    study = runner.study
    left = _left(planned_runs(study), runner.store)
    begin = time.monotonic()
    with TrialBar(study.name, len(left)) as bar:
        for number, planned in enumerate(left, start=1):
            record = runner.run(planned)
            if record is None:
                return
            mean = (time.monotonic() - begin) / number
            bar.advance(_progress(planned, record, mean * (len(left) - number)))


def _left(runs: Iterable[Planned], store: Store) -> list[Planned]:
    return [run for run in runs if run.name not in store.runs or not store.runs[run.name].good]


def _progress(planned: Planned, record: Record, seconds_left: float) -> str:
    fate = seconds_text(record.seconds) if record.good else "failed"
    return f"{planned.text}: {fate}, about {duration_text(seconds_left)} left"


def _summary(wanted: Study, store: Store) -> dict[str, Any]:
    planned = [run.name for run in planned_runs(wanted)]
    known = [store.runs[name] for name in planned if name in store.runs]
    return {
        "folder": str(store.folder),
        "planned": len(planned),
        "good": sum(record.good for record in known),
        "failed": [{"run": record.run, "reason": record.reason} for record in known if not record.good],
        "missing": len(planned) - len(known),
    }


def _tell(summary: dict[str, Any], as_json: bool) -> None:
    failed = summary["failed"]
    if as_json:
        show_json(summary)
    for failure in failed[:5]:
        complain(f"{failure['run']}: {failure['reason']}")
    if len(failed) > 5:
        complain(f"{len(failed) - 5} more runs failed")
    counts = f"{summary['good']} of {summary['planned']} runs are good, {len(failed)} failed"
    note(f"{counts}; results: {summary['folder']} (nereus report {summary['folder']})")
