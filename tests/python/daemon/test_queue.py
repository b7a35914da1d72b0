# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: the order of jobs that wait for cores, while their daemon is started again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from a_clock import PassingTime

from nereus.daemon import DaemonError, NoDaemon, queue
from nereus.launch import Stopping
from nereus.supervisor import claim_name


class FakeDaemon:
    """`waits`: when it has cores; `gone`: from when to when it is not there."""

    def __init__(self, time: PassingTime, waits: float, gone: tuple[float, float]) -> None:
        self.time, self.waits, self.gone = time, waits, gone
        self.refuses = False
        self.asked: list[tuple[str, str]] = []

    def ask(self, question: Mapping[str, Any], seconds: float = 5.0) -> dict[str, Any]:
        self.asked.append((question["kind"], question["job"]))
        if self.gone[0] <= self.time.now < self.gone[1]:
            raise NoDaemon("none")
        if self.refuses and self.time.now > 0:
            raise DaemonError("the daemon refused: 1 to 2 are there")
        return {"kind": "waiting", "before": 0} if self.time.now < self.waits else {"kind": "reserved"}


@pytest.fixture
def time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PassingTime:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    made = PassingTime()
    monkeypatch.setattr(queue, "time", made)
    return made


def started(monkeypatch: pytest.MonkeyPatch, daemon: FakeDaemon, told: list[str]) -> float:
    """When the job did."""
    monkeypatch.setattr(queue, "ask_daemon", daemon.ask)
    with claim_name("mine", "cg") as claim, Stopping() as stopping:
        with queue.cores_for(claim, 2, stopping, told.append) as may:
            assert may is not None
            at = daemon.time.now
        assert set(daemon.asked) == {("reserve", claim.key), ("release", claim.key)}
    return at


def test_waiting_job_does_not_start_when_its_daemon_restarts(
    time: PassingTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    assert started(monkeypatch, FakeDaemon(time, waits=60.0, gone=(5.0, 12.0)), told) >= 60.0
    waits, gone = told
    assert waits == "job mine waits for 2 cores; 0 before it"
    assert gone.startswith("the daemon is gone: ")


def test_job_starts_without_a_daemon_that_does_not_return(
    time: PassingTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    at = started(monkeypatch, FakeDaemon(time, waits=1e9, gone=(5.0, 1e9)), told)
    assert 5.0 + queue._GONE_SECONDS <= at <= 10.0 + queue._GONE_SECONDS
    assert f"starts without it in {queue._GONE_SECONDS:g} s" in told[-1]


def test_restarted_daemon_with_too_few_cores_refuses_the_job(
    time: PassingTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon = FakeDaemon(time, waits=60.0, gone=(5.0, 8.0))
    daemon.refuses = True
    with pytest.raises(DaemonError, match="1 to 2 are there"):
        started(monkeypatch, daemon, [])
