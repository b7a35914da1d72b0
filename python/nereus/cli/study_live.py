# SPDX-License-Identifier: BSD-3-Clause
"""nereus study FILE with a table [live] - a scenario with real jobs, and the same simulated."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from nereus.analysis.report.units import amount_text, change_text, percent_text, seconds_text
from nereus.cli.messages import Refused, complain, note, say, show, show_json
from nereus.cli.start import OWN_COMMAND
from nereus.cli.trial_bar import TrialBar
from nereus.launch import RANKS_PER_CORE, Build, Stopping, choose, most_ranks
from nereus.policy.loading import load
from nereus.probe import joining
from nereus.simulation.live import Planned, Study, load_live, planned_runs, running, store
from nereus.simulation.live.document import JSON, PICTURE, document_of, write_files
from nereus.simulation.live.folder import Folder
from nereus.simulation.live.making import Made, make_all, opened_store, programs, simulate_beside


def study_live(
    file: Path,
    folder: Callable[[str], Path],
    mpi: str | None,
    max_ranks: int | None,
    as_json: bool,
    plan: bool,
    quiet: bool = False,
) -> None:
    """Make the runs that are missing, and tell what all of them come to.

    `folder`: for the results, by the name of the study; asked when nothing is wrong with it.
    """
    study = load_live(file)
    loaded = {name: load(name) for name in study.scenario.compared}
    runs = planned_runs(study)
    if plan:
        show_json([run.name for run in runs]) if as_json else say("\n".join(run.name for run in runs))
        return
    build = choose(mpi or study.live.mpi)
    _check(study, file, build, max_ranks)
    kept = Folder(folder(study.name), study.text)
    with Stopping() as stopping:
        made = _make_all(study, runs, kept, build, lambda: stopping.signal is not None, quiet)
    if stopping.signal is not None:
        complain(f"stopped by {stopping.text}; run the same command to continue")
        raise typer.Exit(stopping.exit_code)
    simulate_beside(study, made, loaded)
    _tell(study, build, kept, made, as_json, quiet)
    raise typer.Exit(1 if made.failed else 0)


def _check(study: Study, file: Path, build: Build, max_ranks: int | None) -> None:
    """Whatever would go wrong later is said before anything is started."""
    programs(study, build)
    limit = max_ranks or most_ranks()
    if study.scenario.cluster.cores > limit:
        rule = "--max-ranks" if max_ranks else f"{RANKS_PER_CORE} for each core; see --max-ranks"
        raise Refused(f"{file}: cluster.cores = {study.scenario.cluster.cores}: at most {limit} ({rule})")
    missing = store.complaint() if study.live.store == "limited" and study.writes else ""
    if missing:
        raise Refused(f"{file}: {missing}")


def _make_all(
    study: Study,
    runs: Sequence[Planned],
    kept: Folder,
    build: Build,
    stopped: Callable[[], bool],
    quiet: bool,
) -> Made:
    if not joining(build, stopped=stopped).works and not stopped():
        raise Refused(f"the MPI build {build.name} cannot make new processes: nothing would be resized")
    with opened_store(study, kept.place) as place, TrialBar(study.name, len(runs), quiet) as bar:
        means = running.Means(
            OWN_COMMAND,
            build.name,
            programs(study, build),
            place,
            study.live,
            stopped,
        )
        return make_all(study, runs, kept, means, lambda planned: bar.advance(planned.name))


def _tell(study: Study, build: Build, kept: Folder, made: Made, as_json: bool, quiet: bool) -> None:
    document = document_of(study, build, made)
    write_files(document, made, kept)
    for planned, reason in made.failed.items():
        complain(f"{planned.name}: {reason}")
    if as_json:
        show_json(document)
    else:
        _show(document)
    note(f"results: {kept.place} ({JSON}, {PICTURE}, and the events of each run)", quiet)


def _show(document: Mapping[str, Any]) -> None:
    from nereus.analysis.report.tables import new_table, number  # --json does without

    store_of = document["store"]
    limit = "unlimited" if store_of["bandwidth"] is None else amount_text(store_of["bandwidth"], "B/s")
    store_text = "no job writes" if store_of["kind"] == "none" else f"store: {store_of['kind']}, {limit}"
    title = f"{document['name']}: {_compute(document['compute'])}, {store_text}"
    scaled = ", scaled" if document["mode"] == "live" else ""
    ours = f"{document['mode']}{scaled}"
    figures = ("paper", ours, "least", "greatest", f"simulated{scaled}")
    table = new_table("policy", "measure", *map(number, figures), title=title)
    for row in document["table"]:
        measure, spread = row["measure"], row["spread"]
        told = spread if spread is not None and spread["runs"] > 1 else {}
        values = (row["paper"], row["live"], told.get("min"), told.get("max"), row["simulated"])
        table.add_row(row["policy"], _name(measure), *(_text(measure, value) for value in values))
    show(table)
    for policy, each in document["policies"].items():
        errors = each["prediction_errors"]
        if errors["phases"]:
            say(
                f"{policy}: {errors['phases']} phases predicted, off by "
                f"{percent_text(errors['mean_share'])} of the period in the mean, "
                f"{percent_text(errors['greatest_share'])} at most; "
                f"{errors['within_2_percent']} to 2 %"
            )


def _compute(kinds: Mapping[str, str]) -> str:
    if set(kinds.values()) == {"emulated"}:
        return "live with emulated applications"
    computing = [name for name, kind in kinds.items() if kind != "waits"]
    return f"live with waits for computing{' except in ' + ', '.join(computing) if computing else ''}"


def _name(measure: str) -> str:
    """Without the unit, which its values have."""
    return measure.removesuffix("_seconds").replace("_", " ")


def _text(measure: str, value: float | None) -> str:
    if value is None:
        return ""
    if measure.endswith("_change"):
        return change_text(value)
    if measure == "flops":
        return amount_text(value, "flop/s")
    return seconds_text(value) if measure.endswith("_seconds") else f"{value:g}"
