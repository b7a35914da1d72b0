# SPDX-License-Identifier: BSD-3-Clause
"""A Slurm of four nodes, and jobs in it."""

import contextlib
import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import slurm_accounting
from commands import COMMAND
from nodes import CannotStart, PlacedJob
from slurm_cluster import SlurmCluster, missing_programs, slurm_cluster

_SCRIPT = """\
#!/bin/sh
{nereus} run --mpi {mpi} {options} -- {program} {stop}
echo "exit code $?"
"""

_GONE_WITHIN = 20.0


@contextlib.contextmanager
def started_cluster(accounts: bool = False) -> Iterator[SlurmCluster]:
    """Tests are skipped with the reason where it cannot be."""
    if os.geteuid() != 0:
        pytest.skip("nodes of a Slurm are made of namespaces, which only root can make")
    if missing := missing_programs():
        pytest.skip(
            f"programs are missing: {', '.join(missing)} (Debian: slurmctld, slurmd, slurm-client, munge)"
        )
    if accounts and (missing := slurm_accounting.missing_programs()):
        pytest.skip(f"programs are missing: {', '.join(missing)} (Debian: slurmdbd, mariadb-server-core)")
    try:
        with slurm_cluster(accounts) as cluster:
            yield cluster
    except CannotStart as problem:
        pytest.skip(f"Slurm does not start here: {problem}")
    except subprocess.CalledProcessError as problem:
        pytest.skip(f"namespaces cannot be made here: {problem.cmd}: {problem.stderr.strip()}")


@pytest.fixture(scope="session")
def session_cluster() -> Iterator[SlurmCluster]:
    """Started once."""
    with started_cluster() as cluster:
        yield cluster


@pytest.fixture
def accounting_cluster() -> Iterator[SlurmCluster]:
    """One of its own, with slurmdbd; after the test no job may be left."""
    with started_cluster(accounts=True) as cluster:
        yield cluster
        cluster.wait_until(lambda: len(cluster.idle) == len(cluster.nodes), "nodes are not idle")
        assert cluster.jobs == [], "jobs are left in Slurm"


@pytest.fixture
def cluster(session_cluster: SlurmCluster) -> Iterator[SlurmCluster]:
    """The cluster; after the test no job, process or file of the test may be left on any node."""
    found = session_cluster
    found.left_by_kills = ()
    yield found
    jobs = found.jobs
    for job in jobs:
        found.on(found.login, "scancel", job)
    found.wait_until(lambda: len(found.idle) == len(found.nodes), "nodes are not idle")
    left = {node: _left_on(node, found) for node in found.nodes}
    unexpected = found.removed(left, found.left_by_kills)
    assert not unexpected, f"left on nodes: {unexpected}"
    assert not jobs, "jobs are left in Slurm"
    assert not [*found.home.rglob("*")], "keys or records are left"


def _left_on(node: str, cluster: SlurmCluster) -> list[str]:
    """Files that stay: processes that Slurm has killed may need a moment to be gone."""
    until = time.monotonic() + _GONE_WITHIN
    while True:
        # As any command of ours does, it removes what the dead have left.
        cluster.on(node, *COMMAND, "jobs")
        left = cluster.files_on(node)
        unexpected = [name for name in left if not name.startswith(cluster.left_by_kills)]
        if not unexpected or time.monotonic() >= until:
            return left
        time.sleep(0.5)


@dataclass
class SlurmJob(PlacedJob):
    """`nereus run` in a batch script, seen from outside."""

    cluster: SlurmCluster
    number: str
    folder: Path
    _first_host: str = ""

    @property
    def output(self) -> str:
        """What the script has written so far."""
        with contextlib.suppress(FileNotFoundError):
            return (self.folder / "output").read_text()
        return ""

    @property
    def first_host(self) -> str:
        """Where the script runs."""
        while not self._first_host:
            told = self.cluster.asked("squeue", "--noheader", "--jobs", self.number, "--format=%B")
            self._first_host = told if told in self.cluster.nodes else ""
        return self._first_host

    def command(self, *arguments: str) -> list[str]:
        """The words of a command of ours."""
        return [*COMMAND, *arguments]

    def nereus(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """A command on the host where the script runs."""
        return self.cluster.on(self.first_host, *self.command(*arguments))

    @property
    def placed(self) -> str:
        """Letters of the ranks' hosts, as the job tells them; empty until it is open."""
        jobs = json.loads(self.nereus("jobs", "--json").stdout or '{"jobs": []}')["jobs"]
        # One that is silent for a moment, on a loaded machine, tells nothing.
        known = [job for job in jobs if "command" in job]
        running = [job for job in known if job["command"][0].startswith(str(self.folder.parent))]
        return "".join(host[-1] for job in running for host in job["hosts"])

    def resize(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Ask for another size."""
        jobs = json.loads(self.nereus("jobs", "--json").stdout)["jobs"]
        return self.nereus("resize", jobs[0]["job"], *arguments)

    def resized(self, *arguments: str) -> Any:
        """Ask for another size, which must come; the report."""
        done = self.resize(*arguments, "--json")
        assert done.returncode == 0, (done.stdout, done.stderr, self.output)
        return json.loads(done.stdout)["report"]

    def stop(self) -> None:
        """Let the program come to its end, at which it must have found its data right in every iteration."""
        (self.folder / "stop").touch()
        self.wait_for_end()
        assert "intact after" in self.output
        assert self.output.endswith("exit code 0\n"), self.output

    def wait_for_end(self) -> None:
        """Until the script is over."""
        self.cluster.wait_until(lambda: self.number not in self.cluster.jobs, "the script does not end")


Start = Callable[..., SlurmJob]


@pytest.fixture
def start(cluster: SlurmCluster, watched: Callable[[str], Path], tmp_path: Path) -> Iterator[Start]:
    """Submits a script, and waits until the job in it is open."""
    jobs: list[SlurmJob] = []

    def started(
        mpi: str, nodes: int, *options: str, submit: tuple[str, ...] = (), **environment: str
    ) -> SlurmJob:
        program = cluster.folder / watched(mpi).name
        if not program.exists():
            program.write_bytes(watched(mpi).read_bytes())
            program.chmod(0o755)
        folder = cluster.folder / f"{tmp_path.name}-{len(jobs)}"
        folder.mkdir()
        words = {"nereus": " ".join(f"'{word}'" for word in COMMAND), "mpi": mpi, "program": program}
        text = _SCRIPT.format(**words, options=" ".join(options), stop=folder / "stop")
        (folder / "script").write_text(text)
        asked = [f"--nodes={nodes}", "--ntasks-per-node=2", f"--output={folder / 'output'}", *submit]
        environment["XDG_CACHE_HOME"] = str(cluster.folder / "cache")
        done = cluster.on(cluster.login, "sbatch", "--parsable", *asked, folder / "script", **environment)
        assert done.returncode == 0, done.stderr
        job = SlurmJob(cluster, done.stdout.strip(), folder)
        jobs.append(job)
        cluster.wait_until(
            lambda: bool(job.placed) if job.number in cluster.jobs else True, f"it is not open: {job.output}"
        )
        return job

    yield started
    for job in jobs:
        print(job.output)
