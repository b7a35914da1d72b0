# SPDX-License-Identifier: BSD-3-Clause
"""What Slurm tells a job in its environment (sbatch(1), "OUTPUT ENVIRONMENT VARIABLES")."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from nereus.allocation.contract import AllocationError
from nereus.launch.hosts import MOST_SLOTS

# "4(x2),2": two nodes with four, then one with two.
_COUNT = re.compile(r"([1-9][0-9]{0,6})(?:\(x([1-9][0-9]{0,6})\))?")
_MOST_NODES = 1_000_000
_MOST_RESTARTS = 10_000
#: How a job gets more hosts.
GROWTH = "NEREUS_SLURM_GROWTH"
_SECOND_JOB, _EXPAND = "second-job", "expand"


@dataclass(frozen=True)
class SlurmJob:
    """The job that we run in."""

    id: int
    #: As Slurm writes it, "n[1-3,7]": `scontrol show hostnames` makes names of it.
    node_list: str
    #: Processors that the job has on each node, in the order of the list.
    processors: tuple[int, ...]
    #: Processors that a process is meant to have.
    processors_each: int
    cluster: str
    partition: str
    #: The option that asks for as much memory on each node; "": the job asked for none.
    memory: str = ""
    #: Why it cannot have other hosts; "": it can.
    keeps_hosts: str = ""
    #: Whether more hosts are those of a job beside it, or become its own.
    growth: str = "second-job"

    #: How often Slurm has put it back into the queue.
    restarts: int = 0

    @property
    def expands(self) -> bool:
        """Whether more hosts become its own."""
        return self.growth == _EXPAND

    @property
    def slots(self) -> tuple[int, ...]:
        """Processes for which each node has room; at least one."""
        return tuple(max(1, processors // self.processors_each) for processors in self.processors)


def slurm_job(environment: Mapping[str, str] = os.environ) -> SlurmJob | None:
    """The job of which this is the environment, None outside; AllocationError where we cannot serve it."""
    text = environment.get("SLURM_JOB_ID", "")
    if not text:
        return None
    if environment.get("SLURM_HET_SIZE"):
        raise AllocationError(
            "this is a heterogeneous job, which cannot be resized; --hosts names the hosts of one component"
        )
    return SlurmJob(
        _number(environment, "SLURM_JOB_ID"),
        _needed(environment, "SLURM_JOB_NODELIST"),
        counts_of(_needed(environment, "SLURM_JOB_CPUS_PER_NODE")),
        _number(environment, "SLURM_CPUS_PER_TASK") if environment.get("SLURM_CPUS_PER_TASK") else 1,
        environment.get("SLURM_CLUSTER_NAME", ""),
        environment.get("SLURM_JOB_PARTITION", ""),
        _memory(environment),
        "a task of a job array keeps its hosts" if environment.get("SLURM_ARRAY_JOB_ID") else "",
        _growth(environment),
        _count(environment, "SLURM_RESTART_COUNT"),
    )


def counts_of(text: str, name: str = "SLURM_JOB_CPUS_PER_NODE") -> tuple[int, ...]:
    """One number for each node, out of "4(x2),2"."""
    counts: list[int] = []
    for part in text.split(","):
        found = _COUNT.fullmatch(part)
        times = int(found[2] or 1) if found else 0
        if found is None or not 1 <= int(found[1]) <= MOST_SLOTS or len(counts) + times > _MOST_NODES:
            raise AllocationError(f"{name} = {text[:80]}: allowed is NUMBER(xTIMES),... as Slurm writes it")
        counts += [int(found[1])] * times
    return tuple(counts)


def _memory(environment: Mapping[str, str]) -> str:
    """In MiB (sbatch(1), --mem and --mem-per-cpu)."""
    for name, option in (("SLURM_MEM_PER_NODE", "--mem"), ("SLURM_MEM_PER_CPU", "--mem-per-cpu")):
        if environment.get(name):
            return f"{option}={_number(environment, name)}M"
    return ""


def _growth(environment: Mapping[str, str]) -> str:
    """What the user has chosen."""
    word = environment.get(GROWTH, "") or _SECOND_JOB
    if word not in (_SECOND_JOB, _EXPAND):
        raise AllocationError(f"{GROWTH} = {word[:80]}: allowed are {_SECOND_JOB} and {_EXPAND}")
    return word


def _needed(environment: Mapping[str, str], name: str) -> str:
    text = environment.get(name, "")
    if not text:
        raise AllocationError(f"{name} is not set, although SLURM_JOB_ID is: was it removed?")
    return text


def _count(environment: Mapping[str, str], name: str) -> int:
    """0 where it is not told."""
    is_one = environment.get(name, "").strip("0")
    return min(_number(environment, name), _MOST_RESTARTS) if is_one else 0


def _number(environment: Mapping[str, str], name: str) -> int:
    text = _needed(environment, name)
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:10]) <= 2**31 and len(text) <= 10):
        raise AllocationError(f"{name} = {text[:80]}: allowed is a number, as Slurm writes it")
    return int(text)
