# SPDX-License-Identifier: BSD-3-Clause
"""Which runs a study has and in which order, and the folder in which it goes on."""

import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from nereus.analysis.study import (
    Planned,
    Record,
    Store,
    Study,
    StudyError,
    model_runs,
    original,
    planned_runs,
)
from nereus.analysis.study.plan import median_run


def matrix(study: Study) -> list[Planned]:
    """All runs that figures are made of."""
    return [run for run in planned_runs(study) if not run.model]


def test_every_run_of_the_matrix_is_planned_once(begin: Callable[..., Any]) -> None:
    folder = begin()
    names = Counter(run.name for run in folder.runs)
    assert set(names.values()) == {1}
    assert names["cg_2-4_Merge-COLT_3"] == names["uneven-emulated_4_fixed_5"] == names["cg_1_model-1_5"] == 1
    assert len(names) == 410


def test_order_depends_on_file_and_seed_only(begin: Callable[..., Any]) -> None:
    study = begin().study
    other = study.model_copy(update={"seed": 1})
    assert matrix(study) == matrix(study)
    assert matrix(study) != matrix(other)
    assert sorted(matrix(study), key=str) == sorted(matrix(other), key=str)


def test_stopped_study_has_whole_repetitions(begin: Callable[..., Any]) -> None:
    study = begin().study
    made = {a.name for a in study.applications if a.emulates is not None and a.made}
    for is_made in (False, True):
        runs = [run for run in matrix(study) if (run.application in made) is is_made]
        assert [run.repetition for run in runs] == sorted(run.repetition for run in runs)
        of_one = len(runs) // study.repetitions
        first, second = runs[:of_one], runs[of_one : 2 * of_one]
        assert [run.name[:-1] for run in first] != [run.name[:-1] for run in second]


def test_only_emulated_programs_have_model_runs(begin: Callable[..., Any]) -> None:
    study = begin().study
    assert {run.application for run in model_runs(study)} == {"cg", "uneven"}
    assert {run.before for run in model_runs(study)} == {1, 2, 4}


def test_emulations_follow_all_runs_they_are_made_from(
    begin: Callable[..., Any],
) -> None:
    study = begin().study
    made = {a.name for a in study.applications if a.emulates is not None and a.made}
    runs = planned_runs(study)
    order = [(run.application in made, run.repetition) for run in runs]
    assert made and order == sorted(order)
    assert {run.repetition for run in runs if run.model} == {1, 2, 3, 4, 5}


def test_without_model_runs_each_emulation_follows_its_original_run(
    begin: Callable[..., Any],
) -> None:
    study = begin().study.model_copy(update={"model_runs": 0})
    runs = planned_runs(study)
    made = {a.name for a in study.applications if a.made}
    followers = [(before, run) for before, run in pairwise(runs) if run.application in made]
    assert len(followers) == sum(run.application in made for run in runs) > 0
    assert all(original(study, run) == before for before, run in followers)
    assert not any(run.model for run in runs)


def test_model_runs_are_spread_over_the_compared_runs(
    begin: Callable[..., Any],
) -> None:
    first = [run for run in planned_runs(begin().study) if run.repetition == 1]
    places = [at for at, run in enumerate(first) if run.model]
    assert places[-1] - places[0] > 2 * len(places), "in a row, they would all see one moment of the machine"


def test_run_with_median_time_is_emulated() -> None:
    runs = [(Planned("a", 1, 1, None, 1, number), time) for number, time in enumerate([3.0, 1.0, 2.0, 9.0])]
    chosen = median_run(runs)
    assert chosen is not None and chosen.model == 2
    assert median_run([]) is None


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "s.toml"
    path.write_text("name = 'x'\n")
    return path


def test_study_resumes_with_existing_records(tmp_path: Path, file: Path) -> None:
    with Store(tmp_path / "study", file, "x") as store:
        store.add(Record("one", 1, True, "", 1.0))
        store.add(Record("two", 1, False, "died", 1.0))
        store.add(Record("two", 2, True, "", 1.0))
    with Store(tmp_path / "study", file, "x") as store:
        assert {name: (record.good, record.attempt) for name, record in store.runs.items()} == {
            "one": (True, 1),
            "two": (True, 2),
        }


def test_truncated_record_is_lost_and_others_are_kept(tmp_path: Path, file: Path) -> None:
    with Store(tmp_path / "study", file, "x") as store:
        store.add(Record("one", 1, True))
    with (tmp_path / "study" / "runs.jsonl").open("a") as records:
        records.write('{"event": "run", "run": "tw')
    with Store(tmp_path / "study", file, "x") as store:
        store.add(Record("three", 1, True))
        assert set(store.runs) == {"one", "three"}
    with Store(tmp_path / "study", file, "x") as store:
        assert set(store.runs) == {"one", "three"}


def test_results_of_an_attempt_are_never_overwritten(tmp_path: Path, file: Path) -> None:
    with Store(tmp_path / "study", file, "x") as store:
        first, folder = store.new_attempt("one")
        (folder / "run.jsonl").write_text("killed")
    with Store(tmp_path / "study", file, "x") as store:
        second, other = store.new_attempt("one")
    assert (first, second) == (1, 2)
    assert list(other.iterdir()) == []
    assert (folder / "run.jsonl").read_text() == "killed"


def test_folder_in_use_by_a_study_is_refused(tmp_path: Path, file: Path) -> None:
    with (
        Store(tmp_path / "study", file, "x"),
        pytest.raises(StudyError, match="is being run already"),
    ):
        Store(tmp_path / "study", file, "x")


def test_study_does_not_resume_with_another_file(tmp_path: Path, file: Path) -> None:
    with Store(tmp_path / "study", file, "x"):
        pass
    file.write_text("name = 'y'\n")
    with pytest.raises(StudyError, match=re.escape("study.toml: differs from the study file")):
        Store(tmp_path / "study", file, "x")


def test_folder_with_other_content_is_left_unchanged(tmp_path: Path, file: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "precious").write_text("kept")
    with pytest.raises(StudyError, match="is not empty and holds no study"):
        Store(tmp_path / "other", file, "x")
    with pytest.raises(StudyError, match="is a file"):
        Store(file, file, "x")
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["precious"]
