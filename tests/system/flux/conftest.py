# SPDX-License-Identifier: BSD-3-Clause
"""A Flux of four nodes, and jobs in it."""

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from commands import COMMAND
from flux_cluster import FluxCluster, flux_cluster
from nodes import CannotStart, PlacedJob

_SCRIPT = """\
#!/bin/sh
{nereus} run --mpi {mpi} {options} -- {program} {stop}
echo "exit code $?"
"""


@pytest.fixture(scope="session")
def session_cluster() -> Iterator[FluxCluster]:
    """Started once; tests are skipped with the reason where that cannot be."""
    if os.geteuid() != 0:
        pytest.skip("nodes of a Flux are made of namespaces, which only root can make")
    if missing := [name for name in ("flux", "ip", "nsenter") if shutil.which(name) is None]:
        pytest.skip(f"programs are missing: {', '.join(missing)} (flux-core, iproute2, util-linux)")
    try:
        with flux_cluster() as cluster:
            yield cluster
    except CannotStart as problem:
        pytest.skip(f"Flux does not start here: {problem}")
    except subprocess.CalledProcessError as problem:
        pytest.skip(f"namespaces cannot be made here: {problem.cmd}: {problem.stderr.strip()}")


@pytest.fixture
def cluster(session_cluster: FluxCluster) -> Iterator[FluxCluster]:
    """The cluster; after the test no job, process or file of the test may be left on any node."""
    found = session_cluster
    found.left_by_kills = ()
    yield found
    jobs = found.jobs
    for job in jobs:
        found.on(found.nodes[0], "flux", "job", "raise", job)
    found.wait_until(lambda: len(found.idle) == len(found.nodes), "nodes are not idle")
    for node in found.nodes:
        # As any command of ours does, it removes what the dead have left.
        found.on(node, *COMMAND, "jobs")
    unexpected = found.removed({node: found.files_on(node) for node in found.nodes}, found.left_by_kills)
    assert not unexpected, f"left on nodes: {unexpected}"
    assert not jobs, "jobs are left in Flux"


@dataclass
class FluxJob(PlacedJob):
    """`nereus run` in a job of Flux, seen from outside."""

    cluster: FluxCluster
    number: str
    folder: Path
    first_host: str

    @property
    def output(self) -> str:
        """What the script has written so far."""
        with contextlib.suppress(FileNotFoundError):
            return (self.folder / "output").read_text()
        return ""

    def nereus(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """A command on the host where the script runs."""
        return self.cluster.on(self.first_host, *COMMAND, *arguments)

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

    @property
    def is_over(self) -> bool:
        """Whether Flux has it no more."""
        return self.number not in self.cluster.jobs

    def wait_for_end(self) -> None:
        """Until the script is over."""
        self.cluster.wait_until(lambda: self.is_over, "the script does not end")

    def stop(self) -> None:
        """Let the program come to its end, at which it must have found its data right in every iteration."""
        (self.folder / "stop").touch()
        self.wait_for_end()
        assert "intact after" in self.output
        assert "exit code 0\n" in self.output, self.output


Start = Callable[..., FluxJob]


@pytest.fixture
def start(cluster: FluxCluster, watched: Callable[[str], Path], tmp_path: Path) -> Iterator[Start]:
    """Submits a script, by `flux submit` or another command, and waits until the job in it is open."""
    jobs: list[FluxJob] = []

    def started(mpi: str, nodes: int, *options: str, submit: str = "submit") -> FluxJob:
        program = cluster.folder / watched(mpi).name
        if not program.exists():
            program.write_bytes(watched(mpi).read_bytes())
            program.chmod(0o755)
        folder = cluster.folder / tmp_path.name
        folder.mkdir()
        words = {"nereus": " ".join(f"'{word}'" for word in COMMAND), "mpi": mpi, "program": program}
        (folder / "script").write_text(
            _SCRIPT.format(**words, options=" ".join(options), stop=folder / "stop")
        )
        (folder / "script").chmod(0o755)
        asked = [f"--nodes={nodes}", "--exclusive", "--time-limit=10m", f"--output={folder / 'output'}"]
        environment = {"XDG_CACHE_HOME": str(cluster.folder / "cache")}
        done = cluster.on(cluster.nodes[0], "flux", submit, *asked, folder / "script", **environment)
        assert done.returncode == 0, done.stderr
        number = cluster.asked("job", "id", "--to=f58plain", done.stdout.strip())
        cluster.asked("job", "wait-event", "--timeout=60", number, "alloc")
        listed = cluster.asked("jobs", "--no-header", "--format={nodelist}", number)
        first = cluster.asked("hostlist", "--expand", listed).split()[0]
        job = FluxJob(cluster, number, folder, first)
        jobs.append(job)
        cluster.wait_until(lambda: bool(job.placed) or job.is_over, f"it is not open: {job.output}")
        return job

    yield started
    for job in jobs:
        print(job.output)
