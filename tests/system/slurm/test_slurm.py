# SPDX-License-Identifier: BSD-3-Clause
"""Jobs in a real Slurm: their hosts, growth by second jobs, and what is left when something ends."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import COMMAND


# Slurm may end the step that removes a job's folder on another host: seen once with Open MPI.
def test_job_in_slurm_runs_on_its_hosts_and_resizes_without_options(start: Any, sampled_mpi: str) -> None:
    mpi = sampled_mpi
    job = start(mpi, 2, "-n", "2")
    first, second = job.cluster.nodes[:2]
    job.expect(2 * first[-1])
    job.resized("4")
    job.expect(2 * first[-1] + 2 * second[-1])
    job.stop()


def test_hosts_come_by_a_second_job_and_go_back(start: Any, cluster: Any, mpich: str) -> None:
    job = start(mpich, 1, "-n", "2")
    own = job.placed_of(2)[0]
    job.resized("+2nodes")
    placed = job.placed_of(6)
    more = sorted(set(placed) - {own})
    assert sorted(placed) == sorted(2 * (own + "".join(more)))
    assert len(cluster.jobs) == 2
    # One host of the second job, which is shrunk in place; then the rest of it.
    job.resized("--release", cluster.hosts.prefix + more[0])
    cluster.wait_until(lambda: more[0] in cluster.idle, f"{more[0]} is not idle")
    job.expect(2 * own + 2 * more[1])
    job.resized("--release", "1")
    cluster.wait_until(lambda: len(cluster.idle) == 3, "the second job's nodes are not idle")
    assert cluster.jobs == [job.number]
    # The same hosts again, by name.
    job.resized("--grow-to", cluster.hosts.prefix + more[0])
    job.expect(2 * own + 2 * more[0])
    job.stop()


def test_job_in_slurm_continues_after_a_process_was_killed(start: Any, cluster: Any, mpich: str) -> None:
    cluster.left_by_kills = ("mpich_shm_", "nereus-")
    saved = cluster.folder / "saved"
    job = start(mpich, 2, "-n", "3", "--save", str(saved), "--save-every", "0.2", "--recoveries", "2")
    before = job.placed_of(3)
    cluster.wait_until(lambda: [*saved.glob("epoch-*")] != [], "no epoch was saved")
    newest = cluster.on(job.first_host, "pgrep", "--newest", "watched").stdout.strip()  # of this node
    assert cluster.on(job.first_host, "kill", "-KILL", newest).returncode == 0
    cluster.wait_until(lambda: "it continues from epoch" in job.output, f"it does not fail: {job.output}")
    job.expect(before)
    job.stop()


def test_job_is_restarted_on_hosts_that_come_and_go(start: Any, cluster: Any, mpich: str) -> None:
    restart = ("--process-method", "restart")
    job = start(mpich, 1, "-n", "2", "--restart-folder", str(cluster.folder))
    own = job.placed_of(2)[0]
    assert job.resized("+1node", *restart)["process_method"] == "restart"
    placed = job.placed_of(4)
    more = placed[-1]
    assert (placed, more != own) == (2 * own + 2 * more, True)
    job.resized("3", *restart)
    job.resized("--release", cluster.hosts.prefix + more, *restart)
    job.expect(2 * own)
    cluster.wait_until(lambda: more in cluster.idle, f"{more} is not idle")
    job.stop()


def test_login_node_and_other_nodes_ask_the_job(start: Any, cluster: Any, mpich: str) -> None:
    job = start(mpich, 1, "-n", "2")
    other = next(node for node in cluster.nodes if node != job.first_host)
    for host in (cluster.login, other):
        (found,) = json.loads(cluster.on(host, *job.command("jobs", "--json")).stdout)["jobs"]
        assert (found["host"], found["state"], found["ranks"]) == (job.first_host, "running", 2)
    grown = cluster.on(cluster.login, *job.command("resize", found["name"], "+1node", "--json"))
    assert grown.returncode == 0, (grown.stderr, job.output)
    assert json.loads(grown.stdout)["report"]["to"] == 4
    shrunk = cluster.on(other, *job.command("resize", found["job"], "--release", "1"))
    assert shrunk.stdout.startswith("resized 4 → 2 ranks"), (shrunk.stderr, job.output)
    shown = cluster.on(cluster.login, *job.command("top", "--samples", "1")).stdout
    assert f"running on {job.first_host}" in shown
    job.stop()
    assert cluster.on(cluster.login, *job.command("jobs")).stderr == "no jobs\n"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("+9nodes",), "Partition"),
        (("--grow-to", "elsewhere"), "Invalid node name"),
        (("--release", "elsewhere"), "no host of this job"),
        (("--release", "1"), "at most 0"),
    ],
)
def test_impossible_request_is_refused_and_nothing_is_submitted(
    start: Any, cluster: Any, mpich: str, words: tuple[str, ...], reason: str
) -> None:
    job = start(mpich, 1, "-n", "2")
    refused = job.resize(*words)
    assert refused.returncode == 2
    assert reason in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert cluster.jobs == [job.number]
    job.stop()


@pytest.fixture
def own_folder(cluster: Any) -> Iterator[str]:
    """One that only the first node has."""
    cluster.on(cluster.nodes[0], "mkdir", "/tmp/own-folder")
    yield "/tmp/own-folder"
    cluster.on(cluster.nodes[0], "rmdir", "/tmp/own-folder")


def test_granted_host_without_the_working_folder_is_given_back(
    start: Any, cluster: Any, mpich: str, own_folder: str
) -> None:
    job = start(mpich, 1, "-n", "2", submit=(f"--chdir={own_folder}", f"--nodelist={cluster.nodes[0]}"))
    refused = job.resize("+1node")
    assert refused.returncode == 1
    assert f"was granted, but the working folder {own_folder} is not there" in refused.stderr
    cluster.wait_until(lambda: cluster.jobs == [job.number], "the second job is left")
    job.stop()


def test_job_does_not_start_where_a_host_has_no_working_folder(
    start: Any, cluster: Any, mpich: str, own_folder: str
) -> None:
    first, second = cluster.nodes[:2]
    job = start(mpich, 2, "-n", "2", submit=(f"--chdir={own_folder}", f"--nodelist={first},{second}"))
    job.wait_for_end()
    expected = f"nereus: {second}: the working folder {own_folder} is not there: start the job in a folder"
    assert expected in job.output
    assert job.output.endswith("exit code 2\n"), job.output


def test_hosts_that_are_not_granted_in_time_leave_nothing_in_the_queue(
    start: Any, cluster: Any, mpich: str
) -> None:
    job = start(mpich, 1, "-n", "2")
    cluster.asked("sbatch", "--nodes=3", "--job-name=others", "--output=/dev/null", "--wrap=sleep 1000")
    refused = job.resize("+1node", "--timeout", "12")
    assert refused.returncode == 1
    assert "granted no hosts" in refused.stderr
    assert len(cluster.jobs) == 2
    cluster.asked("scancel", "--name=others")
    job.resized("+1node")
    job.stop()


def test_cancelled_second_job_is_told_with_its_hosts(start: Any, cluster: Any, mpich: str) -> None:
    job = start(mpich, 1, "-n", "2")
    own = job.placed_of(2)[0]
    job.resized("+1node")
    lost = (set(job.placed_of(4)) - {own}).pop()
    second = next(number for number in cluster.jobs if number != job.number)
    cluster.left_by_kills = ("mpich_shm_", "nereus-")
    cluster.asked("scancel", second)
    job.wait_for_end()
    assert f"{cluster.hosts.prefix}{lost}: lost: the Slurm job {second} has ended" in job.output
    assert "exit code 0" not in job.output


def test_recovered_job_continues_without_the_hosts_of_a_cancelled_second_job(
    start: Any, cluster: Any, mpich: str, tmp_path: Path
) -> None:
    folder = cluster.folder / f"{tmp_path.name}-saved"
    saving = ("--save", str(folder), "--save-every", "0.5", "--recoveries", "2")
    job = start(mpich, 1, "-n", "2", *saving)
    own = job.placed_of(2)[0]
    job.resized("+1node")
    job.placed_of(4)
    second = next(number for number in cluster.jobs if number != job.number)
    cluster.wait_until(lambda: [*folder.glob("epoch-*")] != [], "no epoch")
    cluster.left_by_kills = ("mpich_shm_", "nereus-")
    cluster.asked("scancel", second)
    job.expect(2 * own)
    assert "it continues from epoch" in job.output
    job.stop()


def test_killed_supervisor_leaves_no_second_job(start: Any, cluster: Any, mpich: str) -> None:
    job = start(mpich, 1, "-n", "2")
    job.resized("+1node")
    assert len(cluster.jobs) == 2
    cluster.left_by_kills = ("mpich_shm_", "nereus-")
    supervisor = job.nereus("jobs", "--json").stdout.split('"pid": ')[1].split(",")[0]
    cluster.on(job.first_host, "kill", "-KILL", supervisor)
    cluster.wait_until(lambda: not cluster.jobs, "jobs are left")


def test_growth_outlives_a_restart_of_the_controller(start: Any, cluster: Any, mpich: str) -> None:
    job = start(mpich, 1, "-n", "2")
    own, host = job.placed_of(2)[0], job.first_host
    key = job.nereus("jobs", "--json").stdout.split('"job": "')[1].split('"')[0]
    cluster.stop_controller()
    noted = cluster.on(host, *job.command("resize", key, "+1node", "--no-wait"))
    assert noted.returncode == 0, noted.stderr
    cluster.start_controller()
    assert set(job.placed_of(4)) > {own}
    job.stop()


def test_job_goes_on_while_a_slurmd_is_gone(start: Any, cluster: Any, mpich: str) -> None:
    job = start(mpich, 1, "-n", "2")
    own = job.placed_of(2)[0]
    job.resized("+1node")
    node = cluster.hosts.prefix + (set(job.placed_of(4)) - {own}).pop()
    cluster.kill_slurmd(node)
    job.resized("3")
    job.placed_of(3)
    cluster.start_slurmd(node)
    job.resized("--release", node, "--timeout", "60")
    cluster.wait_until(lambda: len(cluster.idle) == 3, "the node is not idle")
    job.stop()


def check_cycles(cluster: Any, mpich: str, folder: Path, growth: str) -> None:
    """Hosts come and go as often as they should, and nothing is left of that."""
    folder.mkdir()
    words = [*COMMAND, "bench", "allocation", "--cycles", "2", "--mpi", mpich, "--json"]
    files = [f"--output={folder / 'output'}", f"--error={folder / 'error'}"]
    done = cluster.on(
        cluster.login,
        *("sbatch", "--wait", "--nodes=1", "--ntasks-per-node=2", *files, f"--wrap={shlex.join(words)}"),
        XDG_CACHE_HOME=str(cluster.folder / "cache"),
        NEREUS_SLURM_GROWTH=growth,
    )
    assert done.returncode == 0, (folder / "error").read_text()
    [row] = json.loads((folder / "output").read_text())["rows"]
    assert (row["adapter"], row["growth"], row["cycles"], row["left_behind"]) == ("slurm", growth, 2, [])
    pauses = [f"{where}{what}" for where in ("", "one_host_") for what in ("pause", "shrink_pause")]
    assert all(row[f"{name}_seconds"] > 0 for name in ("usable", "idle", *pauses))


def test_hosts_come_and_go_in_cycles_and_nothing_is_left(cluster: Any, mpich: str, tmp_path: Path) -> None:
    check_cycles(cluster, mpich, cluster.folder / tmp_path.name, "second-job")


def test_hosts_become_those_of_the_first_job_in_cycles_and_nothing_is_left(
    accounting_cluster: Any, mpich: str
) -> None:
    check_cycles(accounting_cluster, mpich, accounting_cluster.folder / "cycles", "expand")


def test_task_of_a_job_array_keeps_its_hosts(cluster: Any, start: Any, mpich: str) -> None:
    job = start(mpich, 1, submit=("--array=1-1",))
    refused = job.resize("+1node")
    assert refused.returncode == 2
    assert "job array" in refused.stderr
    job.stop()


def test_open_mpi_keeps_to_the_hosts_of_its_start(start: Any, cluster: Any, openmpi: str) -> None:
    job = start(openmpi, 1, "-n", "2")
    refused = job.resize("+1node")
    assert refused.returncode == 2
    assert "Open MPI" in refused.stderr
    assert cluster.jobs == [job.number]
    job.stop()
