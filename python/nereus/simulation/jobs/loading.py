# SPDX-License-Identifier: BSD-3-Clause
"""Reads a scenario, or a trace alone; what is wrong with it is said with file, line and key."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nereus.config import ConfigError, Problem
from nereus.config.document import Document
from nereus.config.tables import Tables, validated_by
from nereus.config.text import text_of
from nereus.config.toml_reader import read_tables
from nereus.config.validation import problem_at
from nereus.reading import MOST_RECORDED, content_of
from nereus.simulation.jobs.emulated import emulated, iteration_times
from nereus.simulation.jobs.measured import fitted
from nereus.simulation.jobs.scenario import Cluster, Job, Reconfiguration, Scenario, Store, Time, Trace

_TABLES: Tables = {
    (): Scenario,
    ("cluster",): Cluster,
    ("storage",): Store,
    ("reconfiguration",): Reconfiguration,
    ("trace",): Trace,
    ("jobs",): Job,
    ("jobs", "time"): Time,
    ("jobs", "reconfiguration"): Reconfiguration,
}
#: Keys of a job that an experiment takes the place of; what it writes are its stages `write`.
_OF_EXPERIMENT = (
    "iterations",
    "time",
    "times",
    "io_every",
    "io_bytes",
    "io_seconds",
    "io_rate",
    "checkpoint_every",
)


def load_scenario(path: Path, cores: int | None = None) -> Scenario:
    """A ConfigError of one line says what is wrong; `cores` in place of those of the file."""
    name = str(path)
    document = read_tables(text_of(path), name)
    document.tree.pop("live", None)  # how it is run by real jobs
    if cores is not None and isinstance(document.tree.get("cluster"), dict):
        document.tree["cluster"]["cores"] = cores
    _fill_from_experiments(document, path)
    scenario = _with_measured(validated_by(Scenario, _TABLES, document, name), document, path)
    if scenario.trace is None:
        return scenario
    file = path.parent / scenario.trace.file
    if not file.is_file():
        raise ConfigError([problem_at(document, ("trace", "file"), "the name of a file that is there", name)])
    return scenario.model_copy(update={"trace": scenario.trace.model_copy(update={"file": str(file)})})


def _fill_from_experiments(document: Document, path: Path) -> None:
    """What an experiment says of a job: its file is then named as it can be opened from here."""
    jobs = document.tree.get("jobs")
    for index, job in enumerate(jobs if isinstance(jobs, list) else []):
        if isinstance(job, dict) and isinstance(job.get("experiment"), str) and job["experiment"]:
            problems = list(_of_experiment(document, index, path))
            if problems:
                raise ConfigError(problems)


def _of_experiment(document: Document, index: int, path: Path) -> Iterator[Problem]:
    job, where = document.tree["jobs"][index], ("jobs", index)
    for key in _OF_EXPERIMENT:
        if key in job:
            allowed = "none where there is an experiment, which says it"
            yield problem_at(document, (*where, key), allowed, str(path))
    file = path.parent / job["experiment"]
    if not file.is_file():
        yield problem_at(document, (*where, "experiment"), "the name of a file that is there", str(path))
        return
    experiment = emulated(file)
    if experiment.protection is not None:
        allowed = "an experiment without [protection]: jobs whose size others choose do not fail"
        yield problem_at(document, (*where, "experiment"), allowed, str(path))
        return
    times = iteration_times(experiment)
    if min(seconds for _, seconds in times) <= 0:
        allowed = "an experiment with stages that have a time: a simulation cannot know how long others take"
        yield problem_at(document, (*where, "experiment"), allowed, str(path))
        return
    job.setdefault("ranks", experiment.groups[0].ranks)
    job.update(experiment=str(file), iterations=experiment.iterations, times=times)


def _with_measured(scenario: Scenario, document: Document, path: Path) -> Scenario:
    """In the place of files of events what they say of resizes."""
    update: dict[str, Any] = {}
    jobs = list(scenario.jobs)
    for where, each in scenario.reconfigurations():
        if each.measured is None:
            continue
        found = _measured(path.parent / each.measured)
        if found is None:
            allowed = "the name of a file that is there, with events 'resized' that contain their seconds"
            raise ConfigError([problem_at(document, (*where, "measured"), allowed, str(path))])
        if where[0] == "jobs":
            number = int(where[1])
            jobs[number] = jobs[number].model_copy(update={"reconfiguration": found})
        else:
            update["reconfiguration"] = found
    return scenario.model_copy(update={**update, "jobs": jobs}) if scenario.jobs or update else scenario


def _measured(file: Path) -> Reconfiguration | None:
    try:
        found = fitted(content_of(file, MOST_RECORDED).decode("utf-8", "replace"))
    except OSError:
        return None
    return None if found is None else Reconfiguration(seconds=found[0], per_rank=found[1])


def load_trace(path: Path, cores: int, parallel_fraction: float | None = None) -> Scenario:
    """A trace without a scenario."""
    trace = Trace(file=str(path))
    if parallel_fraction is not None:
        trace = trace.model_copy(update={"parallel_fraction": parallel_fraction})
    return Scenario(cluster=Cluster(cores=cores), trace=trace)
