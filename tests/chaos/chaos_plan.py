# SPDX-License-Identifier: BSD-3-Clause
"""Draws trials: the same seed and number give the same trial on every machine."""

from dataclasses import dataclass, field
from enum import StrEnum
from random import Random

MOST_RANKS = 4
_MOST_STEPS = 5
_PROCESS_METHODS = ("merge", "merge", "baseline-inter", "baseline-intra")
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
_TRANSFER_METHODS = ("auto", "p2p", "col", "rma-lock", "rma-lockall")
_TRANSFER_STRATEGIES = ("auto", "blocking", "nonblocking", "wait-drains", "thread")
#: Functions that newcomers call on their way into a job; how often each may be called before the strike.
CALLS = {
    "MPI_Comm_connect": 1,
    "MPI_Intercomm_merge": 2,
    "MPI_Comm_dup": 2,
    "MPI_Win_create": 2,
    "MPI_Win_free": 2,
    "MPI_Irecv": 6,
    "MPI_Isend": 4,
    "MPI_Rget": 3,
    "MPI_Ialltoallw": 2,
    "MPI_Comm_split": 2,
    "MPI_Comm_free": 3,
    "MPI_Allreduce": 3,
}


class Role(StrEnum):
    """What a process is to its job when it is struck."""

    NEWCOMER = "newcomer"
    MEMBER = "member"
    PROXY = "proxy"
    LAUNCHER = "launcher"
    SUPERVISOR = "supervisor"
    DAEMON = "daemon"


# Newcomers most often: a job should outlive them, and goes on to the next strike.
_ROLES = (
    *(Role.NEWCOMER,) * 8,
    *(Role.MEMBER,) * 3,
    Role.PROXY,
    Role.LAUNCHER,
    Role.SUPERVISOR,
    Role.DAEMON,
)


@dataclass(frozen=True)
class Strike:
    """One signal to one process: after so many seconds, or at the n-th call of a function in a newcomer."""

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
    """One resize, and who is struck meanwhile."""

    ranks: int
    options: dict[str, str]
    strike: Strike | None


@dataclass(frozen=True)
class Trial:
    """One job from its start to its end."""

    seed: int
    number: int
    mpi: str
    founders: int
    settings: dict[str, str]
    daemon: bool
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
    steps, ranks = [], founders
    for _ in range(random.randint(1, _MOST_STEPS)):
        target = random.choice([size for size in range(1, MOST_RANKS + 1) if size != ranks])
        steps.append(Step(target, _options(random), _strike(random, daemon)))
        ranks = target
    return Trial(seed, number, mpi, founders, _settings(random), daemon, random.random() < 0.1, steps)


def _settings(random: Random) -> dict[str, str]:
    return {
        "NEREUS_MEMORY": random.choice(["auto", "shared", "private"]),
        "NEREUS_RELEASE_UNIT": random.choice(["job", "job", "rank"]),
        "NEREUS_VERIFY": random.choice(["on", "off"]),
        "NEREUS_CONNECT_TIMEOUT": "6",
        "NEREUS_ANSWER_TIMEOUT": "6",
    }


def _options(random: Random) -> dict[str, str]:
    method, strategy = random.choice(_TRANSFER_METHODS), random.choice(_TRANSFER_STRATEGIES)
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


def _strike(random: Random, daemon: bool) -> Strike | None:
    if random.random() < 0.15:
        return None
    role = random.choice([role for role in _ROLES if daemon or role is not Role.DAEMON])
    kill = random.random() < 0.8
    call = ""
    if role is Role.NEWCOMER and kill and random.random() < 0.5:
        function = random.choice(list(CALLS))
        call = f"{function}:{random.randint(1, CALLS[function])}"
    stopped = 0.0 if kill else round(random.choice([0.2, 1.0, 15.0]), 1)
    return Strike(role, kill, round(random.uniform(0, 0.6), 3), call, stopped)
