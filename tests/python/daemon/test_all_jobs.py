# SPDX-License-Identifier: BSD-3-Clause
"""A user would miss a job in `nereus jobs`: one without a supervisor, or all while the daemon is silent."""

from pathlib import Path
from typing import Any

import pytest

from nereus.daemon import DaemonError, jobs

KNOWN = {"places": {"h": 2}, "answers": True, "came_unix": 1.0, "ranks": 2}


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, Any]]:
    """What the daemon knows; a supervisor has the job `a`."""
    made: list[dict[str, Any]] = []
    monkeypatch.setattr(jobs, "statuses", lambda warn: [{"job": "a"}])
    monkeypatch.setattr(jobs, "daemon_control_socket", lambda: tmp_path)
    monkeypatch.setattr(jobs, "whole_status", lambda: {"policy": "fair", "jobs": made})
    return made


def never(text: str) -> None:
    raise AssertionError(text)


def test_unsupervised_jobs_follow_the_supervised_ones(known: list[dict[str, Any]]) -> None:
    known += [{**KNOWN, "job": "b"}, {**KNOWN, "job": "a"}]
    first, second = jobs.all_jobs(never)
    assert (first["job"], first["controller"]["policy"]) == ("a", "fair")
    assert (second["job"], second["hosts"], second["state"]) == ("b", ["h", "h"], "running")


@pytest.mark.usefixtures("known")
def test_silent_daemon_is_reported_and_hides_no_job(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent() -> dict[str, Any]:
        raise DaemonError("it does not answer")

    monkeypatch.setattr(jobs, "whole_status", silent)
    told: list[str] = []
    assert jobs.all_jobs(told.append) == [{"job": "a"}]
    assert told == ["it does not answer"]
