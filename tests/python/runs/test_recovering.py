# SPDX-License-Identifier: BSD-3-Clause
"""A job that failed continues on the hosts that are left."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from an_epoch import folder_of_epochs

from nereus.allocation import static_hosts
from nereus.launch import Host, Outcome, Reach
from nereus.runs import Ending, Recoveries, Saving, Where
from nereus.runs.recovering import Attempt, Recovering
from nereus.supervisor import NameClaim

FAILED = Ending(Outcome(False, "host n2 was lost", 1), was_opened=True, ranks=4, lost_hosts=("n2",))
GOOD = Ending(Outcome(True, "the job ended normally"), was_opened=True, ranks=2)


def on(*names: str) -> Where:
    hosts = tuple(Host(name, 2) for name in names)
    return Where(lambda doubts: None, static_hosts(Reach(hosts)))


class Story:
    """Jobs that end as the test says, of which hosts are lost; what was told, and where each job was."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, left: Where, *silent: str) -> None:
        self._saving = Saving(folder_of_epochs(folder, 1))
        self.told: list[str] = []
        self.attempts: list[Attempt] = []
        self.known: Sequence[str] = ()

        def without_silent_hosts(where: Where, known: Sequence[str] = ()) -> tuple[Where, Sequence[str]]:
            self.known = known
            return left, [*known, *silent]

        monkeypatch.setattr(Where, "without_silent_hosts", without_silent_hosts)
        self._recovering = Recovering(
            Recoveries(3, 600.0), None, lambda: False, self.told.append, self.told.append
        )

    def run(self, first: Where, *endings: Ending) -> Ending:
        to_come = list(endings)

        def once(attempt: Attempt, claim: NameClaim) -> Ending:
            self.attempts.append(attempt)
            return to_come.pop(0)

        return self._recovering.run("one", "program", Attempt(first, 4, self._saving), once)


def test_job_continues_without_hosts_that_were_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    story = Story(tmp_path, monkeypatch, on("n1"))
    assert story.run(on("n1", "n2"), FAILED, GOOD).outcome == GOOD.outcome
    assert [(attempt.where.hosts, attempt.ranks) for attempt in story.attempts] == [
        (on("n1", "n2").hosts, 4),
        (on("n1").hosts, 2),
    ]
    assert story.known == ("n2",)
    assert story.told == ["job one failed: host n2 was lost; it continues from epoch 1 (recovery 1)"]


def test_user_is_told_of_other_hosts_that_do_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = Story(tmp_path, monkeypatch, on("n1"), "n3")
    story.run(on("n1", "n2", "n3"), FAILED, GOOD)
    assert story.told[1:] == ["job one: n3: no process starts there: the job goes on without"]


def test_job_of_which_no_host_is_left_is_not_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a list, it would be started on this host."""
    story = Story(tmp_path, monkeypatch, on(), "n1")
    assert story.run(on("n1", "n2"), FAILED).outcome == FAILED.outcome
    assert len(story.attempts) == 1
    assert story.told == [
        "job one failed: host n2 was lost; it is not started again: none of its hosts is left"
    ]
