# SPDX-License-Identifier: BSD-3-Clause
"""The jobs of a workload: those that it lists, those of a trace, or drawn ones."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path

import numpy as np

from nereus.config.errors import ConfigError, fail
from nereus.simulation.jobs.swf import Line, TracedJob, lines
from nereus.simulation.workload import lublin, sacct
from nereus.simulation.workload.behaviour import memory_of
from nereus.simulation.workload.job import Job, Kind
from nereus.simulation.workload.model import Generated, SubmittedJob, Workload, no_limit

_NOT_KNOWN = -1  # in a trace
_DID_NOT_RUN = "did not run"
_BAD = "bad"


@dataclass(frozen=True)
class Jobs:
    """By submission, from 0 s on. `left_out`: why, and how many; `fixed`: names of jobs that have a kind."""

    all: list[Job]
    left_out: Mapping[str, int] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()


def jobs_of(workload: Workload, seed: int, skip_bad: bool = False) -> Jobs:
    """ConfigError with the first line of a trace that is no job, unless bad ones are skipped."""
    if workload.trace is not None:
        return _traced(workload, Path(workload.trace), skip_bad)
    if workload.generated is not None:
        return Jobs(_with_drawn_io(_drawn(workload.generated, seed), workload, seed))
    fixed = frozenset(job.name for job in workload.jobs if job.kind is not None)
    return Jobs(_in_order([_listed(job, workload) for job in workload.jobs]), fixed=fixed)


def _in_order(jobs: list[Job]) -> list[Job]:
    first = min((job.submit for job in jobs), default=0.0)
    return [replace(job, submit=job.submit - first) for job in sorted(jobs, key=lambda job: job.submit)]


def _listed(job: SubmittedJob, workload: Workload) -> Job:
    limit = job.limit or workload.default_limit or inf
    rigid = Job.rigid(job.name, job.submit, job.ranks, job.seconds, limit, job.memory_per_rank)
    store = workload.storage
    share = 0.0 if store is None else store.share_of(job.io_share, job.io_bytes, job.seconds)
    made = replace(rigid, priority=job.priority, io_share=share)
    if job.kind in (None, Kind.RIGID):
        return made
    sized = with_kind(made, Kind(job.kind), workload)
    return replace(sized, least=job.least or sized.least, most=max(job.ranks, job.most or sized.most))


def with_kind(job: Job, kind: Kind, workload: Workload) -> Job:
    """With the sizes that the workload's factors give it."""
    if kind is Kind.RIGID:
        return job
    least = max(1, int(np.ceil(job.ranks * workload.least_factor)))
    most = max(job.ranks, min(workload.cores, int(job.ranks * workload.most_factor)))
    return replace(job, kind=kind, least=least, most=most if kind is Kind.MALLEABLE else job.ranks)


@dataclass(frozen=True)
class _Trace:
    """A format of traces: how it is read; what it calls ranks and limit, at the beginning of a message."""

    read: Callable[[Path], Iterable[Line | sacct.Entry]]
    ranks: str
    limit: str


_SWF = _Trace(lines, "", "the requested time ")
_SACCT = _Trace(sacct.entries, "AllocCPUS: ", "Timelimit: ")


def _traced(workload: Workload, path: Path, skip_bad: bool) -> Jobs:
    jobs: list[Job] = []
    left_out: Counter[str] = Counter()
    first: ConfigError | None = None
    words = _SACCT if sacct.is_export(path) else _SWF
    if words is _SACCT and workload.resize_cost is not None and workload.resize_cost.memory_from is not None:
        raise fail(str(path), "has no memory of jobs: resize_cost.memory_from goes with a trace (.swf)")
    for line in words.read(path):
        problem = _problem(line, workload, words)
        if problem is not None:
            left_out[_BAD] += 1
            first = first or problem
        elif isinstance(line.job, sacct.LeftOut):
            left_out[line.job.why] += 1
        elif isinstance(line.job, TracedJob) and line.job.seconds > 0 and line.job.ranks > 0:
            limit = line.job.limit if line.job.limit > 0 else workload.default_limit or inf
            memory = memory_of(line.job, workload.resize_cost)
            jobs.append(
                Job.rigid(line.job.name, line.job.submit, line.job.ranks, line.job.seconds, limit, memory)
            )
        else:
            left_out[_DID_NOT_RUN] += 1
    if first is not None and not skip_bad:
        more = f", and {left_out[_BAD] - 1} more" if left_out[_BAD] > 1 else ""
        what = replace(
            first.problems[0], allowed=f"{first.problems[0].allowed}{more} (--skip-bad leaves out such jobs)"
        )
        raise ConfigError([what])
    if not jobs:
        raise fail(str(path), "has no job that can be simulated")
    if workload.storage is not None:
        share = workload.storage.io_share or 0.0
        jobs = [replace(job, io_share=share) for job in jobs]
    return Jobs(_in_order(jobs), left_out)


def _problem(line: Line | sacct.Entry, workload: Workload, words: _Trace) -> ConfigError | None:
    if isinstance(line.job, ConfigError):
        return line.job
    if isinstance(line.job, sacct.LeftOut):
        return None
    return next((fail(line.where, text) for text in _problems(line.job, workload, words)), None)


def _problems(job: TracedJob, workload: Workload, words: _Trace) -> Iterator[str]:
    """Of one that ran."""
    times = {"submit time": job.submit, "run time": job.seconds, "requested time": job.limit}
    for name, value in times.items():
        if value < 0 and not (value == _NOT_KNOWN and name != "submit time"):
            yield f"the {name} of a job is from 0, or -1 where it is not known, not {value:g}"
    if job.seconds <= 0 or job.ranks <= 0:
        return
    if job.ranks > workload.cores:
        yield f"{words.ranks}the job has {job.ranks} processors, the machine {workload.cores} cores"
    if job.limit <= 0 and workload.default_limit is None and workload.needs_limits:
        yield f"{words.limit}{no_limit(workload.order)}"


def _drawn(generated: Generated, seed: int) -> list[Job]:
    random = np.random.default_rng([seed, 1])
    model = lublin.drawn if generated.model == "lublin" else _exponential
    submits, ranks, seconds = model(generated, random)
    limits = seconds * random.uniform(1, generated.limit_factor, generated.jobs)
    return [
        Job.rigid(f"{number}", float(submit), int(size), float(run), float(limit))
        for number, (submit, size, run, limit) in enumerate(
            zip(submits - submits[0], ranks, seconds, limits, strict=True), start=1
        )
    ]


def _with_drawn_io(jobs: list[Job], workload: Workload, seed: int) -> list[Job]:
    """Bytes, or shares of at most 1, of an exponential distribution; all other values stay what they are."""
    generated, store = workload.generated, workload.storage
    if store is None or generated is None:
        return jobs
    random = np.random.default_rng([seed, 4])
    shares = [store.share_of(None, None, job.seconds) for job in jobs]
    if generated.io_bytes is not None:
        amounts = random.exponential(generated.io_bytes, len(jobs)).tolist()
        shares = [
            store.share_of(None, amount, job.seconds) for job, amount in zip(jobs, amounts, strict=True)
        ]
    elif generated.io_share is not None:
        shares = np.minimum(1.0, random.exponential(generated.io_share, len(jobs))).tolist()
    return [replace(job, io_share=share) for job, share in zip(jobs, shares, strict=True)]


def _exponential(
    generated: Generated, random: np.random.Generator
) -> tuple[lublin.Floats, lublin.Ranks, lublin.Floats]:
    assert generated.every is not None and generated.seconds is not None
    gaps = random.exponential(generated.every, generated.jobs)
    seconds = np.maximum(random.exponential(generated.seconds, generated.jobs), 1e-6)
    return (
        np.cumsum(gaps),
        2 ** random.integers(0, generated.most_ranks.bit_length(), generated.jobs),
        seconds,
    )
