# SPDX-License-Identifier: BSD-3-Clause
"""nereus doctor - what the MPIs of this machine can do."""

import time
from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from nereus import __version__
from nereus.analysis.report.tables import new_table
from nereus.analysis.report.units import bytes_text
from nereus.bench.combinations import Combination, all_combinations
from nereus.bench.process_trials import find_ways
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import complain, show, show_json
from nereus.cli.trial_bar import TrialBar
from nereus.cli.ways_table import ways_documents, ways_table
from nereus.launch import (
    Build,
    Stopping,
    builds,
    builds_folder,
    choose,
    cores,
    fostering,
    memory_bytes,
    most_ranks,
)
from nereus.launch.origin import how_to_build
from nereus.methods import RESTART
from nereus.probe import FEATURES, Capabilities, Feature, Joining, in_container, joining, probe, remedy

_MOST_SECONDS = 3600.0
# Of the time for an MPI: one trial that hangs leaves enough for the others.
_SHARE_OF_A_TRIAL = 0.25
# And for the command to begin, and to end what is tried last, which takes some launchers a second.
_SHARE_OF_THE_REST = 0.2


def doctor(
    mpi: Annotated[str | None, typer.Option(metavar="NAME", help="Look at this MPI build only.")] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Try everything again, also what is known from earlier trials.")
    ] = False,
    limit: Annotated[
        float,
        typer.Option(min=1.0, max=_MOST_SECONDS, metavar="SECONDS", help="Time for the trials of each MPI."),
    ] = 10.0,
    as_json: JsonOption = False,
) -> None:
    """Test what the MPIs of this machine can do. Exit code 0: one of them can resize jobs.

    What is known from earlier trials is not tried again, nor what hung within the last hour.

    Example: nereus doctor --mpi openmpi
    """
    chosen = [choose(mpi)] if mpi else builds()
    with Stopping() as stopping, fostering():
        findings = [_finding(build, again, limit, lambda: stopping.signal is not None) for build in chosen]
    if stopping.signal is not None:
        complain(f"stopped by {stopping.text}")
        raise typer.Exit(stopping.exit_code)
    document = _document(findings)
    if as_json:
        show_json(document)
    else:
        show(Group(_machine(document), "", *_tables(findings)))
    raise typer.Exit(0 if any(finding["malleable"] for finding in findings) else 1)


def _finding(build: Build, again: bool, limit: float, stopped: Callable[[], bool]) -> dict[str, Any]:
    until, each = time.monotonic() + limit * (1 - _SHARE_OF_THE_REST), limit * _SHARE_OF_A_TRIAL

    def over() -> bool:
        return stopped() or time.monotonic() >= until

    found = probe(build, fresh=again, time_limit=each, until=until, stopped=stopped)
    joins = joining(build, fresh=again, time_limit=each, until=until, stopped=stopped)
    with TrialBar(build.name, len(all_combinations())) as bar:
        ways = find_ways(
            build,
            joins,
            over,
            lambda trial: bar.advance(trial.combination.text),
            fresh=again,
            silence=each,
            obstacle=found.obstacle,
        )
    restarts = ways.get(Combination(RESTART), Feature(False)).works
    summary = _summary(build, found, restarts, each)
    return {**summary, "joining": _joining_document(joins), "ways": ways_documents(ways)}


def _joining_document(joins: Joining) -> dict[str, Any]:
    return {
        "works": joins.works,
        "reason": joins.reason,
        "environment": dict(joins.environment),
        "failures": [{"environment": dict(one.environment), "reason": one.reason} for one in joins.failures],
    }


def _summary(build: Build, found: Capabilities, restarts: bool, each: float) -> dict[str, Any]:
    return {
        "name": build.name,
        "library": found.library if found.library != "unknown" else build.library_version,
        "mpiexec": str(build.mpiexec),
        "programs_of": build.programs_of or None,
        "thread_level": found.thread_level,
        "malleable": found.obstacle is None or restarts,
        "features": {
            name: {"works": feature.works, "reason": feature.reason}
            for name, feature in found.features.items()
        },
        "remedy": None if found.obstacle is None else remedy(build, each),
    }


def _document(findings: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "nereus_version": __version__,
        "cores": cores(),
        "memory_bytes": memory_bytes(),
        "max_ranks": most_ranks(),
        "container": in_container(),
        "builds_folder": str(builds_folder()),
        "builds": findings,
    }


def _machine(document: dict[str, Any]) -> str:
    memory = bytes_text(document["memory_bytes"])
    ranks = document["max_ranks"]
    return (
        f"Nereus {document['nereus_version']}: {document['cores']} cores, {memory} of memory, "
        f"at most {ranks} ranks; builds in {document['builds_folder']}"
        + ("; in a container" if document["container"] else "")
    )


def _tables(findings: list[dict[str, Any]]) -> list[RenderableType]:
    if not findings:
        return [f"no MPI build of Nereus is installed; {how_to_build()}"]
    parts = [(_table(finding), "", ways_table(finding["ways"]), "") for finding in findings]
    return [part for several in parts for part in several][:-1]


def _table(finding: dict[str, Any]) -> Table:
    title = f"{finding['name']}: {_verdict(finding)}"
    if finding["remedy"]:
        title += f"; {'while it runs' if finding['malleable'] else 'to resize'}, {finding['remedy']}"
    grid = new_table(title=title, show_header=False)
    grid.add_row("library", "", Text(finding["library"]))
    grid.add_row("launcher", "", Text(finding["mpiexec"]))
    of = finding["programs_of"]
    grid.add_row("programs", "", f"those of {of}, which has the same ABI" if of else "compiled for this MPI")
    grid.add_row("threads", "", finding["thread_level"])
    for name in FEATURES:
        grid.add_row(name.replace("_", " "), *_cells(finding["features"][name]))
    joins = finding["joining"]
    grid.add_row("join", *_cells(joins))
    for failure in joins["failures"] if joins["works"] else []:
        grid.add_row("", "", Text(f"not with {_settings(failure['environment'])}: {failure['reason']}"))
    return grid


def _verdict(finding: dict[str, Any]) -> str:
    if not finding["malleable"]:
        return "runs jobs of fixed size only"
    return "can resize jobs" + (f" by {RESTART} only" if finding["remedy"] else "")


def _cells(feature: dict[str, Any]) -> tuple[str, Text]:
    """Yes or no, and why not; or with what it works."""
    return "yes" if feature["works"] else "no", Text(
        feature["reason"] or _settings(feature.get("environment", {}))
    )


def _settings(environment: dict[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in environment.items())
