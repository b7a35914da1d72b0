# SPDX-License-Identifier: BSD-3-Clause
"""Makes the runs of a live study that are missing, and simulates the same beside them."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from nereus.launch import Build
from nereus.policy.decisions import Policy
from nereus.simulation.jobs import Result, simulate
from nereus.simulation.live import running, store
from nereus.simulation.live.error import LiveError
from nereus.simulation.live.event_results import result_of
from nereus.simulation.live.folder import Folder
from nereus.simulation.live.jobs import kind_of
from nereus.simulation.live.model import Study
from nereus.simulation.live.plan import Planned, scenario_for


@dataclass
class Made:
    """Outcomes of the runs; `simulated`: of the same scenario, without real jobs."""

    live: dict[Planned, Result] = field(default_factory=dict)
    simulated: dict[Planned, Result] = field(default_factory=dict)
    failed: dict[Planned, str] = field(default_factory=dict)


def programs(study: Study, build: Build) -> dict[str, Path]:
    """What the jobs run, by name; LaunchError where the build has no such program."""
    names = {kind_of(study.live, job).program for job in study.scenario.jobs}
    return {name: build.program(name).absolute() for name in names}


def opened_store(study: Study, place: Path) -> AbstractContextManager[Path]:
    """The store that the study asks for; one without a limit is in the folder `place`."""
    if study.live.store == "folder" or not study.writes:
        return store.folder_store(place)
    return store.limited_store(study.live.store_bytes, study.scenario.storage.bandwidth)


def make_all(
    study: Study,
    runs: Sequence[Planned],
    kept: Folder,
    means: running.Means,
    tell: Callable[[Planned], None],
) -> Made:
    """Make those runs that `kept` has not yet, until all are or it is stopped; `tell` is told of each."""
    made = Made()
    for planned in runs:
        _make(study, planned, kept, means, made)
        if means.stopped():
            return made
        tell(planned)
    return made


def simulate_beside(study: Study, made: Made, policies: Mapping[str, Policy]) -> None:
    """The same as the live runs, on simulated time; `policies`: by name."""
    for planned in made.live:
        scenario = scenario_for(study, planned)
        made.simulated[planned] = simulate(scenario, planned.case, policies[planned.policy])


def _make(study: Study, planned: Planned, kept: Folder, means: running.Means, made: Made) -> None:
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
