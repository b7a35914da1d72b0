# SPDX-License-Identifier: BSD-3-Clause
"""The same jobs under several policies and on several numbers of cores, beside each other."""

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from nereus.policy.loading import load
from nereus.simulation.jobs.results import Result, Sizes
from nereus.simulation.jobs.scenario import Scenario
from nereus.simulation.jobs.simulation import jobs_in, simulate


class Comparison:
    """Each scenario under each policy. What is wrong with a policy or a trace is said when it is made."""

    def __init__(self, scenarios: Sequence[Scenario], names: Sequence[str]) -> None:
        """`scenarios`: one for each number of cores; `names`: of the policies."""
        self._scenarios, self._names = scenarios, names
        # A policy has a state: each simulation has one of its own.
        self._policies = [[load(name) for name in names] for _ in scenarios]
        self._jobs = [jobs_in(scenario) for scenario in scenarios]

    @property
    def jobs(self) -> int:
        """That are to end in all simulations together."""
        return sum(len(each.all) for each in self._jobs) * len(self._names)

    def results(self, ended: Callable[[str], None] = lambda latest: None) -> Sizes:
        """`ended` is told at the end of each job which simulation it is of."""
        results: dict[int, list[Result]] = {scenario.cluster.cores: [] for scenario in self._scenarios}
        for scenario, jobs, policies in zip(self._scenarios, self._jobs, self._policies, strict=True):
            cores = scenario.cluster.cores
            for name, policy in zip(self._names, policies, strict=True):
                latest = f"{name}, {cores} cores" if len(self._scenarios) > 1 else name
                tell = partial(_tell, ended, latest)
                results[cores].append(simulate(scenario, name, policy, jobs, tell))
        return results


def _tell(ended: Callable[[str], None], latest: str, job: str) -> None:
    ended(latest)


def doubts(results: Sizes) -> Iterator[str]:
    """Of a trace: which of its jobs were not simulated."""
    for cores, (first, *_) in results.items():
        if first.left_out:
            yield f"{first.left_out} jobs of the trace need more than {cores} cores and are left out"


def document(results: Sizes) -> dict[str, Any]:
    """What `nereus simulate --json` prints (docs/reference/simulate.md)."""
    sizes = {
        str(cores): {"policies": {result.policy: result.document() for result in each}}
        for cores, each in results.items()
    }
    return {"cores": sizes} if len(sizes) > 1 else next(iter(sizes.values()))


def write_events(results: Sizes, file: Path) -> None:
    """All that happened, as lines of JSON."""
    with file.open("w", encoding="utf-8") as lines:
        for cores, each in results.items():
            size = {"cores": cores} if len(results) > 1 else {}
            for result in each:
                for event in result.events:
                    lines.write(json.dumps({**size, "policy": result.policy, **event}) + "\n")
