# SPDX-License-Identifier: BSD-3-Clause
"""nereus study FILE with a table [live] - a scenario with real jobs, and the same simulated."""

import json
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

from nereus.cli import policies
from nereus.cli.messages import Refused, complain, note, say, show, show_json
from nereus.cli.trial_bar import TrialBar
from nereus.launch import RANKS_PER_CORE, Build, Stopping, choose, cores, most_ranks
from nereus.probe import joining
from nereus.simulation.jobs import Result, simulate
from nereus.simulation.jobs.scenario import Job
from nereus.simulation.live import LiveError, Planned, Study, load_live, planned_runs, running, store, summary
from nereus.simulation.live.event_results import result_of
from nereus.simulation.live.folder import Folder
from nereus.simulation.live.jobs import WAITS, program_of
from nereus.simulation.live.plan import scenario_for

_NEREUS = (sys.executable, "-c", "from nereus.cli.main import main; main()")
_JSON, _PICTURE = "live.json", "live.png"


@dataclass
class _Made:
    """Outcomes of the runs; `simulated`: of the same scenario, without real jobs."""

    live: dict[Planned, Result] = field(default_factory=dict)
    simulated: dict[Planned, Result] = field(default_factory=dict)
    failed: dict[Planned, str] = field(default_factory=dict)


def study_live(
    file: Path, folder: Path | None, mpi: str | None, max_ranks: int | None, as_json: bool, plan: bool
) -> None:
    """Make the runs that are missing, and tell what all of them come to."""
    study = load_live(file)
    loaded = {name: policies.load(name) for name in study.scenario.compared}
    runs = planned_runs(study)
    if plan:
        show_json([run.name for run in runs]) if as_json else say("\n".join(run.name for run in runs))
        return
    build = choose(mpi or study.live.mpi)
    _check(study, file, build, max_ranks)
    made = _Made()
    kept = Folder(folder or Path("studies") / study.name, study.text)
    with Stopping() as stopping:
        _make_all(study, runs, kept, build, lambda: stopping.signal is not None, made)
    if stopping.signal is not None:
        complain(f"stopped by {stopping.text}; run the same command to continue")
        raise typer.Exit(stopping.exit_code)
    for planned in made.live:
        scenario = scenario_for(study, planned)
        made.simulated[planned] = simulate(scenario, planned.case, loaded[planned.policy])
    _tell(study, build, kept, made, as_json)
    raise typer.Exit(1 if made.failed else 0)


def _check(study: Study, file: Path, build: Build, max_ranks: int | None) -> None:
    """Whatever would go wrong later is said before anything is started."""
    _programs(study, build)
    limit = max_ranks or most_ranks()
    if study.scenario.cluster.cores > limit:
        rule = "--max-ranks" if max_ranks else f"{RANKS_PER_CORE} for each core; see --max-ranks"
        raise Refused(f"{file}: cluster.cores = {study.scenario.cluster.cores}: at most {limit} ({rule})")
    missing = store.complaint() if study.live.store == "limited" else ""
    if missing:
        raise Refused(f"{file}: {missing}")


def _programs(study: Study, build: Build) -> dict[str, Path]:
    names = {program_of(study.live, job) for job in study.scenario.jobs}
    return {name: build.program(name).absolute() for name in names}


def _store(study: Study, place: Path) -> AbstractContextManager[Path]:
    if study.live.store == "folder":
        return store.folder_store(place)
    return store.limited_store(study.live.store_bytes, study.scenario.storage.bandwidth)


def _make_all(
    study: Study,
    runs: Sequence[Planned],
    kept: Folder,
    build: Build,
    stopped: Callable[[], bool],
    made: _Made,
) -> None:
    if not joining(build, (), None, stopped=stopped).works and not stopped():
        raise Refused(f"the MPI build {build.name} cannot make new processes: nothing would be resized")
    with _store(study, kept.place) as place, TrialBar(study.name, len(runs)) as bar:
        means = running.Means(
            _NEREUS,
            build.name,
            _programs(study, build),
            place,
            study.live,
            stopped,
        )
        for planned in runs:
            _make(study, planned, kept, means, made)
            if stopped():
                return
            bar.advance(planned.name)


def _make(study: Study, planned: Planned, kept: Folder, means: running.Means, made: _Made) -> None:
    scenario = scenario_for(study, planned)
    try:
        run = running.kept(kept.of(planned))
        if run is None:
            run = running.make(scenario, planned.policy, kept.anew(planned), means)
    except LiveError as problem:
        made.failed[planned] = str(problem)
        return
    if run is not None:
        made.live[planned] = result_of(planned.case, scenario, run.told, run.begin)


def _tell(study: Study, build: Build, kept: Folder, made: _Made, as_json: bool) -> None:
    document = _document(study, build, made)
    (kept.place / _JSON).write_text(
        json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    first = [planned for planned in made.live if planned.repetition == 1]
    if first:
        from nereus.simulation.jobs.picture import draw  # matplotlib takes long to import

        draw([made.live[planned] for planned in first], kept.place / _PICTURE, "time (s), live")
    for planned, reason in made.failed.items():
        complain(f"{planned.name}: {reason}")
    if as_json:
        show_json(document)
    else:
        _show(document)
    note(f"results: {kept.place} ({_JSON}, {_PICTURE}, and the events of each run)")


def _document(study: Study, build: Build, made: _Made) -> dict[str, Any]:
    live = summary.with_changes(summary.policies_of(made.live))
    simulated = summary.with_changes(summary.policies_of(made.simulated))
    limit = study.scenario.storage.bandwidth if study.live.store == "limited" else None
    return {
        "mode": "live",
        "name": study.name,
        "host": socket.gethostname(),
        "cores": cores(),
        "mpi": build.name,
        "library": build.library_version,
        "compute": {job.name: _compute(study, job) for job in study.scenario.jobs},
        "store": {"kind": study.live.store, "bandwidth": limit},
        "repetitions": study.live.repetitions,
        "policies": live,
        "simulated": {"mode": "simulated (scaled)", "policies": simulated},
        "paper": study.live.paper,
        "table": summary.table(live, simulated, study.live.paper),
        "runs": [_run(planned, result) for planned, result in made.live.items()],
        "failed": [{"run": planned.name, "reason": why} for planned, why in made.failed.items()],
    }


def _compute(study: Study, job: Job) -> str:
    return "waits" if program_of(study.live, job) == WAITS else "jacobi"


def _run(planned: Planned, result: Result) -> dict[str, Any]:
    about = {"policy": planned.policy, "delay_seconds_of_start": planned.delay}
    return {"run": planned.name, **about, "repetition": planned.repetition, "result": result.document()}


def _show(document: Mapping[str, Any]) -> None:
    from rich.table import Table  # --json does without

    store_of = document["store"]
    limit = "unlimited" if store_of["bandwidth"] is None else f"{store_of['bandwidth'] / 2**20:g} MiB/s"
    computing = [name for name, how in document["compute"].items() if how != "waits"]
    waits = f"live with waits for computing{' except in ' + ', '.join(computing) if computing else ''}"
    title = f"{document['name']}: {waits}, store: {store_of['kind']}, {limit}"
    table = Table(title=title, title_justify="left")
    for heading in ("policy", "measure", "paper", "live, scaled", "least .. greatest", "simulated, scaled"):
        table.add_column(heading, justify="left" if heading in ("policy", "measure") else "right")
    for row in document["table"]:
        spread = row["spread"]
        span = "" if spread is None or spread["runs"] < 2 else f"{spread['min']:.4g} .. {spread['max']:.4g}"
        numbers = [_text(row["measure"], row[key]) for key in ("paper", "live", "simulated")]
        table.add_row(row["policy"], row["measure"], numbers[0], numbers[1], span, numbers[2])
    show(table)
    for policy, each in document["policies"].items():
        errors = each["prediction_errors"]
        if errors["phases"]:
            say(
                f"{policy}: {errors['phases']} phases predicted, off by {errors['mean_share']:.2%} of the "
                f"period in the mean, {errors['greatest_share']:.2%} at most; "
                f"{errors['within_2_percent']} to 2 %"
            )


def _text(measure: str, value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:+.1%}" if measure.endswith("_change") else f"{value:.4g}"
