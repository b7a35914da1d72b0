# SPDX-License-Identifier: BSD-3-Clause
"""nereus run -- PROGRAM ARGS - run a program that can be resized from outside."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Annotated

import typer

from nereus.cli.messages import Refused, complain, note, warn
from nereus.cli.where import HostsOption, OversubscribeOption, RshOption
from nereus.daemon.queue import cores_for, inquire, shares_hosts_of
from nereus.launch import (
    RANKS_PER_CORE,
    Outcome,
    PassedOn,
    Stopping,
    choose,
    fostering,
    found_program,
    most_ranks,
)
from nereus.methods import Placement, ReleaseUnit
from nereus.probe import joining
from nereus.runs import Where, founding
from nereus.supervisor import Job, NameClaim, Supervision, check_control_socket, check_job_name, claim_name

_ATTEND_SECONDS = 0.1
# Their slots are the limit there.
_MOST_WITH_MORE_HOSTS = 65536


def run(
    program: Annotated[list[str], typer.Argument(metavar="PROGRAM [ARGS]...", help="What to run.")],
    ranks: Annotated[int, typer.Option("-n", "--ranks", min=1, help="Processes at the start.")] = 1,
    mpi: Annotated[str | None, typer.Option(metavar="NAME", help="MPI build to use (nereus doctor).")] = None,
    hosts: HostsOption = "",
    rsh: RshOption = None,
    placement: Annotated[
        Placement,
        typer.Option(
            envvar="NEREUS_PLACEMENT",
            help="Fill hosts in order, or the emptiest first; measured: at a resize, ranks that sent each "
            "other the most go to one host.",
        ),
    ] = "compact",
    oversubscribe: OversubscribeOption = False,
    release_unit: Annotated[
        ReleaseUnit | None,
        typer.Option(
            envvar="NEREUS_RELEASE_UNIT",
            help="What can leave by itself; if not given: host in a job of Slurm or Flux (MPICH), else job.",
        ),
    ] = None,
    max_ranks: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=f"Most ranks, resizes included; if not given, {RANKS_PER_CORE} per core or slot, and "
            f"{_MOST_WITH_MORE_HOSTS} in a job of Slurm or Flux.",
        ),
    ] = None,
    queue: Annotated[
        bool, typer.Option("--queue", help="Start when the daemon has enough cores for it.")
    ] = False,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What to call the job; if not given, the program and a number."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not print the job's name.")] = False,
) -> None:
    """Run a program that uses Nereus, so that `nereus resize` can ask it for another size.

    Example: nereus run -n 2 -- ./application --steps 1000
    """
    if name is not None:
        check_job_name(name)
    build = choose(mpi)
    path = found_program(program[0], build)
    where = Where.read(warn, hosts, rsh, [placement], oversubscribe, build)
    limit = _limit(ranks, max_ranks, where)
    release_unit = release_unit or ("host" if where.reach.grows else "job")
    settings = {
        "NEREUS_PLACEMENT": placement,
        "NEREUS_OVERSUBSCRIBE": "on" if oversubscribe else "off",
        "NEREUS_RELEASE_UNIT": release_unit,
        "NEREUS_MAX_RANKS": str(limit),
    }
    founders, own = founding(ranks, release_unit)
    where.check_slots(ranks)
    with Stopping() as stopping, fostering():
        check_control_socket()
        with (
            claim_name(name, path.name) as claim,
            _where_it_starts(where, claim, ranks, queue, stopping, quiet) as there,
        ):
            outcome = None
            if there is not None:
                join = joining(build, there.reach, stopped=lambda: stopping.signal is not None)
                job = there.supervision(build, path, tuple(program[1:]), founders, join, settings | own)
                outcome = _supervise(job, claim, stopping, quiet)
    raise typer.Exit(_exit_code(outcome, stopping))


@contextmanager
def _where_it_starts(
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


def _supervise(start: Supervision, claim: NameClaim, stopping: Stopping, quiet: bool) -> Outcome | None:
    """Run the job; how it ended, or None when it was stopped."""
    with PassedOn() as signals, Job(start, None, claim) as job:  # a signal may come as soon as the job begins
        note(f"job {job.name}: `nereus resize {job.name} N` asks it for N ranks", quiet)
        while job.running() and stopping.signal is None:
            job.attend(_ATTEND_SECONDS)
            for number in signals.take():
                note(f"job {job.name}: {number.name} is passed on to its processes", quiet)
                job.pass_on(number)
        return None if job.running() else job.outcome()


def _exit_code(outcome: Outcome | None, stopping: Stopping) -> int:
    if outcome is None:
        complain(f"stopped by {stopping.text}")
        return stopping.exit_code
    if not outcome.good:
        complain(f"the job failed: {outcome.text}")
    return outcome.code


def _limit(ranks: int, max_ranks: int | None, where: Where) -> int:
    """The most ranks of the job."""
    if where.reach.grows and max_ranks is None:
        return max(ranks, _MOST_WITH_MORE_HOSTS)
    default, unit = (RANKS_PER_CORE * where.slots, "slot") if where.hosts else (most_ranks(), "core")
    limit = max_ranks or default
    if ranks > limit:
        rule = "--max-ranks" if max_ranks else f"{RANKS_PER_CORE} per {unit}; see --max-ranks"
        raise Refused(f"-n = {ranks}: the launcher is asked for at most {limit} ({rule})")
    return limit
