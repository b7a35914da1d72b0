# SPDX-License-Identifier: BSD-3-Clause
"""Generations that are started anew: when, in the place of whom, and what becomes of those that fail."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from nereus.launch import Build, Host, Launch, Reach, Share
from nereus.launch.error import LaunchError
from nereus.launch.outcome import Outcome
from nereus.supervisor import Supervision, messages
from nereus.supervisor.restarts import Restarts, folder_for_restarts


class FakeGroups:
    """Groups without processes."""

    def __init__(self) -> None:
        self.running = [group(0, part=True)]
        self.failed: Outcome | None = None
        self.ended: list[Any] = []

    def end(self, which: Any, after: float) -> None:
        assert after > 0
        self.ended.append(which)

    def adopt(self, which: Any) -> None:
        which.part = True

    def over(self, restarts: Restarts, which: Any, code: int = 0) -> None:
        """The group has ended."""
        which.outcome = Outcome(code == 0, f"a rank ended with exit code {code}", code)
        self.running.remove(which)
        restarts.group_ended(which)


def group(number: int, part: bool = False) -> Any:
    return SimpleNamespace(number=number, part=part, outcome=None, output=None)


class Scene:
    """Restarts of a job with one group of founders."""

    def __init__(self, folder: Path | None = None) -> None:
        self.groups = FakeGroups()
        self.started: list[int] = []
        self.said: list[str] = []
        self.refusal = ""
        self.restarts = Restarts(self.groups, self.start, folder, self.said.append)  # type: ignore[arg-type]

    def start(self, shares: Sequence[messages.ShareAsked]) -> Any:
        if self.refusal:
            raise LaunchError(self.refusal)
        self.started.append(sum(share.ranks for share in shares))
        self.groups.running.append(group(len(self.started)))
        return self.groups.running[-1]

    def leave(self) -> None:
        """All of the first generation, from 2 to 3."""
        three, two = ([messages.ShareAsked(host="", ranks=ranks)] for ranks in (3, 2))
        self.restarts.follow(messages.Restart(kind="restart", request=1, shares=three, before=two))
        self.restarts.job_closed()

    def left(self) -> None:
        self.leave()
        self.groups.over(self.restarts, self.groups.running[0])
        self.restarts.turn()


def test_others_are_started_once_all_have_left() -> None:
    scene = Scene()
    founders = scene.groups.running[0]
    scene.leave()
    scene.restarts.turn()
    assert (scene.started, founders.part, scene.restarts.under_way) == ([], False, True)
    assert scene.groups.ended == [founders], "those that do not end by themselves are ended"
    scene.groups.over(scene.restarts, founders)
    for _ in range(2):
        scene.restarts.turn()
    assert scene.started == [3]
    scene.restarts.job_opened()
    assert (scene.groups.running[0].part, scene.restarts.under_way) == (True, False)


def test_nothing_is_started_of_a_job_that_just_closes() -> None:
    scene = Scene()
    scene.restarts.job_closed()
    scene.groups.over(scene.restarts, scene.groups.running[0])
    scene.restarts.turn()
    assert (scene.started, scene.restarts.under_way) == ([], False)


def test_failure_of_those_that_leave_is_told_and_does_no_harm() -> None:
    scene = Scene()
    scene.leave()
    scene.groups.over(scene.restarts, scene.groups.running[0], code=3)
    scene.restarts.turn()
    assert (scene.started, scene.groups.failed) == ([3], None)
    assert scene.said == ["a rank ended with exit code 3, after all data of the job was saved"]


@pytest.mark.parametrize("refusal", ["", "host n9: cannot be reached"])
def test_as_many_as_before_are_started_where_others_fail(refusal: str) -> None:
    scene = Scene()
    scene.refusal = refusal
    scene.left()
    scene.refusal = ""
    if not refusal:
        scene.groups.over(scene.restarts, scene.groups.running[0], code=7)
    scene.restarts.turn()
    assert scene.started[-1] == 2
    assert (refusal or "exit code 7") in scene.said[0]
    scene.restarts.job_opened()
    assert (scene.groups.failed, scene.restarts.under_way) == (None, False)


@pytest.mark.parametrize("code", [0, 7])
def test_job_has_failed_where_those_fail_too(code: int) -> None:
    scene = Scene()
    scene.left()
    for _ in range(2):
        scene.groups.over(scene.restarts, scene.groups.running[0], code)
        scene.restarts.turn()
    assert scene.groups.failed is not None
    assert (scene.groups.failed.good, scene.groups.failed.code) == (False, code or 1)
    assert not scene.restarts.under_way


def test_data_is_removed_when_it_was_read_and_when_the_job_ends(tmp_path: Path) -> None:
    for over in (Restarts.job_opened, Restarts.close):
        folder = tmp_path / "between"
        folder.mkdir()
        (folder / "chunk").touch()
        scene = Scene(folder)
        scene.left()
        assert folder.exists()
        over(scene.restarts)
        assert not folder.exists()


def folder_of(reach: Reach, tmp_path: Path, **environment: str) -> Path | None:
    build = Build("mpich", tmp_path, tmp_path / "mpiexec", "MPICH Version: 9.9")
    launch = Launch(build, tmp_path / "program", (), reach, environment)
    return folder_for_restarts(Supervision(launch, [Share("", 1)], joins=False), "0123", tmp_path)


def test_data_is_kept_in_memory_or_where_all_hosts_see_it(tmp_path: Path) -> None:
    here, far = Reach(), Reach((Host("n7", 2),))
    assert folder_of(here, tmp_path) == Path("/dev/shm/nereus-0123-restart")
    assert folder_of(here, tmp_path, NEREUS_SAVE="/saved") == Path("/dev/shm/nereus-0123-restart")
    assert folder_of(far, tmp_path) is None
    assert folder_of(far, tmp_path, NEREUS_SAVE="/saved") == Path("/saved/.restart")
    for reach in (here, far):
        found = folder_of(reach, tmp_path, NEREUS_RESTART_FOLDER="/scratch")
        assert found == Path("/scratch/nereus-0123-restart")
