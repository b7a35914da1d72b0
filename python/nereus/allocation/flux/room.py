# SPDX-License-Identifier: BSD-3-Clause
"""What Flux could give at best: hosts of the queue, and the time that is left."""

from collections.abc import Generator, Sequence

from nereus.allocation.call import answered
from nereus.allocation.contract import AllocationError, NotGranted
from nereus.allocation.flux.client import Call
from nereus.allocation.flux.first_job import FluxJob

# UINT_MAX, which `flux job timeleft` prints for a job without a limit.
_NO_LIMIT = 2**32 - 1


def check_room(job: FluxJob, wanted: Sequence[str], ours: int) -> Generator[None, None, None]:
    """AllocationError where the instance, or the queue, cannot have so many hosts beside those that are ours.

    Flux looks at each job by itself. `wanted`: names, "" for any.
    """
    unknown = [name for name in wanted if name and name not in job.known]
    if unknown:
        raise AllocationError(f"{unknown[0]} is no host of Flux")
    total = len(job.known)
    if len(wanted) > 1 and job.limits.queue:
        total = yield from _hosts_of(job.limits.queue, job.uri)
    if len(wanted) + ours > total:
        where = f"Flux's queue {job.limits.queue}" if job.limits.queue else "Flux"
        raise AllocationError(
            f"{where} has {total} hosts, {ours} of them this job's: {len(wanted)} more cannot be had"
        )


def _hosts_of(queue: str, uri: str) -> Generator[None, None, int]:
    words = ["resource", "list", "--states=all", "--no-header", "--format={nnodes}", f"--queue={queue}"]
    answer = yield from answered(Call(words, uri))
    total = _number(answer.out) if answer.is_good else None
    if total is None:
        raise NotGranted(f"Flux does not tell of its queue {queue}: {answer.reason}")
    return total


def time_left(job: FluxJob) -> Generator[None, None, float]:
    """Seconds that a job beside this one may last; 0: no limit. AllocationError where none are left."""
    answer = yield from answered(Call(["job", "timeleft", job.id], job.uri))
    seconds = _number(answer.out) if answer.is_good else None
    if seconds is None:
        raise NotGranted(f"Flux does not tell of its job {job.id}: {answer.reason}")
    if seconds == 0:
        raise AllocationError(f"no time is left of the Flux job {job.id}")
    return 0.0 if seconds == _NO_LIMIT else float(seconds)


def _number(text: str) -> int | None:
    lines = [line.strip() for line in text.splitlines()]
    good = bool(lines) and all(line.isascii() and line.isdigit() and len(line) <= 12 for line in lines)
    return sum(map(int, lines)) if good else None
