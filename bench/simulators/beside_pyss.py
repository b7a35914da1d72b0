# SPDX-License-Identifier: BSD-3-Clause
"""When jobs start under `nereus simulate workload`, and when under pyss, another simulator of start orders.

python bench/simulators/beside_pyss.py PYSS/src [--jobs N] [--cores N] [--load L] [--seeds N]

pyss is written for Python 2. A copy of its sources is converted; what the conversion leaves is mended here.
"""

import argparse
import builtins
import importlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from jobs import drawn_jobs

from nereus.simulation.workload.job import Job
from nereus.simulation.workload.orders.registry import ORDERS
from nereus.simulation.workload.simulation import simulate

_SCHEDULERS = {
    "fcfs": ("fcfs_scheduler", "FcfsScheduler"),
    "easy": ("easy_scheduler", "EasyBackfillScheduler"),
    "conservative": ("conservative_scheduler", "ConservativeScheduler"),
}
_CLOSE = 1e-6  # s


class Pyss:
    """Its modules, loaded from a converted copy."""

    def __init__(self, sources: Path, folder: Path) -> None:
        _convert(sources, folder)
        sys.path.insert(0, str(folder))
        vars(builtins)["cmp"] = lambda one, other: (one > other) - (one < other)
        vars(sys)["maxint"] = sys.maxsize
        self._prototype = importlib.import_module("base.prototype")
        events = self._prototype.JobEvent
        events.__lt__ = lambda event, other: event._cmp_tuple < other._cmp_tuple
        events.__hash__ = object.__hash__
        self._simulator = importlib.import_module("schedulers.simulator").Simulator

    def starts(self, jobs: Sequence[Job], cores: int, order: str) -> list[float]:
        """Of each job, in their order."""
        module, name = _SCHEDULERS[order]
        scheduler = getattr(importlib.import_module(f"schedulers.{module}"), name)(cores)
        theirs = [self._job(number, job) for number, job in enumerate(jobs, start=1)]
        self._simulator(theirs, cores, scheduler).run()
        return [float(job.start_to_run_at_time) for job in theirs]

    def _job(self, number: int, job: Job) -> Any:
        return self._prototype.Job(number, job.limit, job.seconds, job.ranks, job.submit)


def _convert(sources: Path, folder: Path) -> None:
    files = [
        file
        for part in ("base", "schedulers")
        for file in (sources / part).glob("*.py")
        if "test" not in file.name
    ]
    if not files:
        sys.exit(f"{sources}: no sources of pyss are there; the folder `src` of it is wanted")
    for file in files:
        copy = folder / file.relative_to(sources)
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(file.read_text().expandtabs(8))
    command = [sys.executable, "-W", "ignore", "-m", "lib2to3", "--write", "--nobackups", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"lib2to3, which Python has up to 3.12, could not convert pyss:\n{done.stderr}")


def compared(pyss: Pyss, order: str, cores: int, drawn: Callable[[int], list[Job]], seeds: int) -> str:
    """How many jobs start at other times, and how far apart the mean waits are."""
    count = other = 0
    ours, theirs = 0.0, 0.0
    for seed in range(seeds):
        jobs = drawn(seed)
        here = [each.started for each in simulate(jobs, ORDERS[order].make(cores))]
        there = pyss.starts(jobs, cores, order)
        count += len(jobs)
        other += sum(abs(one - two) > _CLOSE for one, two in zip(here, there, strict=True))
        submitted = sum(job.submit for job in jobs)
        ours, theirs = ours + sum(here) - submitted, theirs + sum(there) - submitted
    return f"{count:6}  {other:22}  {ours / count:9.1f} s  {theirs / count:9.1f} s  {ours / theirs:6.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--jobs", type=int, default=500)
    parser.add_argument("--cores", type=int, default=128)
    parser.add_argument("--load", type=float, default=0.9)
    parser.add_argument("--seeds", type=int, default=10)
    chosen = parser.parse_args()

    def drawn(seed: int) -> list[Job]:
        return drawn_jobs(chosen.jobs, chosen.cores, chosen.load, seed)

    def drawn_exact(seed: int) -> list[Job]:
        return [replace(job, limit=job.seconds) for job in drawn(seed)]

    with tempfile.TemporaryDirectory() as folder:
        pyss = Pyss(chosen.sources, Path(folder))
        print("order         limits    jobs  start at another time    our wait   pyss' wait   ratio")
        for order in _SCHEDULERS:
            for limits, draw in (("exact", drawn_exact), ("longer", drawn)):
                row = compared(pyss, order, chosen.cores, draw, chosen.seeds)
                print(f"{order:13} {limits:6} {row}", flush=True)


if __name__ == "__main__":
    main()
