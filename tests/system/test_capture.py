# SPDX-License-Identifier: BSD-3-Clause
"""`nereus capture` with real programs: programs/repeats.c, and Conjugate Gradient."""

import subprocess
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest
from a_monitored_run import launched

from conftest import Result
from nereus.config import load
from nereus.launch import Build, choose

Capture = Callable[..., Result]


@pytest.fixture
def build(mpi: str) -> Build:
    return choose(mpi)


@pytest.fixture
def capture(site: Any, build: Build) -> Capture:
    """Of repeats, on two ranks."""

    def run(*words: str, options: tuple[str, ...] = ()) -> Result:
        command = launched(build, 2, site.program(build.name, "repeats"), *words)
        done: Result = site.nereus(
            "capture", "--mpi", build.name, "-o", "it.toml", "--json", *options, "--", *command
        )
        return done

    return run


def stages_of(site: Any, phase: int) -> tuple[int, list[str]]:
    found = load(site.folder / "it.toml").experiment.phases[phase]
    return found.iterations, [stage.type for stage in found.stages]


def test_captured_program_is_emulated_with_as_many_iterations(
    site: Any, build: Build, capture: Capture
) -> None:
    captured = capture("loop")
    assert captured.code == 0, captured.err
    assert captured.document["sure"]["ranks_agreeing"] == 2
    assert captured.document["sure"]["calls_covered"] > 0.95
    assert "done" in captured.err, "what the program says is not lost"
    iterations, stages = stages_of(site, 0)
    assert iterations == 200
    # Beside other load ranks may lose their cores within an exchange, which then goes on behind its stage.
    assert [s for s in stages if s not in ("pi", "wait")] in (
        ["p2p", "bcast", "allreduce"],
        ["ip2p", "bcast", "allreduce"],
    )
    emulated = site.emulate(build.name, Path("it.toml"))
    assert emulated.code == 0, emulated.err
    assert site.events()[-1]["iterations"] >= 200


@pytest.mark.parametrize("command", ["capture", "monitor"])
def test_programs_and_launchers_need_not_be_in_the_path(site: Any, build: Build, command: str) -> None:
    ranks = (
        "mpiexec",
        *(["--allow-run-as-root", "--oversubscribe"] if build.kind == "openmpi" else []),
        "-n",
        "2",
    )
    file = "it.toml" if command == "capture" else "it.jsonl"
    program = ("nereus-cg", "--poisson", "20", "--iterations", "50", "--tolerance", "0")
    options = ("--mpi", build.name, "-o", file)
    # Open MPI looks for ssh there when it starts, though no other host is named.
    done = site.nereus(command, *options, "--", *ranks, *program, PATH="/nowhere", OMPI_MCA_plm="isolated")
    assert done.code == 0, done.err
    assert '"program": "nereus-cg"' in done.out or '"program":"nereus-cg"' in done.out
    assert (site.folder / file).stat().st_size > 0


def test_stages_of_conjugate_gradient_are_those_of_the_papers(site: Any, build: Build) -> None:
    command = launched(
        build, 2, build.program("nereus-cg"), "--poisson", "20", "--iterations", "100", "--tolerance", "0"
    )
    done = site.nereus("capture", "--mpi", build.name, "-o", "it.toml", "--quiet", "--", *command)
    assert (done.code, "written" in done.err) == (0, False), done.err
    experiment = load(site.folder / "it.toml").experiment
    longest = max(experiment.phases, key=lambda phase: phase.iterations)
    communication = [(stage.type, stage.bytes) for stage in longest.stages if stage.type != "pi"]
    assert sorted(communication) == [("allgather", 64000), ("allreduce", 8), ("allreduce", 8)]
    assert (experiment.name, experiment.mpi) == ("nereus-cg", build.name)


def test_calls_with_ignored_types_do_not_stop_the_program(site: Any, build: Build) -> None:
    command = launched(build, 2, site.program(build.name, "sides"))
    done = site.nereus("capture", "--mpi", build.name, "-o", "it.toml", "--", *command)
    assert done.code == 0, done.err
    assert "done" in done.out


def test_file_writes_are_in_the_experiment(site: Any, capture: Capture) -> None:
    captured = capture("files", "data.bin", options=("--picture", "it.png"))
    assert captured.code == 0, captured.err
    phases = load(site.folder / "it.toml").experiment.phases
    written = sum(p.iterations * s.bytes for p in phases for s in p.stages if s.type == "write")
    assert written == 4 * 500
    assert (site.folder / "it.png").stat().st_size > 1000


def test_program_without_pattern_is_refused_with_the_best_one_found(site: Any, capture: Capture) -> None:
    done = capture("random")
    assert done.code == 2
    assert "the calls of the program do not repeat" in done.err
    assert "--force" in done.err
    assert not (site.folder / "it.toml").exists()
    assert capture("random", options=("--force",)).code == 0
    assert load(site.folder / "it.toml").experiment.groups[0].ranks == 2


def test_failing_program_is_not_captured(site: Any, capture: Capture) -> None:
    done = capture("fails")
    assert done.code == 3, done.err
    assert "exit code 3: nothing is written" in done.err
    assert not (site.folder / "it.toml").exists()


def test_command_without_mpi_is_reported(site: Any) -> None:
    done = site.nereus("capture", "--mpi", "mpich", "-o", "it.toml", "--", "true")
    assert done.code == 2
    assert "no process of the command reached MPI_Init" in done.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-o", "it.json"), "must end in .toml"),
        (("-o", "nowhere/it.toml"), "no such folder"),
        (("-o", "folder.toml", "--force"), "is a folder"),
        (("--constant-bytes", "many"), "--constant-bytes = many"),
        (("--picture", "it.gif"), ".png, .pdf or .svg"),
        (("--traces", "."), "new or empty"),
        (("--traces", "something/x"), "cannot be made"),
        (("--traces", "/proc/x"), "cannot be made"),
    ],
)
def test_impossible_request_is_refused_before_the_program_runs(
    site: Any, options: tuple[str, ...], said: str
) -> None:
    (site.folder / "something").touch()
    (site.folder / "folder.toml").mkdir()
    done = site.nereus("capture", "--mpi", "mpich", *options, "--", "touch", "it-ran")
    assert (done.code, (site.folder / "it-ran").exists()) == (2, False)
    assert said in done.err


def test_existing_experiment_is_not_overwritten(site: Any) -> None:
    site.write("it.toml", "mine")
    assert site.nereus("capture", "-o", "it.toml", "--", "mpiexec", "true").code == 2
    assert (site.folder / "it.toml").read_text() == "mine"


@pytest.mark.parametrize(
    ("program", "said"), [("./nothing", "No such file"), ("./something", "Permission denied")]
)
def test_command_that_cannot_be_started_is_reported_in_one_line(site: Any, program: str, said: str) -> None:
    (site.folder / "something").touch(mode=0o644)
    done = site.nereus("capture", "--mpi", "mpich", "-o", "it.toml", "--", program)
    assert done.code == 2
    assert done.err.startswith(f"nereus: {program}: cannot be started: {said}")


def test_command_words_are_escaped_in_the_comment_of_the_experiment(site: Any, build: Build) -> None:
    words = ("two\nlines = [", "no UTF-8 \udcff", "\x1b[0m")
    command = launched(build, 2, site.program(build.name, "repeats"), "loop", *words)
    done = site.nereus("capture", "--mpi", build.name, "-o", "it.toml", "--json", "--", *command)
    assert done.code == 0, done.err
    assert load(site.folder / "it.toml").experiment.groups[0].ranks == 2
    first = (site.folder / "it.toml").read_text().splitlines()[0]
    assert "'two\\nlines = [' 'no UTF-8 \\udcff' '\\u001b[0m'" in first
    assert tuple(done.document["command"][-3:]) == words


def errors_of_terminated(process: subprocess.Popen[str]) -> str:
    """What it writes to stderr. A signal right before it reads the pipe is only seen at the next one."""
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        return process.communicate(timeout=5)[1]
    process.terminate()
    return process.communicate(timeout=30)[1]


@pytest.mark.parametrize("does", ["exec sleep 60", "true"])
def test_interrupted_capture_is_reported_and_leaves_nothing(site: Any, does: str) -> None:
    """While the command runs, and while its traces are read: these are a pipe into which nobody writes."""
    script = f'mkfifo "$NEREUS_MONITOR_CALLS/a-0.json" && echo "$NEREUS_MONITOR_CALLS" && {does}'
    with site.started("capture", "--mpi", "mpich", "-o", "it.toml", "--", "sh", "-c", script) as process:
        folder = Path(process.stdout.readline().strip())
        with (folder / "a-0.json").open("wb") if does == "true" else nullcontext():  # opens once it is read
            err = errors_of_terminated(process)
    assert (process.returncode, err) == (143, "nereus: stopped by SIGTERM: nothing is written\n")
    assert folder.name.startswith("nereus-capture-")
    assert not folder.exists()
