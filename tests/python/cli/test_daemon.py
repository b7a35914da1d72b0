# SPDX-License-Identifier: BSD-3-Clause
"""nereus daemon, as a user types it."""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zmq
from a_name import called

from nereus.cli.main import run

LIMIT = 120.0
JOB = "0123456789abcdef"
SITE = ("--allocation", "slurm", "--max-nodes", "1")
HELLO = {
    **{"version": 1, "job": JOB, "kind": "hello", "command": ["./cg", "[bold]"], "mpi": "mpich", "pid": 1},
    **{"supervised": False, "hosts": ["localhost"], "most": 2, "iteration": 3, "generation": 0},
    **{"asked": 0, "epoch": 0, "commands": []},
}


class Running:
    """A daemon of that shell."""

    def __init__(self, shell: Any, *arguments: str) -> None:
        self.control_sockets = Path(shell.environment["XDG_RUNTIME_DIR"]) / "nereus"
        stays = ("--set", "silence=600")  # the job says hello, and then nothing more
        words = ("daemon", *arguments, *stays, "--store", shell.folder / "store.sqlite")
        self.process: subprocess.Popen[str] = shell.start(*words)

    def until_ready(self) -> None:
        """Or until it has ended."""
        control_socket = self.control_sockets / "daemon.control"
        self.wait(lambda: control_socket.exists() or self.process.poll() is not None)

    def wait(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + LIMIT
        while not condition():
            assert time.monotonic() < deadline, "waited too long"
            time.sleep(0.02)

    def end(self, by: int = signal.SIGTERM) -> tuple[str, str]:
        self.process.send_signal(by)
        return self.process.communicate(timeout=LIMIT)

    def say_hello(self) -> dict[str, Any]:
        with zmq.Context() as context, context.socket(zmq.DEALER) as job:
            job.setsockopt(zmq.LINGER, 0)
            job.connect(f"ipc://{self.control_sockets / 'daemon.line'}")
            job.send(json.dumps(HELLO).encode())
            assert job.poll(int(LIMIT * 1000))
            answer: dict[str, Any] = json.loads(job.recv())
            return answer


@pytest.fixture
def daemon(shell: Any) -> Iterator[Callable[..., Running]]:
    running: list[Running] = []

    def begin(*arguments: str) -> Running:
        running.append(Running(shell, *arguments))  # before anything can fail: it is ended in any case
        running[-1].until_ready()
        return running[-1]

    yield begin
    for each in running:
        if each.process.poll() is None:
            each.end()


def test_status_shows_running_stopped_and_missing_daemon(shell: Any, daemon: Callable[..., Running]) -> None:
    running = daemon("--policy", "fair", "--cores", "8", "--set", "lease=400", "--json")
    assert running.say_hello()["lease_seconds"] == 400
    found = json.loads(shell.nereus("daemon", "status", "--json").stdout)
    assert (found["policy"], found["parameters"]["lease"]) == ("fair", 400.0)
    (job,) = found["jobs"]
    assert (job["job"], job["ranks"], job["commands"][0]["ranks"]) == (JOB, 1, 2)
    text = shell.nereus("daemon", "status").stdout
    assert JOB in text and "2 ranks" in text
    (listed,) = json.loads(shell.nereus("jobs", "--json").stdout)["jobs"]
    assert listed["controller"]["policy"] == "fair" and listed["command"] == HELLO["command"]
    assert "[bold]" in shell.nereus("jobs").stdout
    events = [json.loads(line) for line in shell.nereus("daemon", "events", "--json").stdout.splitlines()]
    assert {"came", "decided"} <= {event["event"] for event in events}
    assert len(shell.nereus("daemon", "events", "--since", "1").stdout.splitlines()) == len(events) - 1
    refused = shell.nereus("daemon", "--store", "other.sqlite")
    assert refused.returncode == 2
    assert f"runs already (process {running.process.pid})" in refused.stderr
    assert json.loads(shell.nereus("daemon", "stop", "--json").stdout) == {"pid": running.process.pid}
    out, _ = running.process.communicate(timeout=LIMIT)
    assert running.process.returncode == 0
    assert [json.loads(line) for line in out.splitlines()] == events
    assert not running.control_sockets.exists()
    stopped = shell.nereus("daemon", "status")
    assert (stopped.returncode, stopped.stdout) == (2, "")


def test_jobs_are_shown_by_name_and_by_key_in_json(shell: Any, daemon: Callable[..., Running]) -> None:
    running = daemon("--policy", "fair", "--cores", "8")
    running.say_hello()
    with called(JOB, "cg-1", running.control_sockets):
        for words in ("daemon status", "daemon events", "jobs", "top --jobs --samples 1"):
            text = shell.nereus(*words.split()).stdout
            assert "cg-1 " in text and JOB not in text, words
        for words in ("daemon status", "jobs"):
            (job,) = json.loads(shell.nereus(*words.split(), "--json").stdout)["jobs"]
            assert (job["job"], job["name"]) == (JOB, "cg-1")
        events = shell.nereus("daemon", "events", "--json").stdout.splitlines()
        assert {json.loads(line)["job"] for line in events} == {JOB, ""}
        for asked in ("cg-1", JOB, JOB[:4]):
            assert "0 I/O phases: a period needs at least 3" in shell.nereus("daemon", "period", asked).stderr
        for asked in ("cg", ""):
            assert f"JOB = {asked}: 0 jobs match" in shell.nereus("daemon", "period", asked).stderr
    text = shell.nereus("daemon", "status").stdout
    assert JOB in text and "cg-1" not in text


def test_daemon_ends_cleanly_on_signal_and_logs_addresses_and_events(
    shell: Any, daemon: Callable[..., Running]
) -> None:
    running = daemon("--metrics", "0")
    running.say_hello()
    out, said = running.end(signal.SIGINT)
    assert running.process.returncode == 0
    assert out == ""
    assert f"NEREUS_CONTROLLER=ipc://{running.control_sockets}/daemon.line" in said
    assert f"{JOB}: came with 1 ranks" in said
    assert "metrics: http://127.0.0.1:" in said


def test_custom_policy_decides(shell: Any, daemon: Callable[..., Running]) -> None:
    (shell.folder / "mine.py").write_text(
        "from nereus.policy.decisions import Policy, Resize\n"
        "class Mine(Policy):\n"
        "    def decide(self, state, parameters):\n"
        "        return [Resize(job.name, 2, 'I say so') for job in state.jobs if job.ranks < 2]\n"
    )
    running = daemon("--policy", "mine.py:Mine", "--cores", "4")
    running.say_hello()
    found = json.loads(shell.nereus("daemon", "status", "--json").stdout)
    assert found["jobs"][0]["commands"][0]["why"] == "I say so"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--policy", "fare"), "did you mean fair?"),
        (("--set", "uncertainly=2"), "uncertainly: allowed are"),
        (("--set", "uncertainty=much"), "numbers from 0 are allowed"),
        (("--set", "lease=0"), "numbers above 0 are allowed"),
        (("--set", "least_phases=1"), "whole numbers from 2 are allowed"),
        (("--cores", "2", "--hosts", "a:2"), "one of them is allowed"),
        (("--hosts", "a:b"), "allowed is 1 .."),
        (("--allocation", "torque", "--max-nodes", "1"), "--allocation = torque: allowed is slurm"),
        (("--allocation", "slurm"), "there is no Slurm here (srun is not on PATH)"),
        (("--allocation", "slurm", "--max-node-hours", "1"), "--max-node-hours: allowed beside --max-nodes"),
        (("--max-nodes", "1"), "--max-nodes: allowed beside --allocation slurm"),
        (("--max-node-hours", "1"), "--max-node-hours: allowed beside --allocation slurm"),
        ((*SITE, "--max-nodes", "0"), "--max-nodes = 0: allowed is 1 .. 1000000"),
        ((*SITE, "--max-nodes", "-3"), "--max-nodes = -3: allowed is"),
        ((*SITE, "--max-nodes", "1.5"), "a whole number is allowed"),
        ((*SITE, "--max-node-hours", "0"), "--max-node-hours = 0: allowed is a number above 0"),
        ((*SITE, "--max-node-hours", "-1"), "--max-node-hours = -1: allowed is a number above 0"),
        ((*SITE, "--max-node-hours", "nan"), "--max-node-hours = nan: allowed is a number above 0"),
        ((*SITE, "--max-node-hours", "inf"), "--max-node-hours = inf: allowed is a number above 0"),
        (SITE, "there is no Slurm here (srun is not on PATH)"),
        (("--metrics", "many"), "allowed is off, or a port"),
        (("--listen", "tcp://127.0.0.1:1"), "both or none are allowed"),
        (("--listen", "127.0.0.1", "--keys", "k"), "allowed is tcp://HOST:PORT"),
        (("--listen", "tcp://127.0.0.1:*", "--keys", "k"), "--make-keys makes them"),
        (("--make-keys", "k", "--policy", "fair", "--cores", "4"), "allowed without --policy, --cores"),
    ],
)
def test_impossible_daemon_options_are_refused_in_one_line(
    arguments: tuple[str, ...],
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run(["daemon", *arguments, "--store", str(tmp_path / "store.sqlite")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("nereus: ") and reason in line


def test_command_behind_an_option_that_makes_keys_is_refused(shell: Any) -> None:
    refused = shell.nereus("daemon", "--make-keys", "keys", "status")
    assert (refused.returncode, refused.stderr) == (2, "nereus: --make-keys: allowed without status\n")
    assert not (shell.folder / "keys").exists()


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        (("--cores", "2"), "--cores and --allocation: one of them is allowed"),
        (("--hosts", "a:2"), "--hosts and --allocation: one of them is allowed"),
        (("--keys", "k"), "--keys and --allocation: one of them is allowed"),
        (("--listen", "n1"), "allowed is tcp://HOST:PORT"),
    ],
)
def test_options_that_make_no_sense_in_slurm_are_refused(
    shell: Any, others: tuple[str, ...], reason: str
) -> None:
    refused = shell.nereus("daemon", *SITE, *others, PATH=with_srun(shell))
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert reason in refused.stderr


def test_daemon_that_is_to_share_out_hosts_outside_of_slurm_is_refused(shell: Any) -> None:
    refused = shell.nereus("daemon", "--allocation", "slurm", PATH=with_srun(shell), SLURM_JOB_ID="")
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert "share out the hosts of a job in Slurm, by starting it there" in refused.stderr


def test_daemon_of_jobs_in_slurm_says_where_they_find_it_and_what_it_may_give(
    shell: Any, daemon: Callable[..., Running]
) -> None:
    shell.environment["PATH"] = with_srun(shell)
    shell.environment["NEREUS_KEY_FOLDER"] = str(shell.folder / "keys")
    running = daemon(*SITE, "--max-node-hours", "12.5")
    shown = shell.nereus("daemon", "status").stdout
    assert "policy blocking, 0 of 1 more nodes held, 0.00 of 12.5 node hours, 0 jobs" in shown
    assert json.loads(shell.nereus("daemon", "status", "--json").stdout)["budget"]["max_nodes"] == 1
    assert (shell.folder / "keys" / "daemon").exists()
    _, told = running.end()
    assert "1 more nodes at most, for 12.5 node hours" in told
    assert f"by {shell.folder}/keys/daemon" in told
    assert not (shell.folder / "keys" / "daemon").exists()


def with_srun(shell: Any) -> str:
    """A PATH by which Slurm is found."""
    folder: Path = shell.folder / "slurm"
    folder.mkdir(exist_ok=True)
    (folder / "srun").touch(0o755)
    return f"{folder}:{shell.environment['PATH']}"


@pytest.mark.parametrize("words", ["daemon", "daemon status", "daemon events", "daemon stop", "bench daemon"])
def test_each_daemon_command_has_help_with_an_example(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*words.split(), "--help"]) == 0
    assert f"Example: nereus {words}" in capsys.readouterr().out


def test_keys_are_made_once(shell: Any) -> None:
    assert shell.nereus("daemon", "--make-keys", "keys").returncode == 0
    assert sorted(path.name for path in (shell.folder / "keys").iterdir()) == ["client.json", "server.json"]
    assert "is there already" in shell.nereus("daemon", "--make-keys", "keys").stderr


def test_bench_prints_its_figures(shell: Any) -> None:
    few = ("--clients", "3", "--phases", "10", "--many", "4", "--rate", "20", "--seconds", "1")
    found = json.loads(shell.nereus("bench", "daemon", *few, "--json").stdout)
    assert found["load"]["heard"] == found["load"]["messages"] > 0
    assert 0 < found["grants"]["median_seconds"] <= found["grants"]["worst_seconds"]
    assert found["load"]["cpu_share"] >= 0
