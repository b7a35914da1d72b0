# SPDX-License-Identifier: BSD-3-Clause
"""The same jobs in `nereus simulate workload` and in ElastiSim, where resizes cost nothing in either.

python bench/simulators/beside_elastisim.py PROGRAM PACKAGE_FOLDER [--jobs N] [--nodes N] [--phases N] [...]

First come, first served; malleable jobs keep the nodes that they asked for while others wait. ElastiSim has
no such algorithm of its own, it asks one in Python: here the same rules, written for what it tells. A node
counts as a core. ElastiSim resizes a job between two phases only: the more phases, the closer both come.
"""

import argparse
import importlib
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from jobs import drawn_jobs

from nereus.policy.strategies import STRATEGIES
from nereus.simulation.workload.job import Job, Kind
from nereus.simulation.workload.kinds import with_kinds
from nereus.simulation.workload.model import Workload
from nereus.simulation.workload.orders.registry import ORDERS
from nereus.simulation.workload.simulation import simulate
from nereus.simulation.workload.sources import Jobs

_PARALLEL_FRACTION = 0.99
_FLOPS_PER_SECOND = 1e9
_LIMIT = 3600.0  # s for one simulation
_PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="all" routing="Full">
    <zone id="scheduler_zone" routing="Full">
      <host id="scheduler" speed="0Gf"><prop id="batch_system" value="true"/></host>
    </zone>
    <cluster id="nodes" prefix="node" radical="0-{last}" suffix="" speed="1Gf" bw="100Gbps" lat="1us">
      <prop id="node_local_bb" value="false"/><prop id="pfs_targets" value="files"/>
    </cluster>
    <zone id="files_zone" routing="Full">
      <host id="files" speed="0Gf"><prop id="pfs_host" value="true"/></host>
    </zone>
    <link id="read" bandwidth="100GBps" latency="1us"/><link id="write" bandwidth="100GBps" latency="1us"/>
    <zoneRoute src="files_zone" dst="nodes" gw_src="files" gw_dst="nodenodes_router" symmetrical="NO">
      <link_ctn id="read"/>
    </zoneRoute>
    <zoneRoute src="nodes" dst="files_zone" gw_src="nodenodes_router" gw_dst="files" symmetrical="NO">
      <link_ctn id="write"/>
    </zoneRoute>
  </zone>
</platform>
"""


class Rules:
    """What ElastiSim asks at each submission, end and resize. `ends`: when each job did."""

    def __init__(self, peer: Any) -> None:
        self._states, self._kinds, self._node_states = peer.JobState, peer.JobType, peer.NodeState
        self.ends: dict[int, float] = {}

    def schedule(self, jobs: list[Any], nodes: list[Any], system: dict[str, Any]) -> None:
        """As in the room `workload`: who fits starts, who waits is given cores, the rest is taken."""
        self.ends.update(
            {job.identifier: job.end_time for job in jobs if job.state == self._states.COMPLETED}
        )
        free = [node for node in nodes if node.state == self._node_states.FREE]
        started, waiting = self._start(jobs, free)
        resizing = [job for job in jobs if job.state.name.endswith("RECONFIGURATION")]
        running = [job for job in jobs if job.state == self._states.RUNNING]
        running = self._malleable(sorted(running, key=lambda job: (job.start_time, job.identifier)))
        lacks = 0 if waiting is None else self._least(waiting) - len(free)
        if waiting is None or not (resizing or self._give(running, lacks)):
            self._take(running + self._malleable(started), free)

    def _malleable(self, jobs: list[Any]) -> list[Any]:
        return [job for job in jobs if job.type == self._kinds.MALLEABLE]

    def _start(self, jobs: list[Any], free: list[Any]) -> tuple[list[Any], Any]:
        """Who starts, and who waits first."""
        started: list[Any] = []
        for job in jobs:
            if job.state == self._states.PENDING:
                if self._least(job) > len(free):
                    return started, job
                count = min(len(free), self._asked(job))
                job.assign(free[:count])
                del free[:count]
                started.append(job)
        return started, None

    def _give(self, running: list[Any], lacks: int) -> bool:
        """Whether jobs do, which takes until the ends of their phases."""
        above = [max(0, len(job.assigned_nodes) - self._asked(job)) for job in running]
        if not 0 < lacks <= sum(above):
            return False
        for job, most in zip(reversed(running), reversed(above), strict=True):
            count = min(most, lacks)
            if count:
                job.remove(job.assigned_nodes[-count:])
                lacks -= count
        return True

    @staticmethod
    def _take(running: list[Any], free: list[Any]) -> None:
        for job in running:
            count = min(len(free), job.num_nodes_max - len(job.assigned_nodes))
            if count > 0:
                job.assign(free[:count])
                del free[:count]

    def _least(self, job: Any) -> int:
        return int(job.num_nodes if job.type == self._kinds.RIGID else job.num_nodes_min)

    def _asked(self, job: Any) -> int:
        return int(job.num_nodes if job.type == self._kinds.RIGID else job.attributes["asked"])


class ElastiSim:
    """Its program, and the package by which it asks for decisions."""

    def __init__(self, program: Path, package: Path) -> None:
        if not (package / "elastisim_python").is_dir():
            sys.exit(f"{package}: the package elastisim_python is not there")
        sys.path.insert(0, str(package))
        self._peer = importlib.import_module("elastisim_python")
        self._program = program.resolve()

    def ends(self, jobs: Sequence[Job], nodes: int, phases: int) -> list[float]:
        """Of each job, in their order."""
        rules = Rules(self._peer)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            _write_input(folder, jobs, nodes, phases)
            url = f"ipc://{folder}/scheduler"
            asked = threading.Thread(
                target=self._peer.pass_algorithm, args=(rules.schedule, url), daemon=True
            )
            asked.start()
            command = [str(self._program), f"{folder}/configuration.json", "--log=root.thresh:error"]
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, check=False, timeout=_LIMIT
            )
            if done.returncode:
                sys.exit(f"ElastiSim ended with {done.returncode}: {done.stderr[-2000:]}")
            asked.join(60)
        return [rules.ends[number] for number in range(len(jobs))]


def _write_input(folder: Path, jobs: Sequence[Job], nodes: int, phases: int) -> None:
    (folder / "platform.xml").write_text(_PLATFORM.format(last=nodes - 1))
    f = _PARALLEL_FRACTION
    task = {
        "type": "cpu",
        "name": "work",
        "flops": f"flops * ({1 - f:.17g} + {f} * asked / num_nodes)",
        "computation_pattern": "uniform",
    }
    model = {"phases": [{"iterations": phases, "tasks": [task]}]}
    (folder / "model.json").write_text(json.dumps(model))
    document = {"jobs": [_job_document(job, folder, phases) for job in jobs]}
    (folder / "jobs.json").write_text(json.dumps(document))
    outputs = ("job_statistics", "node_utilization", "task_times")
    configuration = {
        "platform_file": f"{folder}/platform.xml",
        "jobs_file": f"{folder}/jobs.json",
        "zmq_url": f"ipc://{folder}/scheduler",
        "schedule_on_job_submit": True,
        "schedule_on_job_finalize": True,
        "schedule_on_scheduling_point": False,
        "schedule_on_reconfiguration": True,
        "sensing": False,
        "pfs_read_links": ["read"],
        "pfs_write_links": ["write"],
        **{output: f"{folder}/{output}.csv" for output in outputs},
    }
    (folder / "configuration.json").write_text(json.dumps(configuration))


def _job_document(job: Job, folder: Path, phases: int) -> dict[str, Any]:
    flops = job.seconds / phases * _FLOPS_PER_SECOND
    sizes: dict[str, Any] = {"num_nodes": job.ranks}
    if job.kind is not Kind.RIGID:
        sizes = {"num_nodes_min": job.least, "num_nodes_max": job.most}
    return {
        "type": str(job.kind),
        "submit_time": job.submit,
        "application_model": f"{folder}/model.json",
        "arguments": {"flops": f"{flops:.17g}", "asked": str(job.ranks)},
        "attributes": {"asked": str(job.ranks)},
        **sizes,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path)
    parser.add_argument("package", type=Path)
    parser.add_argument("--jobs", type=int, default=100)
    parser.add_argument("--nodes", type=int, default=32)
    parser.add_argument("--phases", type=int, default=200)
    parser.add_argument("--load", type=float, default=0.9)
    parser.add_argument("--seeds", type=int, default=3)
    chosen = parser.parse_args()
    peer = ElastiSim(chosen.program, chosen.package)
    workload = Workload.model_validate({"cores": chosen.nodes, "trace": "none"})
    print("malleable  seed  makespan: ours, theirs, ratio         mean turnaround: ours, theirs, ratio")
    for percent in (0, 50, 100):
        for seed in range(chosen.seeds):
            rigid = drawn_jobs(chosen.jobs, chosen.nodes, chosen.load, seed)
            jobs = list(with_kinds(Jobs(rigid), workload, percent, seed))
            order, strategy = ORDERS["fcfs"].make(chosen.nodes), STRATEGIES["keep-preferred"]
            ours = [each.ended for each in simulate(jobs, order, strategy, _PARALLEL_FRACTION)]
            theirs = peer.ends(jobs, chosen.nodes, chosen.phases)
            figures = [
                (max(ends), fmean(ends) - fmean(job.submit for job in jobs)) for ends in (ours, theirs)
            ]
            told = (
                f"{one:10.0f} s {other:10.0f} s  {one / other:6.4f}   "
                for one, other in zip(*figures, strict=True)
            )
            print(f"{percent:>7} %  {seed:4}  {''.join(told)}", flush=True)


if __name__ == "__main__":
    main()
