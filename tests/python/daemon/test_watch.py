# SPDX-License-Identifier: BSD-3-Clause
"""A user would miss a decision in `nereus top --jobs`, or see one twice."""

from typing import Any

import pytest

from nereus.daemon import DaemonError, watch


class FakeDaemon:
    """Answers with two events at a time."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.is_there = True
        self.jobs: list[dict[str, Any]] = []
        self.supervised: list[dict[str, Any]] = []

    def add(self, *kinds: str) -> None:
        for kind in kinds:
            self.events.append({"number": len(self.events) + 1, "event": kind})

    def status(self) -> dict[str, Any]:
        if not self.is_there:
            raise DaemonError("there is none")
        return {"last_event": len(self.events), "jobs": self.jobs}

    def since(self, number: int) -> dict[str, Any]:
        return {"events": self.events[number:][:2]}


@pytest.fixture
def daemon(monkeypatch: pytest.MonkeyPatch) -> FakeDaemon:
    made = FakeDaemon()
    monkeypatch.setattr(watch, "whole_status", made.status)
    monkeypatch.setattr(watch, "named_events", made.since)
    monkeypatch.setattr(watch, "statuses", lambda seconds: made.supervised)
    return made


def numbers(events: tuple[dict[str, Any], ...]) -> list[int]:
    return [event["number"] for event in events]


def test_each_decision_is_fresh_once_and_the_latest_comes_first(daemon: FakeDaemon) -> None:
    daemon.add("came", "decided", "wrote", "resized")
    looking = watch.Watch()
    assert numbers(looking.look().fresh) == [2, 4]
    daemon.add("refused")
    found = looking.look()
    assert (numbers(found.fresh), numbers(found.decisions)) == ([5], [5, 4, 2])


def test_decisions_stay_while_the_daemon_is_away(daemon: FakeDaemon) -> None:
    daemon.add("decided")
    looking = watch.Watch()
    looking.look()
    daemon.is_there = False
    found = looking.look()
    assert (found.status, found.why, numbers(found.decisions)) == (None, "there is none", [1])


def test_daemon_with_another_store_is_looked_at_from_its_beginning(daemon: FakeDaemon) -> None:
    daemon.add("decided", "decided")
    looking = watch.Watch()
    looking.look()
    daemon.events.clear()
    daemon.add("decided")
    assert numbers(looking.look().fresh) == [1]


def test_jobs_that_the_daemon_does_not_know_are_seen_with_and_without_it(daemon: FakeDaemon) -> None:
    looking = watch.Watch()
    daemon.jobs = [{"job": "a"}]
    daemon.supervised = [{"job": "a"}, {"job": "b"}]
    assert looking.look().supervised == ({"job": "b"},)
    daemon.is_there = False
    found = looking.look()
    assert found.supervised == ({"job": "a"}, {"job": "b"})
    assert found.document()["supervised"] == [{"job": "a"}, {"job": "b"}]
