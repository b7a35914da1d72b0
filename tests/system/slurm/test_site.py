# SPDX-License-Identifier: BSD-3-Clause
"""A daemon and jobs in Slurm that have allocations of their own."""

import json
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from commands import COMMAND
from nodes import WITHIN
from slurm_cluster import SlurmCluster

_POLICY = """\
from nereus.policy.decisions import Policy, Resize


class WhileThereAreTwo(Policy):
    '''The first job has two ranks more for as long as there is another.'''

    def decide(self, state, parameters):
        if len(state.jobs) == 1 and state.jobs[0].ranks > 2:
            return [Resize(state.jobs[0].name, 2, "it is alone")]
        if len(state.jobs) == 2 and state.free >= 2 and all(job.ranks == 2 for job in state.jobs):
            return [Resize(state.jobs[0].name, 4, "there are two")]
        return []
"""


class SiteDaemon:
    """On the login node."""

    def __init__(self, cluster: SlurmCluster, *options: str) -> None:
        self.cluster = cluster
        self.environment = {"NEREUS_KEY_FOLDER": str(cluster.folder / "keys")}
        policy = cluster.folder / "policy.py"
        policy.write_text(_POLICY)
        words = ("daemon", "--allocation", "slurm", "--policy", f"{policy}:WhileThereAreTwo", *options)
        self._process = subprocess.Popen(
            cluster.words_on(cluster.login, *COMMAND, *words, "--store", str(cluster.folder / "store")),
            env=cluster.environment | self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        cluster.wait_until(self._is_up, "the daemon does not come")

    def _is_up(self) -> bool:
        assert self._process.poll() is None, self._process.communicate()
        return self._asked("status").returncode == 0

    def _asked(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return self.cluster.on(self.cluster.login, *COMMAND, "daemon", *words)

    def _document(self, word: str) -> str:
        done = self._asked(word, "--json")
        assert done.returncode == 0, done.stderr
        return done.stdout

    def status(self) -> Any:
        """Of the daemon and its jobs."""
        return json.loads(self._document("status"))

    def ranks(self) -> list[int]:
        """Of all jobs, the smallest first."""
        return sorted(job["ranks"] for job in self.status()["jobs"])

    def events(self, kind: str) -> list[dict[str, Any]]:
        found = [json.loads(line) for line in self._document("events").splitlines()]
        return [event for event in found if event["event"] == kind]

    def end(self) -> None:
        if self._process.poll() is None:
            self._asked("stop")
        self._process.communicate(timeout=WITHIN)


@pytest.fixture
def daemon(cluster: SlurmCluster) -> Iterator[Callable[..., SiteDaemon]]:
    running: list[SiteDaemon] = []

    def begin(*options: str) -> SiteDaemon:
        running.append(SiteDaemon(cluster, *options))
        return running[-1]

    yield begin
    for each in running:
        each.end()
    for name in ("store", "store.keys"):
        (cluster.folder / name).unlink(missing_ok=True)


def test_job_gets_a_second_slurm_job_from_the_daemon_and_gives_it_back(
    start: Any, cluster: SlurmCluster, mpich: str, daemon: Callable[..., SiteDaemon]
) -> None:
    site = daemon("--max-nodes", "1", "--max-node-hours", "10")
    jobs = [start(mpich, 1, "-n", "2", **site.environment) for _ in range(2)]
    own = {job.number: job.first_host[-1] for job in jobs}  # the first one may have grown by now
    cluster.wait_until(lambda: site.ranks() == [2, 4], "no job grows")
    placed: dict[str, str] = {}

    def is_told() -> bool:
        placed.update({job.number: job.placed for job in jobs})
        return sorted(map(len, placed.values())) == [2, 4]

    cluster.wait_until(is_told, "the jobs do not tell of six ranks")
    grown, other = sorted(jobs, key=lambda job: -len(placed[job.number]))
    more = (set(placed[grown.number]) - {own[grown.number]}).pop()
    assert sorted(placed[grown.number]) == sorted(2 * (own[grown.number] + more))
    assert more != own[other.number]
    assert len(cluster.jobs) == 3  # two, and a second one of the first
    cluster.wait_until(lambda: site.status()["budget"]["nodes"] == 1, "the host is not counted")
    other.stop()
    cluster.wait_until(lambda: cluster.jobs == [grown.number], "the second job is not given back")
    cluster.wait_until(lambda: more in cluster.idle, "its node is not idle")
    grown.expect(2 * own[grown.number])
    cluster.wait_until(lambda: site.status()["budget"]["nodes"] == 0, "the host is still counted")
    assert 0 < site.status()["budget"]["node_hours"] < 10
    resized = [(event["before"], event["ranks"]) for event in site.events("resized")]
    assert resized == [(2, 4), (4, 2)]
    assert [event["more_hosts"] for event in site.events("hosts")] == [1, 0]
    grown.stop()
    assert cluster.jobs == []
