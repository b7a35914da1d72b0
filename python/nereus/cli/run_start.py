# SPDX-License-Identifier: BSD-3-Clause
"""Where a job of `nereus run` begins, when, and how many ranks it may have."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from nereus.cli.messages import Refused, note
from nereus.daemon.queue import cores_for, inquire, shares_hosts_of
from nereus.launch import RANKS_PER_CORE, Stopping, most_ranks
from nereus.runs import Where
from nereus.supervisor import NameClaim

#: Of jobs that can have more hosts: their slots are the limit there.
MOST_WITH_MORE_HOSTS = 65536


@contextmanager
def where_it_starts(
    where: Where, claim: NameClaim, ranks: int, queue: bool, stopping: Stopping, quiet: bool
) -> Iterator[Where | None]:
    """Once the daemon has cores for it, if it is to have them from there; None where it was stopped first."""
    of_job = where.manager.job if where.can_be_shared else ""
    tell = partial(note, quiet=quiet)
    is_shared = of_job != "" and shares_hosts_of(of_job, queue, stopping, tell)
    if not (queue or is_shared):
        yield where if stopping.signal is None else None
        return
    with cores_for(claim, ranks, stopping, tell) as first:
        if first is None:
            yield None
        elif not is_shared:
            yield where
        elif first:
            yield where.part(first, inquire)
        else:
            raise Refused(f"the daemon of the job {of_job} is gone: it has to say which hosts are free")


def rank_limit(ranks: int, max_ranks: int | None, where: Where) -> int:
    """The most ranks of the job."""
    if where.reach.grows and max_ranks is None:
        return max(ranks, MOST_WITH_MORE_HOSTS)
    default, unit = (RANKS_PER_CORE * where.slots, "slot") if where.hosts else (most_ranks(), "core")
    limit = max_ranks or default
    if ranks > limit:
        rule = "--max-ranks" if max_ranks else f"{RANKS_PER_CORE} per {unit}; see --max-ranks"
        raise Refused(f"-n = {ranks}: the launcher is asked for at most {limit} ({rule})")
    return limit
