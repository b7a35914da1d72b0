# SPDX-License-Identifier: BSD-3-Clause
"""nereus doctor - what the MPIs of this machine can do."""

from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from nereus import __version__
from nereus.bench.combinations import all_combinations
from nereus.bench.process_trials import find_ways
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
from nereus.probe import FEATURES, Capabilities, joining, probe, remedy

_NONE_INSTALLED = "no MPI build of Nereus is installed; run `make build`"


def doctor(
    mpi: Annotated[str | None, typer.Option(metavar="NAME", help="Look at this MPI build only.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")] = False,
) -> None:
    """Test what the MPIs of this machine can do. Exit code 0: one of them can resize jobs.

    Example: nereus doctor --mpi openmpi
    """
    chosen = [choose(mpi)] if mpi else builds()
    with Stopping() as stopping, fostering():
        findings = [_finding(build, lambda: stopping.signal is not None) for build in chosen]
    if stopping.signal is not None:
        complain(f"stopped by {stopping.text}")
        raise typer.Exit(stopping.exit_code)
    document = _document(findings)
    if as_json:
        show_json(document)
    else:
        show(Group(_machine(document), "", *_tables(findings)))
    raise typer.Exit(0 if any(finding["malleable"] for finding in findings) else 1)


def _finding(build: Build, stopped: Callable[[], bool]) -> dict[str, Any]:
    found = probe(build, fresh=True, stopped=stopped)
    joins = joining(build, fresh=True, stopped=stopped)
    reach = {"works": joins.works, "reason": joins.reason, "environment": dict(joins.environment)}
    with TrialBar(build.name, len(all_combinations())) as bar:
        ways = find_ways(build, joins, stopped, lambda trial: bar.advance(trial.combination.text))
    return {**_summary(build, found), "joining": reach, "ways": ways_documents(ways)}


def _summary(build: Build, found: Capabilities) -> dict[str, Any]:
    return {
        "name": build.name,
        "library": found.library if found.library != "unknown" else build.library_version,
        "mpiexec": str(build.mpiexec),
        "thread_level": found.thread_level,
        "malleable": found.obstacle is None,
        "features": {
            name: {"works": feature.works, "reason": feature.reason}
            for name, feature in found.features.items()
        },
        "remedy": None if found.obstacle is None else remedy(build),
    }


def _document(findings: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "nereus_version": __version__,
        "cores": cores(),
        "memory_bytes": memory_bytes(),
        "max_ranks": most_ranks(),
        "builds_folder": str(builds_folder()),
        "builds": findings,
    }


def _machine(document: dict[str, Any]) -> str:
    memory = document["memory_bytes"] / 2**30
    ranks = document["max_ranks"]
    return (
        f"Nereus {document['nereus_version']}: {document['cores']} cores, {memory:.1f} GiB of memory, "
        f"at most {ranks} ranks; builds in {document['builds_folder']}"
    )


def _tables(findings: list[dict[str, Any]]) -> list[RenderableType]:
    if not findings:
        return [_NONE_INSTALLED]
    parts = [(_table(finding), "", ways_table(finding["ways"]), "") for finding in findings]
    return [part for several in parts for part in several][:-1]


def _table(finding: dict[str, Any]) -> Table:
    verdict = "can resize jobs" if finding["malleable"] else "runs jobs of fixed size only"
    title = f"{finding['name']}: {verdict}"
    if finding["remedy"]:
        title += f"; to resize, {finding['remedy']}"
    grid = Table(
        title=title, title_justify="left", title_style="bold", box=None, show_header=False, pad_edge=False
    )
    grid.add_row("library", "", Text(finding["library"]))
    grid.add_row("launcher", "", Text(finding["mpiexec"]))
    grid.add_row("threads", "", finding["thread_level"])
    for name in FEATURES:
        grid.add_row(name.replace("_", " "), *_cells(finding["features"][name]))
    grid.add_row("join", *_cells(finding["joining"]))
    return grid


def _cells(feature: dict[str, Any]) -> tuple[str, Text]:
    """Yes or no, and why not; or with what it works."""
    settings = [f"{name}={value}" for name, value in feature.get("environment", {}).items()]
    return "yes" if feature["works"] else "no", Text(feature["reason"] or " ".join(settings))
