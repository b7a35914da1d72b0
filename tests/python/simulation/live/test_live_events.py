# SPDX-License-Identifier: BSD-3-Clause
"""From what a daemon told of real jobs to what is said of simulated ones."""

from collections.abc import Callable
from typing import Any

import pytest

from nereus.simulation.jobs import Result
from nereus.simulation.live import Study
from nereus.simulation.live.event_results import result_of

Told = dict[str, Any]
BEGIN = 1000.0


def event(kind: str, time: float, job: str = "a", **about: Any) -> Told:
    return {"event": kind, "time_unix": BEGIN + time, "job": job, **about}


def came(name: str, time: float = 0.1, job: str = "a", ranks: int = 2) -> Told:
    return event("came", time, job, ranks=ranks, command=["/bin/x", "--label", name])


def wrote(start: float, wait: float, service: float, iteration: int = 5) -> Told:
    end, begin = start + wait + service, BEGIN + start
    times = {"start_unix": begin, "wait_seconds": wait, "service_seconds": service}
    return {**event("wrote", end, iteration=iteration), **times}


def foretold(time: float, next_io: float | None) -> Told:
    absolute = None if next_io is None else BEGIN + next_io
    return event("foretold", time, next_io_unix=absolute, period_seconds=4.0)


@pytest.fixture
def result(study: Callable[..., Study]) -> Callable[..., Result]:
    return lambda *told: result_of("blocking", study().scenario, told, BEGIN)


def test_waiting_and_writing_are_counted_separately(result: Callable[..., Result]) -> None:
    found = result(came("A1"), wrote(1.0, 0.5, 2.0), wrote(6.0, 0.0, 2.5), event("note", 9.0, text="?"))
    job = found.job("A1")
    assert (job.phases, job.wait, job.service) == (2, 0.5, 4.5)
    assert found.document()["delay_seconds"] == 0.5
    assert [each["start"] for each in found.events if each["event"] == "phase"] == [1.0, 6.0]


def test_predictions_are_compared_with_actual_phases(result: Callable[..., Result]) -> None:
    told = [wrote(1.0, 0.0, 1.0), foretold(2.0, 5.0), wrote(5.2, 0.0, 1.0), foretold(6.2, None)]
    errors = result(came("A1"), *told, wrote(9.0, 0.0, 1.0)).document()["prediction"]
    assert errors["phases"] == 1
    assert errors["mean_error_seconds"] == pytest.approx(0.2)
    assert errors["mean_error_share"] == pytest.approx(0.05)


def test_shifted_phase_is_not_a_wrong_prediction(result: Callable[..., Result]) -> None:
    moved = event("decided", 2.5, command=1, ranks=4, at=7, why="conflict")
    found = result(came("A1"), wrote(1.0, 0.0, 1.0), foretold(2.0, 5.0), moved, wrote(4.0, 0.0, 1.0))
    assert found.job("A1").foretold == []


def test_resizes_and_core_seconds_are_counted(result: Callable[..., Result]) -> None:
    resized = event("resized", 3.0, before=2, ranks=4, iteration=9, seconds=0.25)
    nothing = event("resized", 4.0, before=4, ranks=4, iteration=12, seconds=None)
    end = event("ended", 5.0, why="goodbye", iteration=20)
    found = result(came("A1", 1.0), resized, nothing, end)
    job = found.job("A1")
    assert (job.resizes, job.ranks, job.paused, job.ended) == (1, 4, 0.25, 5.0)
    assert job.core_seconds == pytest.approx(2 * 2.0 + 4 * 2.0)
    assert found.flops == pytest.approx(20 * 10.0 / 5.0)


def test_stopped_jobs_count_their_finished_work(result: Callable[..., Result]) -> None:
    stopped = event("stopped", 8.0, "", iterations={"a": 16})
    found = result(came("A1"), stopped, event("ended", 9.0, why="goodbye", iteration=17))
    assert (found.makespan, found.flops) == (8.0, 16 * 10.0 / 8.0)
    assert found.job("A1").ended is None
    assert found.document()["unfinished"] == 2


def test_events_of_unrelated_jobs_are_ignored(result: Callable[..., Result]) -> None:
    assert result(came("B7", job="b"), event("ended", 7.0, "b", why="goodbye", iteration=9)).makespan == 0.0
