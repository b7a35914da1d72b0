# SPDX-License-Identifier: BSD-3-Clause
"""Whether groups that were started apart can join a job, and over which transports: by trying it."""

import contextlib
import json
import math
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from nereus.launch.builds import Build
from nereus.launch.command import Launch
from nereus.launch.error import LaunchError
from nereus.launch.hosts import Host, Reach, Share, host_list, is_here, names_of
from nereus.probe.cache import recall, remember
from nereus.probe.capabilities import GRACE
from nereus.probe.surroundings import key_here
from nereus.supervisor.job import Job
from nereus.supervisor.releases import RELEASE_PROGRAM
from nereus.supervisor.supervision import Supervision

PROGRAM = "nereus-resizes"
COMBINATION = "merge:join"
#: Seconds for each transport.
TIME_LIMIT = 10.0
_KIND = "joining"

# In the order in which they are tried, the fastest first. MPICH's UCX has room for few transports in the name
# of a port, and shared memory does not reach other hosts.
MPICH_HERE: tuple[dict[str, str], ...] = (
    {"UCX_TLS": "cma,posix,self"},
    {"UCX_TLS": "posix,self"},
    {"MPIR_CVAR_CH4_NETMOD": "ofi"},
)
MPICH_FAR: tuple[dict[str, str], ...] = ({"MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp"},)
# Intel's finds out by itself what reaches whom; its sockets are there where that fails.
INTEL: tuple[dict[str, str], ...] = ({}, {"FI_PROVIDER": "tcp"})
OPEN_MPI: tuple[dict[str, str], ...] = ({},)
#: What the user says by these about MPICH's transports is tried first.
TRANSPORT_VARIABLES = ("UCX_TLS", "MPIR_CVAR_CH4_NETMOD", "FI_PROVIDER")


@dataclass(frozen=True)
class Failure:
    """An environment with which groups cannot join, and why not."""

    environment: Mapping[str, str]
    reason: str


@dataclass(frozen=True)
class Joining:
    """Whether groups can join, why not, and the environment with which they can."""

    works: bool
    reason: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    #: Whether the MPI said so; else the trial died or took too long, and the next one may fare better.
    answered: bool = True
    #: What was tried before.
    failures: Sequence[Failure] = ()


def joining(
    build: Build,
    reach: Reach = Reach(),
    *,
    fresh: bool = False,
    time_limit: float = TIME_LIMIT,
    until: float = math.inf,
    stopped: Callable[[], bool] = lambda: False,
) -> Joining:
    """Find out whether groups can join with `build` where the job reaches; from the cache unless `fresh`.

    `time_limit`: seconds for each trial; `until`: when all of them must be over, by time.monotonic().
    """
    try:
        files = build.files(PROGRAM, RELEASE_PROGRAM)
    except LaunchError as problem:
        return Joining(False, str(problem))
    two = names_of(_two(reach.hosts))
    where = [reach.alike, len(two)] if reach.alike else two
    key = key_here(build, where, _shell_of(reach), _said_by_user(build))
    known = None if fresh else _recall(key, files, time_limit)
    if known is not None:
        return known
    try:
        found, waited = _first_that_works(build, reach, _Patience(time_limit, until, stopped))
    except LaunchError as problem:
        # Something else than the MPI is in the way, and may be out of it the next time.
        return Joining(False, str(problem))
    if not stopped():
        remember(_KIND, key, files, asdict(found), waited)
    return found


def read_answer(text: str, died: str) -> Joining:
    """What the trial's program said; `died`: what to say when it said nothing."""
    for line in text.splitlines():
        with contextlib.suppress(ValueError, KeyError, TypeError):
            answer = json.loads(line)
            if answer["combination"] == COMBINATION:
                return Joining(answer["works"] is True, str(answer["reason"]))
    return Joining(False, died, answered=False)


@dataclass(frozen=True)
class _Patience:
    """Seconds for each trial, when all must be over, and whether somebody says so before."""

    each: float
    until: float
    stopped: Callable[[], bool]

    @property
    def next(self) -> float:
        """Seconds for the next trial."""
        return min(self.each, self.until - time.monotonic())


def _first_that_works(build: Build, reach: Reach, patience: _Patience) -> tuple[Joining, float]:
    """What was found out, and how long the trial took at least that did not answer.

    The first that did not answer is tried once more at the end: some MPIs hang by chance.
    """
    failures: dict[int, Failure] = {}
    waited = math.inf
    waiting = list(enumerate(_candidates(build, reach)))
    repeated = False
    while waiting and not patience.stopped():
        number, environment = waiting.pop(0)
        limit = patience.next
        if limit <= 0:
            failures.setdefault(number, Failure(environment, "not tried: the time was over"))
            waited = 0.0 if not repeated else waited
            continue
        found = _try(build, reach, environment, limit, patience.stopped)
        if found.works:
            failures.pop(number, None)
            return Joining(True, "", environment, failures=list(failures.values())), waited
        failures[number] = Failure(environment, found.reason)
        if not found.answered:
            waited = min(waited, limit)
            if not repeated:
                waiting.append((number, environment))
                repeated = True
    # The reason of the first is told: it has the transports that are meant for such a machine.
    told = list(failures.values())
    reason = told[0].reason if told else ""
    return Joining(False, reason, answered=waited == math.inf, failures=told), waited


def _candidates(build: Build, reach: Reach) -> tuple[dict[str, str], ...]:
    if build.family == "openmpi":
        return OPEN_MPI
    if build.kind == "intel":
        return INTEL
    usual = MPICH_FAR if reach.far else MPICH_HERE
    return ({}, *usual) if _said_by_user(build) else usual


def _said_by_user(build: Build) -> dict[str, str]:
    if build.kind != "mpich":
        return {}
    return {name: os.environ[name] for name in TRANSPORT_VARIABLES if name in os.environ}


def _two(hosts: Sequence[Host]) -> list[Host]:
    """A slot here or on the first host, and one on another; none where all is on this host."""
    if all(is_here(host.name) for host in hosts):
        return []
    first = hosts[0]
    others = [host for host in hosts[1:] if host.name != first.name]
    return [Host(first.name, 1), *(Host(host.name, 1) for host in others[:1])]


def _try(
    build: Build,
    reach: Reach,
    environment: dict[str, str],
    time_limit: float,
    stopped: Callable[[], bool],
) -> Joining:
    """One resize of a real job from 1 to 2 ranks."""
    two = tuple(_two(reach.hosts))
    settings = {"NEREUS_HOSTS": host_list(two), "NEREUS_OVERSUBSCRIBE": "on"} if two else {}
    arguments = ("--from", "1", "--to", "2", COMBINATION)
    launch = Launch(
        build, build.program(PROGRAM), arguments, replace(reach, hosts=two), {**environment, **settings}
    )
    founders = [Share(two[0].name if two else "", 1)]
    with (
        tempfile.TemporaryDirectory(prefix="nereus-") as folder,
        Job(Supervision(launch, founders, joins=True), Path(folder) / "answers") as job,
    ):
        deadline = time.monotonic() + time_limit
        while job.running() and time.monotonic() < deadline and not stopped():
            job.attend(0.05)
        if job.running():
            job.grace = GRACE
            return read_answer(job.text(), f"the trial did not end within {round(time_limit, 1):g} s")
        return read_answer(job.text(), f"the trial failed: {job.outcome().text}")


def _shell_of(reach: Reach) -> str | None:
    return reach.remote_shell.command if reach.remote_shell else None


def _recall(key: str, files: Sequence[Path], patience: float) -> Joining | None:
    kept = recall(_KIND, key, files, patience)
    try:
        if kept is None:
            return None
        failures = [Failure(dict(one["environment"]), str(one["reason"])) for one in kept["failures"]]
        answered = kept["answered"] is True
        return Joining(kept["works"], kept["reason"], dict(kept["environment"]), answered, failures)
    except (ValueError, KeyError, TypeError):
        return None
