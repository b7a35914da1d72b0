# SPDX-License-Identifier: BSD-3-Clause
"""With which MPI an experiment runs, and what helps where that cannot resize it."""

import json
from collections.abc import Callable, Collection
from pathlib import Path

import pytest

from nereus.config import Loaded, load
from nereus.launch import PROCESS_METHOD, Build, Host, Reach
from nereus.probe import Capabilities, Feature, Joining
from nereus.probe.capabilities import FEATURES
from nereus.runs import ProcessMeans, RunError, Where, experiment
from nereus.runs.process_method import usual_method

TEXT = '[[phases]]\niterations = 2\n[[groups]]\nranks = 1\n[[phases.stages]]\ntype = "pi"\ntime = 0.01\n'


@pytest.fixture
def builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two, of which `mpich` is the usual one."""
    folder = tmp_path / "builds"
    for name in ("mpich", "other"):
        (folder / name).mkdir(parents=True)
        described = {"mpiexec": "/bin/true", "library_version": f"{name} 9", "name": name}
        (folder / name / "mpi.json").write_text(json.dumps(described))
    monkeypatch.setenv("NEREUS_BUILDS", str(folder))
    return folder


def loaded(folder: Path, mpi: str | None) -> Loaded:
    file = folder / "e.toml"
    file.write_text((f'mpi = "{mpi}"\n' if mpi else "") + TEXT)
    return load(file)


@pytest.mark.parametrize(
    ("wanted", "option", "chosen"),
    [
        (None, None, "mpich"),
        ("other", None, "other"),
        ("other", "mpich", "mpich"),
        ("gone", "other", "other"),
    ],
)
@pytest.mark.usefixtures("builds")
def test_option_takes_precedence_over_the_experiment(
    tmp_path: Path, wanted: str | None, option: str | None, chosen: str
) -> None:
    assert experiment.build_for(loaded(tmp_path, wanted), tmp_path / "e.toml", option).name == chosen


@pytest.mark.usefixtures("builds")
def test_experiment_for_a_missing_mpi_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        RunError, match=r"e\.toml:1: mpi = gone: no such MPI build; installed are mpich, other"
    ):
        experiment.build_for(loaded(tmp_path, "gone"), tmp_path / "e.toml", None)


def can_spawn(works: bool) -> Capabilities:
    return Capabilities("M", "multiple", dict.fromkeys(FEATURES, Feature(works, "" if works else "no")))


BUILD = Build("old", Path("/nowhere"), Path("/nowhere/mpiexec"), "MPICH Version: 1")
WHERE = Where(lambda texts: None)


@pytest.mark.parametrize("methods", [(), {"restart"}])
def test_fixed_size_and_restarts_ask_nothing_of_the_mpi(methods: Collection[str]) -> None:
    assert not experiment.means_for(methods, BUILD, WHERE, lambda: False).join.works


def test_mpi_that_cannot_resize_is_refused_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiment, "probe", lambda build, stopped: can_spawn(False))
    monkeypatch.setattr(experiment, "remedy", lambda build: "use --mpi other")
    with pytest.raises(RunError, match=r"--mpi = old: .* \(spawn: no\); use --mpi other"):
        experiment.means_for({"merge", "restart"}, BUILD, WHERE, lambda: False)


def test_means_say_whether_newcomers_can_join(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiment, "probe", lambda build, stopped: can_spawn(True))
    monkeypatch.setattr(experiment, "joining", lambda build, reach, stopped: Joining(True))
    assert experiment.means_for({"merge", "restart"}, BUILD, WHERE, lambda: False).join.works


@pytest.mark.parametrize(
    ("joins", "spawns", "said", "method"),
    [
        (True, False, "", "merge"),
        (False, True, "", "merge"),
        (False, False, "", "restart"),
        (False, False, "baseline-inter", "baseline-inter"),
    ],
)
def test_jobs_are_restarted_where_nothing_else_works(
    monkeypatch: pytest.MonkeyPatch, joins: bool, spawns: bool, said: str, method: str
) -> None:
    monkeypatch.setenv(PROCESS_METHOD, said)
    monkeypatch.setattr("nereus.runs.process_method.probe", lambda build, stopped: can_spawn(spawns))
    assert usual_method(BUILD, Joining(joins), lambda: False) == method


def test_means_of_a_job_are_found_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Reach] = []

    def joining(build: Build, reach: Reach, stopped: Callable[[], bool]) -> Joining:
        tried.append(reach)
        return Joining(True)

    monkeypatch.setattr("nereus.runs.process_method.joining", joining)
    means = ProcessMeans(BUILD, lambda: False)
    many, fewer = Reach((Host("n1"), Host("n2"))), Reach((Host("n1"),))
    assert means.found(many) == means.found(fewer) == (Joining(True), "merge")
    assert tried == [many]
