# SPDX-License-Identifier: BSD-3-Clause
"""`nereus emulate`, around a job that is played by scripts."""

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

FIXED = '[[phases]]\niterations = 2\n[[phases.stages]]\ntype = "pi"\ntime = 0.01\n[[groups]]\nranks = 1\n'

MEASURED = (
    {"event": "header", "format": "nereus-measured", "version": 1, "program": "/opt/bin/cg"},
    {
        "event": "generation_ended",
        "generation": 0,
        "ranks": 1,
        "hosts": ["a"],
        "cores": 8,
        "iterations": 2,
        "iteration_seconds": [0.01],
        "iteration_total_seconds": [0.02],
        "constant_bytes": 0,
        "variable_bytes": 0,
        "memory": "private",
        "stages": [],
    },
    {"event": "finished"},
)


def measured(mpi: str) -> str:
    """What a job under this MPI wrote."""
    return "".join(json.dumps(event | {"mpi": mpi}) + "\n" for event in MEASURED)


def one_line(result: Any) -> str:
    """The complaint: one line on stderr, and nothing on stdout."""
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("nereus: ")
    return str(line)


def test_run_leaves_table_picture_and_files(shell: Any, small: Path) -> None:
    result = shell.nereus("emulate", small, "--output", "out")
    assert result.returncode == 0, result.stderr
    assert "1 → 2" in result.stdout
    names = {path.name for path in (shell.folder / "out").iterdir()}
    tables = {"generations.csv", "resizes.csv", "iterations.csv"}
    assert names == {"run.json", "run.jsonl", "picture.png"} | tables
    assert (shell.folder / "out" / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_json_is_the_only_output_on_stdout(shell: Any, small: Path) -> None:
    result = shell.nereus("emulate", small, "--json")
    document = json.loads(result.stdout)
    assert [generation["ranks"] for generation in document["generations"]] == [1, 2]
    assert [(resize["from"], resize["to"]) for resize in document["resizes"]] == [(1, 2)]
    assert result.returncode == 0


def test_quiet_prints_nothing_on_success(shell: Any, small: Path) -> None:
    assert shell.nereus("emulate", small, "--quiet", "--json").stderr == ""


def test_no_picture_option_draws_none(shell: Any, small: Path) -> None:
    assert shell.nereus("emulate", small, "--output", "out", "--no-picture").returncode == 0
    assert not (shell.folder / "out" / "picture.png").exists()


def test_runs_of_the_same_second_get_separate_folders(shell: Any, small: Path) -> None:
    for _ in range(3):
        assert shell.nereus("emulate", small, "--no-picture", "-q").returncode == 0
    folders = list((shell.folder / "results").iterdir())
    assert len(folders) == 3
    assert all(folder.name.startswith("small-") for folder in folders)


def test_existing_results_are_never_overwritten(shell: Any, small: Path) -> None:
    (shell.folder / "out").mkdir()
    shell.write("out/precious", "kept")
    result = shell.nereus("emulate", small, "--output", "out")
    assert result.returncode == 2
    assert "--output = out: is not empty" in one_line(result)
    assert [path.name for path in (shell.folder / "out").iterdir()] == ["precious"]


def only_other_emulates(shell: Any) -> None:
    """Two builds; with the usual one nothing can be emulated."""
    shell.install("other")
    (shell.builds / "mpich" / "bin" / "nereus-emulator").unlink()


def test_experiment_runs_with_the_mpi_it_names(shell: Any) -> None:
    only_other_emulates(shell)
    file = shell.write("e.toml", f'mpi = "other"\n{FIXED}')
    assert shell.nereus("emulate", file, "--no-picture").returncode == 0
    other = shell.nereus("emulate", file, "--mpi", "mpich")
    assert (other.returncode, "mpich has no such program" in one_line(other)) == (2, True)


def test_missing_mpi_is_reported_with_line(shell: Any) -> None:
    file = shell.write("e.toml", f'mpi = "gone"\n{FIXED}')
    refused = shell.nereus("emulate", file)
    assert refused.returncode == 2
    said = "e.toml:1: mpi = gone: no such MPI build; installed are mpich; --mpi takes one in its place"
    assert one_line(refused) == f"nereus: {said}"


def test_measured_run_is_emulated_with_the_mpi_of_its_job(shell: Any) -> None:
    only_other_emulates(shell)
    description = shell.builds / "other" / "mpi.json"
    description.write_text(description.read_text().replace("MPICH Version: 9.9", "Other\tMPI 3, as built"))
    file = shell.write("run.jsonl", measured("Other MPI 3"))
    done = shell.nereus("emulate", "--from", file, "--no-picture")
    assert done.returncode == 0, done.stderr


def test_output_that_is_a_file_is_refused(shell: Any, small: Path) -> None:
    shell.write("out", "kept")
    result = shell.nereus("emulate", small, "--output", "out")
    assert result.returncode == 2
    assert "out: is a file" in one_line(result)


def test_output_below_a_file_is_refused(shell: Any, small: Path) -> None:
    shell.write("out", "kept")
    result = shell.nereus("emulate", small, "--output", "out/below")
    assert result.returncode == 2
    assert "cannot be made" in one_line(result)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, "bad.toml: there is no such file"),
        ("[[phases]\n", "bad.toml:1: "),
        (FIXED + "rnaks = 2\n", "bad.toml:8: "),
        (FIXED.replace("ranks = 1", "ranks = 0"), "groups[0].ranks = 0"),
        (FIXED.replace('"pi"', '"tau"'), "tau"),
        (FIXED.replace("0.01", "-1"), "-1"),
    ],
)
def test_bad_input_gives_one_line_and_starts_nothing(shell: Any, content: str | None, expected: str) -> None:
    if content is not None:
        shell.write("bad.toml", content)
    before = shell.files()
    result = shell.nereus("emulate", "bad.toml")
    assert result.returncode == 2
    assert expected in one_line(result)
    assert shell.files() == before
    assert not (shell.folder.parent / "cache").exists(), "the MPI was probed"


def test_more_ranks_than_the_launcher_can_start_are_refused(shell: Any) -> None:
    file = shell.write("big.toml", FIXED.replace("ranks = 1", "ranks = 1000000"))
    result = shell.nereus("emulate", file)
    assert result.returncode == 2
    assert "big.toml:7: groups[0].ranks = 1000000: " in one_line(result)
    assert shell.files() == ["big.toml"]


def test_limit_of_ranks_can_be_set(shell: Any, small: Path) -> None:
    refused = shell.nereus("emulate", small, "--max-ranks", "1")
    assert refused.returncode == 2
    assert "at most 1 (--max-ranks)" in one_line(refused)
    file = shell.write("big.toml", FIXED.replace("ranks = 1", "ranks = 100000"))
    assert shell.nereus("emulate", file, "--max-ranks", "100000", "--no-picture").returncode == 0


def test_job_may_have_as_many_ranks_as_its_largest_group(shell: Any, small: Path) -> None:
    result = shell.nereus("emulate", small, "--no-picture", FAKE_EMULATOR="tell-limit")
    assert "nereus-emulator: at most 2\n" in result.stderr


def test_mpi_without_spawn_is_refused_with_remedy(shell: Any, small: Path) -> None:
    shell.install("old", can_spawn=False)
    result = shell.nereus("emulate", small, "--mpi", "old")
    assert result.returncode == 2
    line = one_line(result)
    assert "--mpi = old" in line
    assert "Error in spawn call" in line
    assert "use --mpi mpich" in line
    assert shell.files() == ["small.toml"]


def test_without_another_mpi_the_remedy_is_installation(shell: Any, small: Path) -> None:
    shell.environment["NEREUS_BUILDS"] = str(shell.install("alone/old", can_spawn=False).parent)
    assert "make build" in one_line(shell.nereus("emulate", small))


def test_fixed_size_runs_on_mpi_without_spawn(shell: Any) -> None:
    shell.install("old", can_spawn=False)
    result = shell.nereus("emulate", shell.write("fixed.toml", FIXED), "--mpi", "old", "--no-picture")
    assert result.returncode == 0, result.stderr


def test_experiment_and_results_exclude_each_other(shell: Any, small: Path) -> None:
    for words in ([], [str(small), "--from", "run.jsonl"]):
        refused = shell.nereus("emulate", *words)
        assert refused.returncode == 2
        assert "either FILE, an experiment, or --from RESULTS" in one_line(refused)


def test_print_writes_toml_and_runs_nothing(shell: Any, small: Path) -> None:
    printed = shell.nereus("emulate", small, "--print")
    assert printed.returncode == 0
    assert "[[phases.stages]]" in printed.stdout
    assert not (shell.folder / "results").exists()


def test_unknown_mpi_is_refused(shell: Any, small: Path) -> None:
    result = shell.nereus("emulate", small, "--mpi", "intel")
    assert result.returncode == 2
    assert "installed are mpich" in one_line(result)


def test_missing_emulator_is_refused_before_a_folder_is_made(shell: Any, small: Path) -> None:
    (shell.builds / "mpich" / "bin" / "nereus-emulator").unlink()
    result = shell.nereus("emulate", small)
    assert result.returncode == 2
    assert "nereus-emulator" in one_line(result)
    assert shell.files() == ["small.toml"]


def test_job_that_dies_keeps_its_results(shell: Any, small: Path) -> None:
    result = shell.nereus("emulate", small, "--output", "out", FAKE_EMULATOR="die")
    assert result.returncode == 1
    assert "signal 9 (SIGKILL)" in result.stderr
    assert "nereus report out" in result.stderr
    again = shell.nereus("report", "out", "--json")
    assert json.loads(again.stdout)["generations"][0]["iterations"] == 2


def test_complaints_of_the_emulator_are_shown(shell: Any, small: Path) -> None:
    result = shell.nereus("emulate", small, FAKE_EMULATOR="complain")
    assert result.returncode == 1
    assert "nereus-emulator: run.json: seed: found -1" in result.stderr
    assert "exit code 2" in result.stderr


def test_results_without_end_are_a_failure(shell: Any, small: Path) -> None:
    result = shell.nereus("emulate", small, FAKE_EMULATOR="endless")
    assert result.returncode == 1
    assert "did not finish" in result.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_run_ends_with_its_job_and_keeps_results(
    shell: Any, small: Path, number: signal.Signals, code: int
) -> None:
    with shell.start("emulate", small, "--output", "out", FAKE_EMULATOR="hang") as process:
        file = shell.folder / "out" / "run.jsonl"
        deadline = time.monotonic() + 60
        while not (file.exists() and file.read_text().count("\n") >= 4) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert f"stopped by {number.name}" in errors
    assert "Traceback" not in errors
    assert shell.nereus("report", "out").returncode == 0
    assert not (shell.folder / "out" / "scratch").exists()


def test_print_config_shows_origins_and_runs_nothing(shell: Any, small: Path) -> None:
    result = shell.nereus("emulate", small, "--print-config", NEREUS_SEED="7")
    assert result.returncode == 0
    lines = {line.split()[0]: line.split()[1:] for line in result.stdout.splitlines()}
    assert lines["seed"] == ["7", "environment", "NEREUS_SEED"]
    assert lines["groups[1].ranks"] == ["2", "small.toml:14"]
    assert lines["weights"][0] == "[1.0]"
    assert lines["barrier"][-1] == "default"
    assert shell.files() == ["small.toml"]


def test_print_config_has_json_output(shell: Any, small: Path) -> None:
    rows = json.loads(shell.nereus("emulate", small, "--print-config", "--json").stdout)
    assert {"key": "name", "value": "small", "origin": "small.toml:1"} in rows


def test_wrong_workload_leaves_no_folder(shell: Any) -> None:
    result = shell.nereus(
        "emulate", "--jobs", shell.write("two.toml", 'policies = ["none"]\n[cluster]\ncores = 0\n')
    )
    assert result.returncode == 2
    assert one_line(result).startswith("nereus: two.toml:3: cluster.cores = 0:")
    assert shell.files() == ["two.toml"]


def test_options_of_one_experiment_are_refused_for_a_workload(shell: Any, small: Path) -> None:
    result = shell.nereus("emulate", small, "--jobs", "two.toml", "--print")
    assert result.returncode == 2
    assert one_line(result) == "nereus: --jobs: allowed without FILE, --print"
