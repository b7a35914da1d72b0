# SPDX-License-Identifier: BSD-3-Clause
"""A job that failed continues on the hosts that are left."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from an_epoch import folder_of_epochs

from nereus.allocation import static_hosts
from nereus.epochs import EpochOnHosts
from nereus.launch import Host, Outcome, Reach
from nereus.runs import Ending, Recoveries, RunError, Saving, Where
from nereus.runs.recovering import Attempt, Recovering
from nereus.supervisor import HostEpochs, NameClaim, messages

FAILED = Ending(Outcome(False, "host n2 was lost", 1), was_opened=True, ranks=4, lost_hosts=("n2",))
GOOD = Ending(Outcome(True, "the job ended normally"), was_opened=True, ranks=2)


SAVED = messages.Saved(
    kind="saved",
    request=1,
    code=0,
    message="",
    epoch=7,
    iteration=70,
    bytes=8,
    seconds=0.1,
    stops=False,
    in_memory=True,
)


def on(*names: str) -> Where:
    hosts = tuple(Host(name, 2) for name in names)
    return Where(lambda doubts: None, static_hosts(Reach(hosts)))


class Story:
    """Jobs that end as the test says, of which hosts are lost; what was told, and where each job was."""

    def __init__(
        self,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        left: Where,
        *silent: str,
        in_memory: HostEpochs | None = None,
    ) -> None:
        self._saving = Saving(folder_of_epochs(folder, 1))
        self.told: list[str] = []
        self.attempts: list[Attempt] = []
        self.known: Sequence[str] = ()

        def without_silent_hosts(where: Where, known: Sequence[str] = ()) -> tuple[Where, Sequence[str]]:
            self.known = known
            return replace(left, least=where.least), [*known, *silent]

        monkeypatch.setattr(Where, "without_silent_hosts", without_silent_hosts)
        self._recovering = Recovering(
            Recoveries(3, 600.0), in_memory, lambda: False, self.told.append, self.told.append
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


class FakeHostEpochs(HostEpochs):
    """Epochs in memory of hosts, some of which cannot have any."""

    def __init__(self, **wrong: str) -> None:
        super().__init__(None)
        self.wrong = wrong
        self.prepared: list[Sequence[str]] = []

    @property
    def latest(self) -> EpochOnHosts:
        return EpochOnHosts(self.folder, 7, 70)

    def prepare(self, hosts: Sequence[str], stopped: Callable[[], bool]) -> Mapping[str, str]:
        self.prepared.append(hosts)
        return {name: why for name, why in self.wrong.items() if name in hosts and len(self.prepared) > 1}


@pytest.fixture
def in_memory() -> Iterator[FakeHostEpochs]:
    with closing(FakeHostEpochs(n3="no room")) as made:
        yield made


def test_job_has_ranks_again_on_each_host_that_keeps_its_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_memory: FakeHostEpochs
) -> None:
    """Also where it fails again before it tells of its hosts."""
    story = Story(tmp_path, monkeypatch, on("n1", "n4"), in_memory=in_memory)
    first = replace(FAILED, ranks=3, hosts=("n1.site", "n2", "n4"))
    again = replace(FAILED, ranks=0, was_opened=False, lost_hosts=("n2",))
    story.run(on("n1", "n2", "n4"), first, again, GOOD)
    assert [dict(attempt.where.least) for attempt in story.attempts] == [
        {},
        {"n1": 1, "n4": 1},
        {"n1": 1, "n4": 1},
    ]
    assert "continues from epoch 7 in memory (recovery 1)" in story.told[0]


def test_hosts_that_cannot_keep_epochs_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_memory: FakeHostEpochs
) -> None:
    story = Story(tmp_path, monkeypatch, on("n1", "n3"), in_memory=in_memory)
    story.run(on("n1", "n2", "n3"), FAILED, GOOD)
    assert story.known == ["n3"]
    assert story.told[1:] == [
        "job one: n3: no epochs can be kept in its memory: no room; it goes on without",
    ]


def test_hosts_that_cannot_keep_epochs_are_named_before_a_job_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_memory: FakeHostEpochs
) -> None:
    in_memory.prepared.append([])  # the first start counts as a later one
    story = Story(tmp_path, monkeypatch, on("n1"), in_memory=in_memory)
    with pytest.raises(RunError, match="no folder for epochs in memory could be made on n3: no room"):
        story.run(on("n1", "n3"))


def test_processes_are_counted_by_what_hosts_call_themselves(in_memory: FakeHostEpochs) -> None:
    in_memory._keepers.own_names = {"10.0.0.2": "n2"}
    here = os.uname().nodename
    counts = in_memory.processes_on(["localhost", "10.0.0.2", "n3"], [here, "n2.site", "n2", "n3", "n4"])
    assert counts == {"localhost": 1, "10.0.0.2": 2, "n3": 1}


def test_hosts_that_have_a_part_of_the_latest_epoch_get_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_memory: FakeHostEpochs
) -> None:
    """The job shrank to one host, and failed before it had made another epoch."""
    in_memory.made(SAVED, ["n1", "n1", "n2", "n4.site"])
    story = Story(tmp_path, monkeypatch, on("n1", "n2", "n4"), in_memory=in_memory)
    story.run(on("n1", "n2", "n4"), replace(FAILED, ranks=2, hosts=("n1", "n1"), lost_hosts=()), GOOD)
    assert dict(story.attempts[1].where.least) == {"n1": 2, "n2": 1, "n4": 1}
    assert story.attempts[1].ranks == 3
