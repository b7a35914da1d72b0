# SPDX-License-Identifier: BSD-3-Clause
"""A daemon in a job of Slurm that shares out its nodes among jobs of ours."""

import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from commands import COMMAND
from slurm_cluster import SlurmCluster

_SCRIPT = """\
#!/bin/sh
until {nereus} daemon --allocation slurm --policy fair --store {folder}/store 2>>{folder}/daemon; do :; done &
run() {{
    name=$1
    shift
    {nereus} run --queue --name $name --mpi {mpi} "$@" -- {program} {folder}/stop-$name >{folder}/$name 2>&1
    echo "exit code $?" >>{folder}/$name
}}
run one -n 2 & one=$!
run two -n 2 & two=$!
until [ -e {folder}/go ]; do sleep 0.1; done
run three -n 2
wait $one $two
{nereus} daemon stop
wait
"""


@dataclass
class Script:
    """Of which two jobs run, and a third one waits for the test's word."""

    cluster: SlurmCluster
    folder: Path
    number: str
    host: str = ""

    def nereus(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """On the node where the script runs."""
        while self.host not in self.cluster.nodes:
            self.host = self.cluster.asked("squeue", "--noheader", "--jobs", self.number, "--format=%B")
        return self.cluster.on(self.host, *COMMAND, *words)

    def status(self) -> dict[str, Any]:
        """Of the daemon; nothing where it does not answer."""
        done = self.nereus("daemon", "status", "--json")
        found: dict[str, Any] = json.loads(done.stdout) if done.returncode == 0 else {"jobs": []}
        return found

    def ranks(self) -> dict[str, int]:
        return {job["name"]: job["ranks"] for job in self.status()["jobs"]}

    def nodes(self) -> dict[str, set[str]]:
        """Where the ranks of each job are."""
        return {job["name"]: {host[-1] for host in job["places"]} for job in self.status()["jobs"]}

    def held(self) -> dict[str, int]:
        """Nodes of each job, as the daemon knows it."""
        jobs = self.status()
        names = {job["job"]: job["name"] for job in jobs["jobs"]}
        owners = [names.get(job, job) for job in jobs["pilot"]["hosts"].values() if job is not None]
        return {name: owners.count(name) for name in owners}

    def is_all_given_to(self, *names: str) -> bool:
        """Each has at least one node, and no two have the same."""
        ranks, nodes = self.ranks(), self.nodes()
        placed = [node for each in nodes.values() for node in each]
        return set(ranks) == set(names) and sum(ranks.values()) == 6 and len(placed) == len(set(placed)) == 3

    def end(self, killed: str = "") -> None:
        """All that run come to their own end, with their data right."""
        names = ("one", "two", "three")
        for name in names:
            self.say(f"stop-{name}")
        self.say("go")
        self.wait_until(lambda: self.number not in self.cluster.jobs, "the script does not end")
        for name in [name for name in names if name != killed]:
            assert "intact after" in self.said(name)
            assert self.said(name).endswith("exit code 0\n"), self.said(name)
        assert not [*(self.folder / "keys").glob("pilot-*")]

    def say(self, word: str) -> None:
        (self.folder / word).touch()

    def said(self, name: str) -> str:
        path = self.folder / name
        return path.read_text() if path.exists() else ""

    def wait_until(self, condition: Callable[[], bool], what: str) -> None:
        files = ("output", "daemon", "one", "two", "three")
        try:
            self.cluster.wait_until(condition, what)
        except AssertionError as problem:
            raise AssertionError([what, *(f"{name}: {self.said(name)}" for name in files)]) from problem


@pytest.fixture
def script(
    cluster: SlurmCluster, watched: Callable[[str], Path], mpich: str, tmp_path: Path
) -> Iterator[Script]:
    """On three nodes, two slots each."""
    folder = cluster.folder / tmp_path.name
    folder.mkdir()
    program = folder / "program"
    program.write_bytes(watched(mpich).read_bytes())
    program.chmod(0o755)
    words = {"nereus": " ".join(f"'{word}'" for word in COMMAND), "mpi": mpich, "program": program}
    (folder / "script").write_text(_SCRIPT.format(**words, folder=folder))
    asked = ["--nodes=3", "--ntasks-per-node=2", f"--output={folder / 'output'}"]
    keys = {"NEREUS_KEY_FOLDER": str(folder / "keys"), "XDG_CACHE_HOME": str(cluster.folder / "cache")}
    done = cluster.on(cluster.login, "sbatch", "--parsable", *asked, folder / "script", **keys)
    assert done.returncode == 0, done.stderr
    made = Script(cluster, folder, done.stdout.strip())
    yield made
    for name in ("output", "daemon", "one", "two", "three"):
        print(name, made.said(name))


def test_jobs_share_out_the_nodes_of_one_slurm_job(script: Script, cluster: SlurmCluster) -> None:
    script.wait_until(lambda: script.is_all_given_to("one", "two"), "jobs do not grow")
    assert script.held() == {name: len(nodes) for name, nodes in script.nodes().items()}
    shown = script.nereus("daemon", "status").stdout.splitlines()[1]
    assert shown.startswith(f"hosts of the job {script.number}: ")
    assert {owner.split()[1] for owner in shown.partition(": ")[2].split(", ")} == {"one", "two"}
    assert cluster.jobs == [script.number]  # nothing was asked of Slurm
    script.say("go")
    script.wait_until(lambda: script.is_all_given_to("one", "two", "three"), "the third does not start")
    assert script.ranks() == {"one": 2, "two": 2, "three": 2}
    script.say("stop-three")
    script.wait_until(lambda: script.is_all_given_to("one", "two"), "its nodes are not given out again")
    script.say("stop-one")
    script.wait_until(lambda: script.is_all_given_to("two"), "the last job does not get all nodes")
    script.end()


@pytest.mark.whole  # takes minutes
def test_jobs_keep_their_nodes_when_the_daemon_is_killed(script: Script) -> None:
    script.wait_until(lambda: script.is_all_given_to("one", "two"), "jobs do not grow")
    held, killed = script.held(), script.status()["pid"]
    assert script.cluster.on(script.host, "kill", "-KILL", str(killed)).returncode == 0
    script.wait_until(lambda: script.status().get("pid", killed) != killed, "no daemon follows")
    script.wait_until(lambda: script.held() == held, "the daemon does not learn which nodes are whose")
    script.say("go")
    script.wait_until(lambda: script.is_all_given_to("one", "two", "three"), "the third does not start")
    script.say("stop-one")
    script.end()


@pytest.mark.whole  # they do so after a minute of silence
def test_nodes_of_a_killed_run_go_to_others(script: Script) -> None:
    script.wait_until(lambda: script.is_all_given_to("one", "two"), "jobs do not grow")
    job = next(
        job for job in json.loads(script.nereus("jobs", "--json").stdout)["jobs"] if job["name"] == "one"
    )
    script.cluster.left_by_kills = ("mpich_", "nereus-")
    assert script.cluster.on(script.host, "kill", "-KILL", str(job["pid"])).returncode == 0
    script.wait_until(lambda: script.is_all_given_to("two"), "its nodes are not free")
    script.say("go")
    script.wait_until(lambda: script.is_all_given_to("two", "three"), "the third does not start")
    script.end(killed="one")
