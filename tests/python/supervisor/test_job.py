# SPDX-License-Identifier: BSD-3-Clause
"""A job is ended whole and leaves nothing, and what is not of the job is left alone."""

import mmap
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nereus.launch import Command, LaunchError, Stopping
from nereus.launch.processes import Process, send
from nereus.launch.shared_memory import FOLDER
from nereus.supervisor import Job

LIMIT = 120.0
# Ignores polite requests, lets its parent die, and leaves the session: what the worst of ranks could do.
STUBBORN = (
    "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.setsid(); time.sleep(600)"
)


def python(text: str) -> Command:
    return Command([sys.executable, "-c", text])


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


@contextmanager
def started(command: Command, folder: Path) -> Iterator[Job]:
    job = Job(command, folder / "output.txt")
    job.grace = 0.5
    with job:
        yield job


def spawner(child: str, then: str) -> str:
    start = f"subprocess.Popen([sys.executable, '-c', {child!r}])"
    return f"import subprocess, sys, time\nprint({start}.pid, flush=True)\n{then}"


def test_orphaned_rank_that_ignores_signals_is_killed(tmp_path: Path) -> None:
    with started(python(spawner(STUBBORN, "")), tmp_path) as job:
        wait_until(lambda: not job.running())
        rank = int(job.text())
        assert rank in {process.pid for process in job.processes()}
    assert not is_running(rank)
    assert job.processes() == []


def test_all_ranks_end_with_a_running_launcher(tmp_path: Path) -> None:
    with started(python(spawner(STUBBORN, "time.sleep(600)")), tmp_path) as job:
        wait_until(lambda: job.text().endswith("\n"))
    assert not is_running(int(job.text()))
    assert not job.running()


def test_job_is_ended_when_its_block_is_left_by_an_error(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), started(python("import time; time.sleep(600)"), tmp_path) as job:
        raise RuntimeError
    assert not job.running()


def test_unrelated_process_is_not_killed(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "600"]) as bystander:
        with started(python(spawner(STUBBORN, "time.sleep(600)")), tmp_path):
            pass
        assert is_running(bystander.pid)
        bystander.kill()


def test_reused_process_number_is_not_signalled() -> None:
    with subprocess.Popen(["sleep", "600"]) as bystander:
        send(Process(bystander.pid, started=1), signal.SIGKILL)
        assert bystander.poll() is None
        bystander.kill()


def test_temporary_files_of_a_job_are_removed(tmp_path: Path) -> None:
    text = "import tempfile; print(tempfile.mkdtemp(), flush=True)"
    with started(python(text), tmp_path) as job:
        wait_until(lambda: not job.running())
        made = Path(job.text().strip())
        assert made.is_dir()
    assert not made.parent.exists()


@pytest.mark.alone
def test_shared_memory_of_a_killed_job_is_removed(tmp_path: Path) -> None:
    left = FOLDER / f"mpich_shm_test{secrets.token_hex(4)}_0"
    with started(python(f"open({str(left)!r}, 'w').write('x')"), tmp_path) as job:
        wait_until(lambda: not job.running())
        assert left.exists()
    assert not left.exists()


@pytest.mark.alone
def test_named_array_of_a_killed_job_is_removed(tmp_path: Path) -> None:
    text = (
        "import os, signal; name = f'/dev/shm/nereus-{os.environ[\"NEREUS_JOB\"]}-3-0123456789abcdef';"
        "open(name, 'w').write('x'); print(name, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    with started(python(text), tmp_path) as job:
        wait_until(lambda: not job.running())
        left = Path(job.text().strip())
        assert left.exists()
    assert not left.exists()


@pytest.mark.alone
def test_array_of_a_job_not_visible_here_is_kept(tmp_path: Path) -> None:
    foreign = FOLDER / f"nereus-{secrets.token_hex(8)}-3-{secrets.token_hex(8)}"
    try:
        with started(python("pass"), tmp_path):
            foreign.write_bytes(b"x" * 4096)
        assert foreign.exists()
    finally:
        foreign.unlink(missing_ok=True)


@pytest.mark.alone
def test_shared_memory_of_other_jobs_is_kept(tmp_path: Path) -> None:
    names = [
        f"mpich_shm_test{secrets.token_hex(4)}_0",
        f"test-foreign-{secrets.token_hex(4)}",
        f"vader_segment.t{os.getpid()}",
    ]
    before, foreign, mapped = (FOLDER / name for name in names)
    try:
        before.write_bytes(b"x" * 4096)
        with started(python("pass"), tmp_path):
            foreign.write_bytes(b"x")
            mapped.write_bytes(b"x" * 4096)
            with mapped.open("r+b") as file:
                memory = mmap.mmap(file.fileno(), 4096)
        assert before.exists()
        assert foreign.exists()
        assert mapped.exists()
        memory.close()
    finally:
        for path in (before, foreign, mapped):
            path.unlink(missing_ok=True)


def test_launcher_that_cannot_be_executed_is_reported(tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match="/nowhere/mpiexec: cannot be started: No such file"):
        Job(Command(["/nowhere/mpiexec"]), tmp_path / "output.txt")


def test_outcome_holds_the_exit_code(tmp_path: Path) -> None:
    with started(python("raise SystemExit(3)"), tmp_path) as job:
        wait_until(lambda: not job.running())
        assert job.outcome().text == "a rank ended with exit code 3"


def test_job_does_not_outlive_a_killed_supervisor(tmp_path: Path) -> None:
    supervisor = f"""
import sys, time
from pathlib import Path
from nereus.launch import Command
from nereus.supervisor import Job
job = Job(Command(["sleep", "600"]), Path({str(tmp_path / "output.txt")!r}))
print(job.processes()[0].pid, flush=True)
time.sleep(600)
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", supervisor], stdout=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout is not None
        launcher = int(process.stdout.readline())
        assert is_running(launcher)
        process.kill()
    wait_until(lambda: not is_running(launcher))


def test_dead_orphans_are_removed_from_the_process_table(tmp_path: Path) -> None:
    script = """
import sys, time
from pathlib import Path
from nereus.launch import Command, fostering
from nereus.supervisor import Job
def stays():
    return Path(f"/proc/{int(job.text())}").exists()
with fostering():
    with Job(Command(["sh", "-c", "sh -c 'sleep 0.2 & echo $!'"]), Path(sys.argv[1])) as job:
        while job.running():
            time.sleep(0.02)
        time.sleep(0.5)
    print(stays())
print(stays())
"""
    command = [sys.executable, "-c", script, str(tmp_path / "output.txt")]
    run = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=True)
    assert run.stdout.split() == ["True", "False"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stop_signal_is_noted_and_the_former_handler_restored(number: signal.Signals) -> None:
    former = signal.getsignal(number)
    with Stopping() as stopping:
        os.kill(os.getpid(), number)
        wait_until(lambda: stopping.signal is number)
        assert stopping.exit_code == 128 + number
        os.kill(os.getpid(), signal.SIGTERM)
        assert stopping.signal is number
    assert signal.getsignal(number) is former


def test_hangup_ignored_by_nohup_stays_ignored() -> None:
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Stopping() as stopping:
            os.kill(os.getpid(), signal.SIGHUP)
            assert stopping.signal is None
    finally:
        signal.signal(signal.SIGHUP, former)
