# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of a trace in the Standard Workload Format (Feitelson's Parallel Workloads Archive).

A line for each job, 18 numbers; of these submit time, run time and processors are used. A job that did not
run, or on no processors, is left out. The trace says how long a job ran on its processors; how long it would
have run on others is Amdahl's law with the parallel fraction of the scenario.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import floor
from pathlib import Path

import numpy as np

from nereus.config.errors import ConfigError, fail
from nereus.config.text import text_of
from nereus.reading import MOST_RECORDED
from nereus.simulation.jobs.scenario import Job, Time, Trace

_FIELDS = 18
_NUMBER, _SUBMIT, _RUN, _ALLOCATED, _REQUESTED, _LIMIT = 0, 1, 3, 4, 7, 8
_USED_MEMORY, _REQUESTED_MEMORY = 6, 9
_MOST_RANKS = 10**7
_MOST_ITERATIONS = 10**9
_GREATEST = 1e10  # seconds, or anything else, that makes sense


@dataclass(frozen=True)
class TracedJob:
    name: str
    submit: float
    seconds: float
    ranks: int
    limit: float = -1  # seconds that were requested; none where it is not above 0
    used_memory: float = -1  # kilobytes of each processor, on average; not known where it is not above 0
    requested_memory: float = -1


@dataclass(frozen=True)
class Line:
    """Of a trace, where a job stands; `job`: what is wrong where there is none."""

    where: str
    job: TracedJob | ConfigError


def lines(path: Path) -> Iterator[Line]:
    """All but comments and empty ones."""
    names: set[str] = set()
    for number, text in enumerate(text_of(path, MOST_RECORDED).splitlines(), start=1):
        if text.strip() and not text.lstrip().startswith(";"):
            where = f"{path}:{number}"
            yield Line(where, _job_or_error(text, where, names))


def traced(path: Path) -> list[TracedJob]:
    """ConfigError with the line that is no job."""
    jobs = []
    for line in lines(path):
        if isinstance(line.job, ConfigError):
            raise line.job
        jobs.append(line.job)
    return [job for job in jobs if job.seconds > 0 and job.ranks > 0]


def jobs_of(trace: Trace, cores: int, seed: int) -> tuple[list[Job], int]:
    """And how many are left out that need more cores than there are."""
    found = traced(Path(trace.file))
    fitting = [job for job in found if job.ranks <= cores]
    first = min((job.submit for job in fitting), default=0.0)
    return list(_malleable(fitting, first, trace, seed)), len(found) - len(fitting)


def _malleable(jobs: list[TracedJob], first: float, trace: Trace, seed: int) -> Iterator[Job]:
    drawn = np.random.default_rng([seed, 0]).random(len(jobs))
    for job, number in zip(jobs, drawn, strict=True):
        factor = trace.most_factor if number < trace.malleable_share else 1.0
        iterations = min(max(1, round(job.seconds / trace.iteration_seconds)), _MOST_ITERATIONS)
        each, parallel = job.seconds / iterations, trace.parallel_fraction
        yield Job(
            name=job.name,
            start=job.submit - first,
            ranks=job.ranks,
            most=min(floor(job.ranks * factor), _MOST_RANKS),
            iterations=iterations,
            time=Time(fixed=(1 - parallel) * each, divided=parallel * each * job.ranks),
            profile=[job.ranks, 2 * job.ranks],
        )


def _job_or_error(text: str, where: str, names: set[str]) -> TracedJob | ConfigError:
    """`names`: of the jobs above; its own is added."""
    try:
        job = _job(text, where)
    except ConfigError as error:
        return error
    if job.name in names:
        return fail(where, f"there is a job {job.name} above: each has another number")
    names.add(job.name)
    return job


def _job(text: str, where: str) -> TracedJob:
    words = text.split()
    if len(words) != _FIELDS:
        raise fail(where, f"a job has {_FIELDS} numbers, this line {len(words)}")
    try:
        number = [float(word) for word in words]
    except ValueError:
        raise fail(where, "a job has numbers only") from None
    if not all(abs(each) <= _GREATEST for each in number) or number[_NUMBER] < 0:
        raise fail(where, f"a job has a number from 0, and none beyond {_GREATEST:g}")
    ranks = int(number[_ALLOCATED] if number[_ALLOCATED] > 0 else number[_REQUESTED])
    return TracedJob(
        f"{int(number[_NUMBER])}",
        number[_SUBMIT],
        number[_RUN],
        ranks,
        number[_LIMIT],
        number[_USED_MEMORY],
        number[_REQUESTED_MEMORY],
    )
