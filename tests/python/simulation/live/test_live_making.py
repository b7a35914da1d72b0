# SPDX-License-Identifier: BSD-3-Clause
"""Runs of a live study: those that fail do not end it, those on record are not made again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nereus.launch import Build
from nereus.policy.policies import BY_NAME
from nereus.simulation.live import LiveError, Planned, Study, planned_runs, running
from nereus.simulation.live.document import JSON, PICTURE, document_of, write_files
from nereus.simulation.live.folder import Folder
from nereus.simulation.live.making import Made, make_all, simulate_beside

Make = Callable[..., Made]


@pytest.fixture
def kept(tmp_path: Path, study: Callable[..., Study]) -> Folder:
    return Folder(tmp_path / "out", study().text)


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch, study: Callable[..., Study], kept: Folder) -> Make:
    """Makes the runs without jobs; those of the policy `bad` fail, and all are stopped after `most`."""

    def made(tell: Callable[[Planned], Any] = lambda planned: None, bad: str = "", most: int = 99) -> Made:
        begun: list[str] = []

        def make(scenario: Any, policy: str, folder: Path, means: running.Means) -> running.Run | None:
            begun.append(policy)
            if policy == bad:
                raise LiveError("a job failed: it printed nothing")
            (folder / running.RUN).write_text(json.dumps({"begin_unix": 0.0, "own": []}))
            (folder / running.EVENTS).touch()
            return None if len(begun) > most else running.Run(0.0, [])

        monkeypatch.setattr(running, "make", make)
        read = study()
        means = running.Means([], "mpich", {}, kept.place, read.live, lambda: len(begun) > most)
        return make_all(read, planned_runs(read), kept, means, tell)

    return made


def test_failed_run_is_noted_and_the_others_are_made(make: Make) -> None:
    told: list[Planned] = []
    made = make(told.append, bad="none")
    assert [planned.name for planned in made.live] == ["blocking_1", "blocking_2"]
    assert {planned.name: why for planned, why in made.failed.items()} == {
        f"none_{number}": "a job failed: it printed nothing" for number in (1, 2)
    }
    assert len(told) == 4


def test_stopped_study_makes_no_further_run(make: Make) -> None:
    told: list[Planned] = []
    made = make(told.append, most=1)
    assert [planned.name for planned in made.live] == [planned.name for planned in told] == ["none_1"]


def test_runs_on_record_are_not_made_again(make: Make) -> None:
    assert len(make().live) == 4
    assert make(bad="none").failed == {}


@pytest.mark.filterwarnings("ignore:No artists with labels")  # nothing happened in these runs
def test_document_and_picture_are_kept_beside_the_runs(
    make: Make, study: Callable[..., Study], kept: Folder
) -> None:
    read, made = study(), make()
    simulate_beside(read, made, {name: BY_NAME[name]() for name in read.scenario.compared})
    build = Build("mpich", kept.place, kept.place / "mpiexec", "MPICH Version: 9.9")
    document = document_of(read, build, made)
    write_files(document, made, kept)
    assert json.loads((kept.place / JSON).read_text()) == document
    assert (kept.place / PICTURE).read_bytes().startswith(b"\x89PNG")
    assert set(document["policies"]) == set(document["simulated"]["policies"]) == {"none", "blocking"}
    assert [run["run"] for run in document["runs"]] == [planned.name for planned in made.live]
