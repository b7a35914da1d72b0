# SPDX-License-Identifier: BSD-3-Clause
"""What a run of a study is made from; tests/python/cli/test_study.py tries `nereus study` as a whole."""

from collections.abc import Callable
from pathlib import Path

import pytest

from nereus.analysis.study import Planned, Store, Study, StudyError, load_study
from nereus.analysis.study.store import read_records
from nereus.launch import Build, LaunchError
from nereus.probe import Joining
from nereus.runs import Where
from nereus.runs.emulated_job import Means
from nereus.runs.study import Runner, check_programs, command_of, experiment_from

STUDY = """\
name = "two"
pairs = [[1, 2]]
variants = ["Merge-P2PS"]

[[applications]]
name = "cg"
command = ["{program}", "--iterations", "{iterations}"]
iterations = 100
resize = ["--resize", "{iteration}:{to}"]

[[applications]]
name = "e"
experiment = "e.toml"
"""
EXPERIMENT = 'mpi = "other"\n[[phases]]\niterations = 2\n[[groups]]\nranks = 1\n'
EXPERIMENT += '[[phases.stages]]\ntype = "pi"\ntime = 0.01\n'
Made = Callable[[str], tuple[Study, Path]]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    emulator = tmp_path / "mpich" / "bin" / "nereus-emulator"
    emulator.parent.mkdir(parents=True)
    emulator.touch(0o755)
    return Build("mpich", tmp_path / "mpich", tmp_path / "mpiexec", "MPICH Version: 9.9")


@pytest.fixture
def study(tmp_path: Path) -> Made:
    def made(program: str) -> tuple[Study, Path]:
        (tmp_path / "e.toml").write_text(EXPERIMENT)
        file = tmp_path / "study.toml"
        file.write_text(STUDY.replace("{program}", program))
        return load_study(file), file

    return made


def ignore(texts: list[str]) -> None:
    pass


def test_experiment_for_another_mpi_is_told_to_the_caller(
    study: Made, build: Build, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[str] = []
    check_programs(*study("/bin/true"), build, told.extend)
    assert told == ["e.toml: mpi = other: this study runs it with mpich (--mpi)"]
    assert capsys.readouterr() == ("", "")


def test_missing_program_is_refused(study: Made, build: Build) -> None:
    read, file = study("./none")
    with pytest.raises(StudyError, match=r"study\.toml: command = \./none: there is no such program"):
        check_programs(read, file, build, ignore)


def test_missing_emulator_is_refused(study: Made, build: Build) -> None:
    (build.prefix / "bin" / "nereus-emulator").unlink()
    with pytest.raises(LaunchError, match="has no such program"):
        check_programs(*study("/bin/true"), build, ignore)


def test_words_in_braces_become_the_numbers_of_the_run(study: Made) -> None:
    application = study("cg")[0].application("cg")
    resized = command_of(application, Planned("cg", 1, 2, "Merge-P2PS", 1))
    assert resized == ["cg", "--iterations", "100", "--resize", "50:2"]
    assert command_of(application, Planned("cg", 1, 1, None, 1)) == ["cg", "--iterations", "100"]


def test_run_that_cannot_be_emulated_reports_why(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="no emulation can be made of it: nereus:"):
        experiment_from(tmp_path / "gone")


def test_stopped_study_notes_its_start_and_no_run(study: Made, build: Build, tmp_path: Path) -> None:
    read, file = study("./none")
    means = Means(build, Where(ignore), Joining(False))
    with Store(tmp_path / "out", file, read.name) as store:
        runner = Runner(read, file, means, store, lambda: True)
        assert list(runner.make([Planned("cg", 1, 1, None, 1)])) == []
    records = read_records(tmp_path / "out")
    assert (records.started["mpi"], dict(records.runs)) == ("mpich", {})


def test_run_that_cannot_be_made_is_reported_and_the_next_is_made(
    study: Made, build: Build, tmp_path: Path
) -> None:
    read, file = study("./none")
    means = Means(build, Where(ignore), Joining(False))
    planned = [Planned("cg", size, size, None, 1) for size in (1, 2)]
    with Store(tmp_path / "out", file, read.name) as store:
        made = list(Runner(read, file, means, store, lambda: False).make(planned))
    assert [run for run, _ in made] == planned
    assert all("there is no such program" in record.reason for _, record in made)
