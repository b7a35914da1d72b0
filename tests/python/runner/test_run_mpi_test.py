# SPDX-License-Identifier: BSD-3-Clause
"""The runner of MPI tests, tried on programs without MPI under a launcher that starts one process."""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path
from types import ModuleType

import pytest

from nereus.launch.shared_memory import NAME_PREFIXES

RUNNER = Path(__file__).resolve().parents[2] / "mpi" / "run_mpi_test.py"
MPICH_OR_OPENMPI = pytest.mark.parametrize("kind", ["mpich", "openmpi"])
SPAWN_HANG = """
PID 10 - process
TID 10:
#0  0x00007f895977ff16 opal_progress
#1  0x00007f895977ff17 PMPI_Comm_spawn
#2  0x000055895977ff18 main
TID 11:
#0  0x00007f895977ff19 epoll_wait
"""
OUR_HANG = SPAWN_HANG.replace("PMPI_Comm_spawn", "PMPI_Recv")


def load() -> ModuleType:
    specification = importlib.util.spec_from_file_location("run_mpi_test", RUNNER)
    assert specification and specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


runner = load()


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def launcher(tmp_path: Path) -> Path:
    """Starts one process, whatever -n says, and hands its exit code on, as mpiexec does."""
    return script(tmp_path / "mpiexec", 'while [ "$1" != -n ]; do shift; done; shift 2; "$@"; exit $?')


def test_names_of_shared_memory_are_those_that_the_launcher_sweeps() -> None:
    assert runner.SHARED_NAMES == NAME_PREFIXES


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def arguments(launcher: Path, program: list[str], *options: str) -> list[str]:
    kind = [] if "--kind" in options else ["--kind", "mpich"]
    return ["--mpiexec", str(launcher), *kind, "-n", "1", *options, "--", *program]


def run(launcher: Path, shell: str, *options: str) -> subprocess.CompletedProcess[str]:
    """The runner as CTest starts it, on a program given as a line of shell."""
    command = [sys.executable, str(RUNNER), *arguments(launcher, ["/bin/sh", "-c", shell], *options)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def fake_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stack reader that says what the file `stack` holds."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script(folder / runner.STACK_READER, f"cat {tmp_path}/stack")
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return tmp_path / "stack"


@MPICH_OR_OPENMPI
def test_successful_program_passes_with_its_environment(launcher: Path, kind: str) -> None:
    done = run(launcher, 'test "$COLOUR" = blue=1', "--env", "COLOUR=blue=1", "--kind", kind)
    assert (done.returncode, done.stdout) == (0, "")


def test_failing_program_fails_the_test(launcher: Path) -> None:
    done = run(launcher, "exit 3")
    assert done.returncode == 1
    assert "code 3" in done.stdout


@pytest.mark.parametrize(
    ("shell", "options", "passes"),
    [
        ("echo why; exit 2", ["--code", "2", "--says", "why"], True),
        ("echo why >&2; exit 2", ["--code", "2", "--says", "^wh.$"], True),
        ("echo why", ["--code", "2", "--says", "why"], False),
        ("echo why; exit 3", ["--code", "2", "--says", "why"], False),
        ("exit 2", ["--code", "2", "--says", "why"], False),
        ("echo why; exit 2", ["--says", "why"], False),
        ("echo why; echo why", ["--says", "why"], True),
        ("echo why; echo why", ["--says", "why", "--once"], False),
        ("exit 2", ["--code", "2"], True),
    ],
)
def test_exit_code_and_output_are_both_checked(
    launcher: Path, shell: str, options: list[str], passes: bool
) -> None:
    assert run(launcher, shell, *options).returncode == (0 if passes else 1)


def test_missing_launcher_fails_the_test(tmp_path: Path) -> None:
    done = run(tmp_path / "none", "exit 0")
    assert done.returncode == 1
    assert str(tmp_path / "none") in done.stdout


def test_skipped_program_is_reported_with_its_reason(launcher: Path) -> None:
    done = run(launcher, "echo no spawn here; exit 77")
    assert (done.returncode, done.stdout) == (77, "no spawn here\n")


@pytest.mark.parametrize("option", [["--env", "novalue"], ["--timeout", "0"], ["--kind", "other"]])
def test_wrong_options_are_refused_before_anything_starts(
    launcher: Path, tmp_path: Path, option: list[str]
) -> None:
    done = run(launcher, f"touch {tmp_path}/started", *option)
    assert done.returncode == 2
    assert not (tmp_path / "started").exists()


def test_hang_fails_and_leaves_no_process(launcher: Path, tmp_path: Path, fake_reader: Path) -> None:
    fake_reader.write_text("the stack")
    done = run(launcher, f"echo $$ > {tmp_path}/pid; (setsid sleep 1000 &); sleep 1000", "--timeout", "12")
    assert done.returncode == 1
    assert "no end after 12 s" in done.stdout
    assert "sleep 1000\nthe stack" in done.stdout
    assert not alive(int((tmp_path / "pid").read_text()))


def test_hang_shows_the_functions_that_hang(launcher: Path) -> None:
    if shutil.which(runner.STACK_READER) is None:
        pytest.skip("eu-stack is not installed")
    sleeper = subprocess.Popen(["sleep", "1000"])
    try:
        if "#0" not in runner.stacks([sleeper.pid])[sleeper.pid]:
            pytest.skip("eu-stack may not attach to processes here")
    finally:
        sleeper.kill()
        sleeper.wait()
    done = run(launcher, "exec sleep 1000", "--timeout", "12")
    assert done.returncode == 1
    assert "nanosleep" in done.stdout


def test_stuck_stack_reader_does_not_hang_the_runner(
    launcher: Path, tmp_path: Path, fake_reader: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck = f"echo $$ > {tmp_path}/reader.pid; exec sleep 1000"
    script(fake_reader.parent / "bin" / runner.STACK_READER, stuck)
    monkeypatch.setattr(runner, "STACK_SECONDS", 12.0)
    options = runner.parse(arguments(launcher, ["sleep", "1000"], "--timeout", "2"))
    assert runner.run(options) == 1
    deadline = time.monotonic() + 30
    while alive(int((tmp_path / "reader.pid").read_text())) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(int((tmp_path / "reader.pid").read_text()))


def test_process_left_behind_fails_a_successful_program(
    launcher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(runner, "LINGER_SECONDS", 0.5)
    shell = f"setsid sleep 1000 & echo $! > {tmp_path}/pid"
    assert runner.run(runner.parse(arguments(launcher, ["/bin/sh", "-c", shell]))) == 1
    assert "left behind: process" in capfd.readouterr().out
    assert not alive(int((tmp_path / "pid").read_text()))


def test_process_that_is_still_ending_is_tolerated(launcher: Path) -> None:
    assert run(launcher, "setsid sleep 1 &").returncode == 0


@pytest.mark.alone
@pytest.mark.parametrize("code", [0, 5])
@pytest.mark.parametrize("prefix", ["nereus-", "mpich_shm_", "vader_segment.x."])
def test_shared_memory_left_behind_is_removed_and_fails_the_test(
    launcher: Path, prefix: str, code: int
) -> None:
    left = Path("/dev/shm") / f"{prefix}{uuid.uuid4().hex}"
    try:
        done = run(launcher, f"echo 1 > {left}; exit {code}")
        assert done.returncode == 1
        assert (f"left behind: file {left}" in done.stdout) == (code == 0)
        assert not left.exists()
    finally:
        left.unlink(missing_ok=True)


@pytest.mark.alone
def test_shared_memory_of_others_is_kept(launcher: Path) -> None:
    name = uuid.uuid4().hex
    earlier, foreign = Path(f"/dev/shm/nereus-{name}"), Path(f"/dev/shm/other-{name}")
    try:
        earlier.write_text("of an earlier run")
        assert run(launcher, f"echo 1 > {foreign}").returncode == 0
        assert earlier.exists() and foreign.exists()
    finally:
        earlier.unlink(missing_ok=True)
        foreign.unlink(missing_ok=True)


def test_temporary_files_are_removed_with_the_run(launcher: Path, tmp_path: Path) -> None:
    done = run(launcher, f"mktemp > {tmp_path}/name")
    assert done.returncode == 0
    assert not Path((tmp_path / "name").read_text().strip()).parent.exists()


def test_terminated_runner_ends_its_processes(launcher: Path, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    shell = f"echo $$ > {pid_file}.new; mv {pid_file}.new {pid_file}; sleep 1000"
    command = [sys.executable, str(RUNNER), *arguments(launcher, ["/bin/sh", "-c", shell])]
    with subprocess.Popen(command) as process:
        deadline = time.monotonic() + 60
        while not pid_file.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 128 + signal.SIGTERM
    assert not alive(int(pid_file.read_text()))


HANG_ONCE = "if mkdir {0}/once 2>/dev/null; then exec sleep 1000; fi"


def test_known_hang_of_open_mpi_is_repeated(launcher: Path, tmp_path: Path, fake_reader: Path) -> None:
    fake_reader.write_text(SPAWN_HANG)
    done = run(
        launcher, HANG_ONCE.format(tmp_path), "--kind", "openmpi", "--timeout", "15", "--repeat-on-hang", "1"
    )
    assert done.returncode == 0
    assert "Open MPI's own hang" in done.stdout


def test_run_that_comes_out_of_the_known_hang_is_not_repeated(
    launcher: Path, tmp_path: Path, fake_reader: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_reader.write_text(SPAWN_HANG)
    script(fake_reader.parent / "bin" / runner.STACK_READER, f"cat {fake_reader}; touch {tmp_path}/seen")
    monkeypatch.setattr(runner, "EARLY_PART", 0.005)
    shell = (
        f"echo run >> {tmp_path}/runs; while [ ! -e {tmp_path}/seen ]; do sleep 0.1; done; rm {fake_reader}"
    )
    options = ("--kind", "openmpi", "--timeout", "100", "--repeat-on-hang", "1")
    assert runner.run(runner.parse(arguments(launcher, ["/bin/sh", "-c", shell], *options))) == 0
    assert (tmp_path / "runs").read_text() == "run\n"


def test_run_that_spawns_in_stacks_of_the_known_hang_is_not_repeated(
    launcher: Path, tmp_path: Path, fake_reader: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the second look another process is there than at the first."""
    fake_reader.write_text(SPAWN_HANG)
    looks: list[tuple[str | None, list[int]]] = []
    usual = runner.present_hang

    def look(mark: str) -> tuple[str | None, list[int]]:
        looks.append(usual(mark))
        (tmp_path / f"look-{len(looks)}").touch()
        while len(looks) == 1 and not (tmp_path / "another").exists():
            time.sleep(0.05)
        return looks[-1]

    monkeypatch.setattr(runner, "present_hang", look)
    monkeypatch.setattr(runner, "EARLY_PART", 0.005)
    monkeypatch.setattr(runner, "EARLY_GAP", 0.005)
    awaits = "while [ ! -e {0}/look-{1} ]; do sleep 0.1; done"
    shell = "; ".join(
        (
            f"echo run >> {tmp_path}/runs; sleep 1000 & {awaits.format(tmp_path, 1)}; kill $!",
            f"sleep 1000 & touch {tmp_path}/another; {awaits.format(tmp_path, 2)}; kill $!",
        )
    )
    options = ("--kind", "openmpi", "--timeout", "100", "--repeat-on-hang", "1")
    assert runner.run(runner.parse(arguments(launcher, ["/bin/sh", "-c", shell], *options))) == 0
    assert (tmp_path / "runs").read_text() == "run\n"
    assert looks[0][0] is not None and looks[0] != looks[1]


@pytest.mark.parametrize(
    ("kind", "stack", "repeats"),
    [("openmpi", OUR_HANG, "2"), ("mpich", SPAWN_HANG, "2"), ("openmpi", SPAWN_HANG, "0")],
)
def test_own_hang_is_not_hidden_by_repetition(
    launcher: Path, tmp_path: Path, fake_reader: Path, kind: str, stack: str, repeats: str
) -> None:
    fake_reader.write_text(stack)
    done = run(
        launcher, HANG_ONCE.format(tmp_path), "--kind", kind, "--timeout", "3", "--repeat-on-hang", repeats
    )
    assert done.returncode == 1


def test_repeatable_job_does_not_time_out_before_its_stacks_are_read(launcher: Path) -> None:
    done = run(launcher, "echo $NEREUS_ANSWER_TIMEOUT", "--timeout", "40", "--repeat-on-hang", "1")
    assert float(done.stdout) > 40


@pytest.mark.parametrize(
    ("stack", "known"),
    [
        (SPAWN_HANG, True),
        (OUR_HANG, False),
        (SPAWN_HANG.replace("PMPI_Comm_spawn", "PMPI_Comm_connect"), False),
        ("TID 1:\n#0  0x1 PMIx_Connect\n#1  0x2 ompi_dpm_dyn_init\n#2  0x3 PMPI_Init\n", True),
        ("TID 1:\n#0  0x1 PMIx_Init\n#1  0x2 ompi_mpi_init\n#2  0x3 PMPI_Init\n", True),
        ("TID 2:\n#0  0x1 opal_progress\nTID 1:\n#0  0x2 PMPI_Comm_spawn\n", False),
        ("", False),
    ],
)
def test_only_stacks_of_the_known_open_mpi_hang_match(stack: str, known: bool) -> None:
    assert (runner.known_hang(["", stack]) is not None) == known
