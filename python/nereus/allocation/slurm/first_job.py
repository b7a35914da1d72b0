# SPDX-License-Identifier: BSD-3-Clause
"""The job that we run in, as Slurm has it now: a job beside it is asked for with the same limits."""

from collections.abc import Generator
from pathlib import Path

from nereus.allocation.contract import AllocationError, NotGranted
from nereus.allocation.slurm.client import Answer, Call, answered, wait
from nereus.allocation.slurm.environment import SlurmJob
from nereus.allocation.slurm.requeue import comment_of
from nereus.launch.hosts import Host, Reach, RemoteShell, is_name

_START_ON_HOST = Path(__file__).with_name("start_on_host")
#: Where `start_on_host` reads which Slurm job has a host; without it, it is the one that we run in.
HOSTS_FILE = "NEREUS_SLURM_HOSTS"

# squeue(1): what is left of its time, partition, account, QOS, reservation, features, GRES of a node.
# Between them what is in none of them.
_ASKED = "%L\t%P\t%a\t%q\t%v\t%f\t%b"
_OPTIONS = ("time", "partition", "account", "qos", "reservation", "constraint", "gres")
# What stands for "there is none", and for no limit.
_NOTHING = ("", "(null)", "N/A", "None", "UNLIMITED", "NOT_SET", "INVALID")


def hosts_of(job: SlurmJob) -> tuple[Host, ...]:
    """Its hosts with their slots; waits for a command of Slurm that asks nobody else."""
    answer = wait(Call(["scontrol", "show", "hostnames", job.node_list], limit=10.0))
    if not answer.is_good:
        raise AllocationError(f"the hosts of the Slurm job {job.id} are not known: {answer.reason}")
    names = answer.out.split()
    if len(names) != len(job.slots) or not all(map(is_name, names)):
        raise AllocationError(
            f"the Slurm job {job.id} has {len(job.slots)} hosts, and {len(names)} names of them"
        )
    return tuple(Host(name, slots) for name, slots in zip(names, job.slots, strict=True))


def reach_of(job: SlurmJob) -> Reach:
    """Its hosts, and how their processes are started by Slurm; hosts of one partition are alike."""
    shell = RemoteShell(str(_START_ON_HOST), {"NEREUS_SLURM_OPTIONS": _options_of_steps()})
    return Reach(hosts_of(job), shell, grows=True, alike=f"slurm:{job.cluster}:{job.partition}")


def _options_of_steps() -> str:
    """A step has one task, which starts ranks on all processors of the host: it must not be bound to one."""
    answer = wait(Call(["scontrol", "show", "config"], limit=10.0))
    plugins = [line for line in answer.out.splitlines() if line.startswith("TaskPlugin ")]
    binds = not plugins or "affinity" in plugins[0] or "cgroup" in plugins[0]
    return "--cpu-bind=none" if binds else ""


def options_like(job: SlurmJob) -> Generator[None, None, list[str]]:
    """Options of `salloc` for a job beside this one, which is over when this one is, at the latest.

    AllocationError where no time is left, NotGranted where Slurm does not say.
    """
    words = ["squeue", "--noheader", "--jobs", str(job.id), "--format", _ASKED]
    return read_options((yield from answered(Call(words))), job)


def read_options(answer: Answer, job: SlurmJob) -> list[str]:
    """Out of squeue's line."""
    values = [value.strip() for value in answer.out.rstrip("\n").split("\t")]
    if not answer.is_good or len(values) != len(_OPTIONS):
        raise NotGranted(f"Slurm does not tell of its job {job.id}: {answer.reason}")
    if values[0] in ("0:00", "INVALID"):
        raise AllocationError(f"no time is left of the Slurm job {job.id}")
    given = dict(zip(_OPTIONS, values, strict=True))
    options = [f"--{name}={value}" for name, value in given.items() if value not in _NOTHING]
    if job.processors_each > 1:
        options.append(f"--cpus-per-task={job.processors_each}")
    if job.memory:
        options.append(job.memory)
    return [*options, f"--comment={comment_of(job)}"]
