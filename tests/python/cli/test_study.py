# SPDX-License-Identifier: BSD-3-Clause
"""`nereus study` and `nereus report STUDY`, around jobs that are played by scripts."""

import json
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nereus.cli.main import run
from nereus.config import Experiment, load
from nereus.runs import study as study_runs

# Writes what a program with Nereus does; FAKE_CG says how it goes wrong, and in which runs.
PROGRAM = """#!/usr/bin/env python3
import json, os, signal, sys, time
mode, _, only = os.environ.get("FAKE_CG", "good").partition(" ")
results = os.environ["NEREUS_RESULTS"]
def write(event, **keys):
    print(json.dumps({"event": event, "time": 1.0, "generation": 0, **keys}), file=out, flush=True)
out = open(results, "w")
write("header", format="nereus-measured", version=1, arguments=sys.argv[1:])
if only in results:
    if mode == "die":
        print("nereus-fake: there is no memory", file=sys.stderr)
        os.kill(os.getpid(), signal.SIGKILL)
    if mode == "hang":
        time.sleep(600)
before = 1
if "--resize" in sys.argv:
    at, to = map(int, sys.argv[sys.argv.index("--resize") + 1].split(":"))
    method = os.environ["NEREUS_TRANSFER_METHOD"]
    write("generation_ended", ranks=1, iterations=50, seconds=0.5, stages=[])
    write("committed", request=1, process_seconds=0.1, constant_seconds=0.1, background_iterations=0,
          **{"from": before}, to=to, process_strategies=[], pause_seconds=0.1,
          process_method=os.environ["NEREUS_PROCESS_METHOD"], variable_seconds=0.1,
          transfer_method=method, transfer_strategy=os.environ["NEREUS_TRANSFER_STRATEGY"],
          bytes_moved=8, bytes_minimum=8, verified=None)
write("generation_ended", ranks=2, iterations=50, seconds=0.5, stages=[])
write("finished")
"""

STUDY = """\
name = "fake"
repetitions = 2
model_runs = 1
pairs = [[1, 2]]
variants = ["Baseline-COLS", "Merge-COLT"]

[[applications]]
name = "cg"
command = ["nereus-fake", "--iterations", "{iterations}"]
iterations = 100
resize = ["--resize", "{iteration}:{to}"]
"""

EMULATED = '\n[[applications]]\nname = "cg-emulated"\nemulates = "cg"\n'
ALONE = STUDY.partition("[[applications]]")[0] + '[[applications]]\nname = "e"\nexperiment = "small.toml"\n'
RUNS = 2 * (2 + 2)


@pytest.fixture
def file(shell: Any) -> Path:
    """A study of a program."""
    program = shell.builds / "mpich" / "bin" / "nereus-fake"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    return Path(shell.write("study.toml", STUDY))


@pytest.fixture
def once(shell: Any, file: Path) -> Path:
    """The same with one run of each kind."""
    return Path(shell.write(file.name, STUDY.replace("repetitions = 2", "repetitions = 1")))


def records(shell: Any, folder: str = "out") -> dict[str, dict[str, Any]]:
    """The last record of each run."""
    lines = (shell.folder / folder / "runs.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in lines]
    return {event["run"]: event for event in events if event["event"] == "run"}


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 40
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_all_runs_are_made_and_reported(shell: Any, file: Path) -> None:
    result = shell.nereus("study", file, "--folder", "out", "--json")
    assert result.returncode == 0, result.stderr
    made = json.loads(result.stdout)
    assert (made["planned"], made["good"], made["failed"], made["missing"]) == (RUNS, RUNS, [], 0)
    assert set(records(shell)) == set(json.loads(shell.nereus("study", file, "--plan", "--json").stdout))
    shown = shell.nereus("report", "out", "--json", "--csv", "--html", "page.html", "--plot", "plots")
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["runs"]["good"] == RUNS
    assert (shell.folder / "page.html").read_text().count("data:image/png") >= 2
    assert (shell.folder / "out" / "runs.csv").read_text().count("\n") == RUNS + 1
    assert list((shell.folder / "plots").glob("*.png"))
    assert "Merge-COLT" in shell.nereus("report", "out").stdout


def test_program_gets_its_resize_as_option(shell: Any, once: Path) -> None:
    assert shell.nereus("study", once, "--folder", "out").returncode == 0
    results = shell.folder / "out" / "runs" / "cg_1-2_Merge-COLT_1" / "1" / "run.jsonl"
    header = json.loads(results.read_text().splitlines()[0])
    assert header["arguments"] == ["--iterations", "100", "--resize", "50:2"]


def test_complete_study_repeats_no_run(shell: Any, once: Path) -> None:
    assert shell.nereus("study", once, "--folder", "out").returncode == 0
    assert shell.nereus("study", once, "--folder", "out", FAKE_CG="die").returncode == 0
    assert {record["attempt"] for record in records(shell).values()} == {1}


def test_number_of_runs_is_told_first_and_their_time_where_it_is_known(shell: Any, once: Path) -> None:
    begun = shell.nereus("study", once, "--folder", "out", FAKE_CG="die Merge").stderr.splitlines()
    assert begun[0] == "fake: 4 of 4 runs are to be made"
    again = shell.nereus("study", once, "--folder", "out").stderr.splitlines()
    assert re.fullmatch(r"fake: 1 of 4 runs are to be made, which take about \d+:\d\d", again[0])
    assert shell.nereus("study", once, "--folder", "out", "--quiet").stderr == ""


def test_failed_runs_are_recorded_with_reason_and_repeated(shell: Any, file: Path) -> None:
    result = shell.nereus("study", file, "--folder", "out", FAKE_CG="die Merge")
    assert result.returncode == 1
    failed = {name: record for name, record in records(shell).items() if record["outcome"] == "failed"}
    assert set(failed) == {"cg_1-2_Merge-COLT_1", "cg_1-2_Merge-COLT_2"}
    assert all("SIGKILL" in record["reason"] for record in failed.values())
    assert "there is no memory" in failed["cg_1-2_Merge-COLT_1"]["reason"]
    assert shell.nereus("study", file, "--folder", "out").returncode == 0
    assert records(shell)["cg_1-2_Merge-COLT_1"]["attempt"] == 2
    assert records(shell)["cg_1_fixed_1"]["attempt"] == 1


def test_run_that_does_not_end_has_failed(shell: Any, file: Path) -> None:
    shell.write("study.toml", STUDY.replace("repetitions = 2", "repetitions = 1\ntimeout = 1.5"))
    result = shell.nereus("study", file, "--folder", "out", FAKE_CG="hang cg_2")
    assert result.returncode == 1
    assert records(shell)["cg_2_fixed_1"]["reason"] == "did not end within 1.5 s"
    assert len(records(shell)) == 4  # the others were run, though on a busy machine in more than 1.5 s


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_study_resumes(shell: Any, file: Path, number: int, code: int) -> None:
    with shell.start("study", file, "--folder", "out", FAKE_CG="hang cg_1-2_Merge-COLT_2") as study:
        hanging = shell.folder / "out" / "runs" / "cg_1-2_Merge-COLT_2" / "1" / "run.jsonl"
        wait_for(hanging.exists)
        study.send_signal(number)
        said = study.communicate(timeout=40)[1]
    assert study.returncode == code
    assert "run the same command to continue" in said
    known = set(records(shell))
    assert "cg_1-2_Merge-COLT_2" not in known and known
    assert shell.nereus("report", "out").returncode == 0
    assert shell.nereus("study", file, "--folder", "out").returncode == 0
    attempts = {name: record["attempt"] for name, record in records(shell).items()}
    assert len(attempts) == RUNS
    assert {name for name, attempt in attempts.items() if attempt == 2} == {"cg_1-2_Merge-COLT_2"}


def test_killed_study_loses_only_the_current_run(shell: Any, file: Path) -> None:
    with shell.start("study", file, "--folder", "out", FAKE_CG="hang cg_1-2_Merge-COLT_2") as study:
        hanging = shell.folder / "out" / "runs" / "cg_1-2_Merge-COLT_2" / "1" / "run.jsonl"
        wait_for(hanging.exists)
        known = set(records(shell))
        study.kill()
        study.communicate(timeout=40)
    assert shell.nereus("study", file, "--folder", "out").returncode == 0
    found = records(shell)
    assert len(found) == RUNS
    assert {found[name]["attempt"] for name in known} == {1}
    for left in [
        *shell.folder.parent.glob("nereus-*"),
        *Path(shell.environment["XDG_RUNTIME_DIR"]).iterdir(),
    ]:
        # What one killed by SIGKILL leaves is its temporary folder and its control socket.
        remove(left)


def remove(path: Path) -> None:
    if path.is_dir():
        for below in path.iterdir():
            remove(below)
        path.rmdir()
    else:
        path.unlink()


@pytest.mark.usefixtures("small")
def test_experiment_is_run_at_all_sizes(shell: Any) -> None:
    shell.write("study.toml", ALONE.replace('["Baseline-COLS", "Merge-COLT"]', '["Merge-P2PS"]'))
    result = shell.nereus("study", "study.toml", "--folder", "out")
    assert result.returncode == 0, result.stderr
    written = json.loads((shell.folder / "out/runs/e_1-2_Merge-P2PS_1/1/run.json").read_text())
    assert [group["ranks"] for group in written["groups"]] == [1, 2]
    assert written["groups"][1]["transfer_method"] == "p2p"


@pytest.mark.usefixtures("small")
def test_experiment_for_another_mpi_is_reported(shell: Any) -> None:
    file = shell.folder / "small.toml"
    file.write_text('mpi = "other"\n' + file.read_text())
    shell.write("study.toml", ALONE.replace('["Baseline-COLS", "Merge-COLT"]', '["Merge-P2PS"]'))
    result = shell.nereus("study", "study.toml", "--folder", "out")
    assert result.returncode == 0
    assert "small.toml: mpi = other: this study runs it with mpich (--mpi)" in result.stderr


def sources_of(shell: Any, monkeypatch: pytest.MonkeyPatch, text: str, ranks: str) -> list[str]:
    """The runs of which emulations are made in a study, which is run."""
    shell.write("study.toml", text.replace('["Baseline-COLS", "Merge-COLT"]', '["Merge-P2PS"]') + EMULATED)
    sources: list[str] = []

    def made(results: Path) -> Experiment:
        sources.append(results.parent.name)
        groups = "".join(f"[[groups]]\nranks = {n}\niterations = 2\n" for n in ranks)
        shell.write(
            "made.toml",
            'name = "made"\n[[phases]]\niterations = 4\n[[phases.stages]]\ntype = "pi"\ntime = 0.01\n'
            + groups,
        )
        return load(shell.folder / "made.toml").experiment

    monkeypatch.setattr(study_runs, "experiment_from", made)
    for name, value in shell.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(shell.folder)
    run(["study", "study.toml", "--folder", "out"])
    return sorted(sources)


def test_emulation_is_made_from_model_runs(shell: Any, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = sources_of(shell, monkeypatch, STUDY, "1")
    assert [name[:-1] for name in sources] == ["cg_1_model-1_", "cg_2_model-1_"]
    kept = sorted(path.name for path in Path("out/emulations").iterdir())
    assert kept == ["cg-emulated_1.toml", "cg-emulated_2.toml"]
    assert sum("emulated" in name for name in records(shell)) == 6


def test_emulation_is_made_from_the_run_it_is_compared_with(
    shell: Any, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = sources_of(shell, monkeypatch, STUDY.replace("model_runs = 1\n", ""), "1")
    runs = [f"cg_{kind}_{n}" for kind in ("1-2_Merge-P2PS", "1_fixed", "2_fixed") for n in (1, 2)]
    assert sources == runs
    assert sum("emulated" in name for name in records(shell)) == 6


def test_emulation_of_a_failed_run_reports_it(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    text = STUDY.replace("model_runs = 1\n", "").replace("nereus-fake", "false")
    assert sources_of(shell, monkeypatch, text, "1") == []
    reasons = {record["reason"] for record in records(shell).values()}
    assert "there is no good run cg_1_fixed_1 to be emulated" in reasons


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("nereus-fake", "nereus-none", "command = nereus-none: there is no such program"),
        ("nereus-fake", "./nereus-none", "command = ./nereus-none: there is no such program"),
        ("[[1, 2]]", "[[1, 2000000]]", "size = 2000000: the launcher is asked for at most"),
        ("repetitions = 2", "repetitions = 0", "study.toml:2: repetitions = 0"),
    ],
)
def test_impossible_study_is_refused_before_anything_is_made(
    shell: Any, file: Path, old: str, new: str, said: str
) -> None:
    shell.write("study.toml", STUDY.replace(old, new, 1))
    result = shell.nereus("study", file, "--folder", "out")
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("nereus: ") and said in line
    assert not (shell.folder / "out").exists()


def test_broken_experiment_is_refused_before_anything_is_made(shell: Any) -> None:
    shell.write("small.toml", "name = 3\n")
    shell.write("study.toml", ALONE)
    result = shell.nereus("study", "study.toml", "--folder", "out")
    assert result.returncode == 2
    assert "small.toml:1: name = 3" in result.stderr
    assert not (shell.folder / "out").exists()


def test_mpi_that_cannot_resize_is_refused(shell: Any, file: Path) -> None:
    shell.install("stuck", can_spawn=False)
    (shell.builds / "stuck" / "bin" / "nereus-fake").symlink_to(
        shell.builds / "mpich" / "bin" / "nereus-fake"
    )
    result = shell.nereus("study", file, "--folder", "out", "--mpi", "stuck")
    assert result.returncode == 2
    assert "cannot resize a job" in result.stderr
    assert not (shell.folder / "out").exists()


def test_outputs_that_a_study_does_not_have_are_refused(shell: Any, once: Path) -> None:
    assert shell.nereus("study", once, "--folder", "out").returncode == 0
    for option in (("--proteo",), ("--picture", "p.png")):
        result = shell.nereus("report", "out", *option)
        assert result.returncode == 2
        assert f"{option[0]}: PATH holds a study" in result.stderr
    result = shell.nereus("report", ".", "--html", "p.html")
    assert result.returncode == 2
    assert "--html: PATH holds a run" in result.stderr
