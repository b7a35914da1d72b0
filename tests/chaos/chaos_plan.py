# SPDX-License-Identifier: BSD-3-Clause
"""Draws trials: the same seed and number give the same trial on every machine."""

from dataclasses import dataclass, field
from enum import StrEnum
from random import Random

from nereus.methods import TRANSFER_METHODS_ALLOWED, TRANSFER_STRATEGIES_ALLOWED

MOST_RANKS = 4
_MOST_STEPS = 5
_PROCESS_METHODS = ("merge", "merge", "baseline-inter", "baseline-intra", "restart")
_PROCESS_STRATEGIES = (
    "auto",
    "auto",
    "join",
    "asynchronous+join",
    "none",
    "asynchronous",
    "single",
    "multiple",
    "parallel",
)
#: Functions that newcomers call on their way into a job, and the latest of its calls that is chosen.
NEWCOMER_CALLS = {
    "MPI_Allreduce": 3,
    "MPI_Bcast": 3,
    "MPI_Comm_connect": 1,
    "MPI_Comm_disconnect": 1,
    "MPI_Comm_dup": 2,
    "MPI_Comm_free": 3,
    "MPI_Comm_split": 2,
    "MPI_Gather": 1,
    "MPI_Ialltoallw": 2,
    "MPI_Iallreduce": 2,
    "MPI_Ibarrier": 2,
    "MPI_Intercomm_merge": 2,
    "MPI_Irecv": 6,
    "MPI_Isend": 4,
    "MPI_Rget": 3,
    "MPI_Win_create": 2,
    "MPI_Win_free": 2,
}
#: The same for members, from the moment on at which the resize is asked for.
MEMBER_CALLS = {
    "MPI_Allreduce": 12,
    "MPI_Barrier": 2,
    "MPI_Bcast": 4,
    "MPI_Comm_accept": 1,
    "MPI_Comm_disconnect": 1,
    "MPI_Comm_dup": 2,
    "MPI_Comm_free": 3,
    "MPI_Comm_spawn_multiple": 1,
    "MPI_Comm_split": 2,
    "MPI_Gather": 1,
    "MPI_Ialltoallw": 2,
    "MPI_Iallreduce": 2,
    "MPI_Ibarrier": 2,
    "MPI_Ibcast": 3,
    "MPI_Intercomm_merge": 2,
    "MPI_Irecv": 6,
    "MPI_Isend": 4,
    "MPI_Rget": 3,
    "MPI_Win_create": 2,
    "MPI_Win_free": 2,
}
_ONE_SIDED = {"MPI_Rget", "MPI_Win_create", "MPI_Win_free"}
_TO_RESTART = {
    *("MPI_Allreduce", "MPI_Barrier", "MPI_Bcast", "MPI_Comm_dup", "MPI_Comm_free", "MPI_Comm_split"),
    "MPI_Gather",
}
_TO_JOIN = {"MPI_Comm_accept", "MPI_Comm_connect"}


class Role(StrEnum):
    """What a process is to its job when it is hit."""

    NEWCOMER = "newcomer"
    #: A member that the resize makes leave.
    LEAVER = "leaver"
    #: Any member, whether it stays or leaves.
    SOURCE = "source"
    PROXY = "proxy"
    LAUNCHER = "launcher"
    SUPERVISOR = "supervisor"
    DAEMON = "daemon"


# Newcomers most often: a job should outlive them, and goes on to the next injection.
_WEIGHTS = {
    Role.NEWCOMER: 8,
    Role.LEAVER: 2,
    Role.SOURCE: 3,
    Role.PROXY: 1,
    Role.LAUNCHER: 1,
    Role.SUPERVISOR: 1,
    Role.DAEMON: 1,
}


@dataclass(frozen=True)
class Injection:
    """One signal to one process: after so many seconds, or at the n-th call of a function."""

    role: Role
    kill: bool
    after: float
    call: str = ""
    #: Seconds from SIGSTOP to SIGCONT.
    stopped: float = 0.0

    @property
    def text(self) -> str:
        """For the report."""
        how = "SIGKILL" if self.kill else f"SIGSTOP for {self.stopped:.1f} s"
        when = f"at {self.call}" if self.call else f"after {self.after:.3f} s"
        return f"{how} to a {self.role} {when}"


@dataclass(frozen=True)
class Step:
    """One resize, and what is injected meanwhile."""

    ranks: int
    options: dict[str, str]
    injection: Injection | None


@dataclass(frozen=True)
class Trial:
    """One job from its start to its end."""

    seed: int
    number: int
    mpi: str
    founders: int
    settings: dict[str, str]
    daemon: bool
    #: Whether it keeps epochs in memory, and continues from them.
    protected: bool
    #: Whether the job is asked to end while its last resize is under way.
    closes_at_once: bool
    steps: list[Step] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What it is repeated by."""
        return f"{self.seed}-{self.number}-{self.mpi}"


def draw(seed: int, number: int, mpi: str) -> Trial:
    """The trial of this seed with this number."""
    random = Random(f"{seed}/{number}/{mpi}")
    founders = random.randint(1, 3)
    daemon = random.random() < 0.2
    protected = random.random() < 0.25
    steps, ranks = [], founders
    for _ in range(random.randint(1, _MOST_STEPS)):
        target = random.choice([size for size in range(1, MOST_RANKS + 1) if size != ranks])
        options = _options(random)
        roles = _roles(mpi, daemon, options, grows=target > ranks)
        steps.append(Step(target, options, _injection(random, roles, options)))
        ranks = target
    settings, closes_at_once = _settings(random, protected), random.random() < 0.1
    return Trial(seed, number, mpi, founders, settings, daemon, protected, closes_at_once, steps)


def _settings(random: Random, protected: bool) -> dict[str, str]:
    units = ["job"] if protected else ["job", "job", "rank"]
    return {
        "NEREUS_MEMORY": random.choice(["auto", "shared", "private"]),
        "NEREUS_RELEASE_UNIT": random.choice(units),
        "NEREUS_VERIFY": random.choice(["on", "off"]),
        "NEREUS_CONNECT_TIMEOUT": "6",
        "NEREUS_ANSWER_TIMEOUT": "6",
    }


def _options(random: Random) -> dict[str, str]:
    method, strategy = random.choice(TRANSFER_METHODS_ALLOWED), random.choice(TRANSFER_STRATEGIES_ALLOWED)
    process = random.choice(_PROCESS_METHODS)
    one_sided = method.startswith("rma")
    if one_sided and strategy == "nonblocking":
        strategy = "wait-drains"
    if one_sided and process == "baseline-inter":
        process = "baseline-intra"
    return {
        "process-method": process,
        "process-strategies": random.choice(_PROCESS_STRATEGIES),
        "transfer-method": method,
        "transfer-strategy": strategy,
    }


def _roles(mpi: str, daemon: bool, options: dict[str, str], *, grows: bool) -> list[Role]:
    """The roles that there are in such a resize."""
    merges = options["process-method"] == "merge"
    there = {
        Role.NEWCOMER: grows or not merges,
        Role.LEAVER: not grows or not merges,
        # On one host Open MPI's launcher starts ranks itself.
        Role.PROXY: mpi != "openmpi",
        Role.DAEMON: daemon,
    }
    return [role for role in Role if there.get(role, True)]


def _injection(random: Random, roles: list[Role], options: dict[str, str]) -> Injection | None:
    if random.random() < 0.15:
        return None
    role = random.choices(roles, [_WEIGHTS[role] for role in roles])[0]
    kill = random.random() < 0.8
    call = ""
    if role in (Role.NEWCOMER, Role.LEAVER, Role.SOURCE) and kill and random.random() < 0.5:
        calls = NEWCOMER_CALLS if role is Role.NEWCOMER else MEMBER_CALLS
        function = random.choice([name for name in calls if _is_called(name, options)])
        call = f"{function}:{random.randint(1, calls[function])}"
    stopped = 0.0 if kill else round(random.choice([0.2, 1.0, 15.0]), 1)
    return Injection(role, kill, round(random.uniform(0, 0.6), 3), call, stopped)


def _is_called(function: str, options: dict[str, str]) -> bool:
    """Whether it may be called in such a resize."""
    method, strategies = options["transfer-method"], options["process-strategies"]
    if options["process-method"] == "restart":
        return function in _TO_RESTART
    if function in _ONE_SIDED:
        return method.startswith("rma")
    if function == "MPI_Ialltoallw":
        return method in ("auto", "col")
    if function in _TO_JOIN:
        return "join" in strategies or strategies == "auto"
    return function != "MPI_Comm_spawn_multiple" or "join" not in strategies
