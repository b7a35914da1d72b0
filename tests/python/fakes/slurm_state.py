# SPDX-License-Identifier: BSD-3-Clause
"""A cluster as the Slurm of tests has it: in a file, which its programs change one at a time."""

import fcntl
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypedDict

_LOOK_EVERY = 0.01
PENDING, RUNNING, COMPLETED, CANCELLED = "PENDING", "RUNNING", "COMPLETED", "CANCELLED"
# What squeue says of a job: %L, %P, %a, %q, %v, %f, %b.
FIELDS = ("time", "partition", "account", "qos", "reservation", "constraint", "gres")


class Node(TypedDict):
    processors: int
    #: Why it is drained; "": it is not.
    drained: str
    #: Whether processes can be started there.
    starts: bool
    down: bool


class Job(TypedDict):
    id: int
    name: str
    state: str
    nodes: list[str]
    wanted: dict[str, Any]
    #: By the words of FIELDS, as squeue writes them.
    fields: dict[str, str]
    reason: str


class Fault(TypedDict):
    """What a program does instead of its work: says a text and ends, or, without a text, hangs."""

    text: str
    times: int


class Cluster(TypedDict):
    nodes: dict[str, Node]
    jobs: dict[str, Job]
    #: By a program, or how a call of it begins.
    faults: dict[str, Fault]
    #: For which jobs wait, whatever is idle; "": for nothing.
    reason: str
    #: Whether a job may get the nodes of another one, and whether it fails to without a word.
    expands: bool
    loses: bool


class Store:
    """The file; `folder` is shared by all programs of one resource manager."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock, self._file, self._calls = folder / "lock", folder / "cluster.json", folder / "calls"

    def found(self, nodes: dict[str, int]) -> None:
        """A cluster without jobs; `nodes`: their processors."""
        fresh = {
            name: Node(processors=count, drained="", starts=True, down=False) for name, count in nodes.items()
        }
        self._write(Cluster(nodes=fresh, jobs={}, faults={}, reason="", expands=True, loses=False))
        self._calls.touch()

    def read(self) -> Cluster:
        cluster: Cluster = json.loads(self._file.read_bytes())
        return cluster

    @contextmanager
    def change(self) -> Iterator[Cluster]:
        """Nobody else changes it meanwhile."""
        with self._lock.open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            cluster = self.read()
            try:
                yield cluster
            finally:
                self._write(cluster)

    def _write(self, cluster: Cluster) -> None:
        # Replaced whole: readers have no lock, and a program may be killed meanwhile.
        beside = self._file.with_suffix(".new")
        beside.write_text(json.dumps(cluster))
        beside.replace(self._file)

    def note(self, call: list[str]) -> None:
        """That a program was called with these words."""
        with self._calls.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(json.dumps(call) + "\n")
            file.flush()

    def meet_fault(self, call: str) -> None:
        """What a program does instead of its work, if the test wants it: it ends, or hangs for a while."""
        met = next((begin for begin in self.read()["faults"] if f"{call} ".startswith(f"{begin} ")), None)
        if met is None:
            return
        with self.change() as cluster:
            fault = cluster["faults"].get(met)
            if fault is not None:
                fault["times"] -= 1
                if fault["times"] == 0:
                    del cluster["faults"][met]
        if fault is None:
            return
        if fault["text"]:
            print(fault["text"], file=sys.stderr)
            sys.exit(1)
        while met in self.read()["faults"]:
            time.sleep(_LOOK_EVERY)

    def calls(self) -> list[list[str]]:
        """Programs and their words, in the order in which they were called."""
        return [json.loads(line) for line in self._calls.read_text().splitlines()]


def submit(cluster: Cluster, name: str, wanted: dict[str, Any], fields: dict[str, str]) -> Job:
    """A job that waits in the queue; squeue tells no reason before the scheduler has looked at it."""
    number = 101 + len(cluster["jobs"])
    job = Job(id=number, name=name, state=PENDING, nodes=[], wanted=wanted, fields=fields, reason="None")
    cluster["jobs"][str(number)] = job
    return job


def idle_nodes(cluster: Cluster) -> list[str]:
    """Neither drained nor down nor any job's."""
    taken = {name for job in cluster["jobs"].values() if job["state"] == RUNNING for name in job["nodes"]}
    unfit = {name for name, node in cluster["nodes"].items() if node["drained"] or node["down"]}
    return [name for name in cluster["nodes"] if name not in taken | unfit]


def grant(cluster: Cluster, job: Job) -> bool:
    """Give it its nodes, whole; False: it waits."""
    wanted = job["wanted"]
    allowed = [name for name in idle_nodes(cluster) if name in (wanted["names"] or [name])]
    free = [name for name in allowed if cluster["nodes"][name]["processors"] >= wanted["processors"]]
    if cluster["reason"] or len(free) < wanted["nodes"]:
        job["reason"] = cluster["reason"] or "Resources"
        return False
    job.update({"state": RUNNING, "nodes": free[: wanted["nodes"]], "reason": "None"})
    return True


def compressed(names: list[str]) -> str:
    """As Slurm writes hosts: "n[2-3,5]" for names that are one letter and a number."""
    numbers = sorted(int(name[1:]) for name in names)
    if not numbers:
        return ""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and parts[-1][-1] == number - 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    texts = [f"{part[0]}-{part[-1]}" if len(part) > 1 else str(part[0]) for part in parts]
    return f"n{texts[0]}" if len(numbers) == 1 else f"n[{','.join(texts)}]"


def expanded(text: str) -> list[str]:
    """The names that `compressed` made one text of."""
    if "[" not in text:
        return text.split(",")
    ends = [part.split("-") for part in text[2:-1].split(",")]
    return [f"n{number}" for part in ends for number in range(int(part[0]), int(part[-1]) + 1)]


def counts(processors: list[int]) -> str:
    """As SLURM_JOB_CPUS_PER_NODE has them: "2(x3),4"."""
    runs: list[list[int]] = []
    for count in processors:
        if runs and runs[-1][0] == count:
            runs[-1][1] += 1
        else:
            runs.append([count, 1])
    return ",".join(f"{count}(x{times})" if times > 1 else str(count) for count, times in runs)


def environment_of(cluster: Cluster, job: Job) -> dict[str, str]:
    """What Slurm tells the processes of a job."""
    return {
        "SLURM_JOB_ID": str(job["id"]),
        "SLURM_JOB_NODELIST": compressed(job["nodes"]),
        "SLURM_JOB_CPUS_PER_NODE": counts([cluster["nodes"][name]["processors"] for name in job["nodes"]]),
        "SLURM_JOB_PARTITION": job["fields"]["partition"],
        "SLURM_CLUSTER_NAME": "fake",
    }
