# SPDX-License-Identifier: BSD-3-Clause
"""What jobs say of their iterations is shown, counted, and given to policies."""

import math
from collections.abc import Sequence
from typing import Any

import pytest

from nereus.cli.daemon_status import pace_text
from nereus.daemon.status import figures, job_documents
from nereus.policy.decisions import Decision, Policy, State
from nereus.policy.parameters import Parameters


class Watching(Policy):
    def __init__(self) -> None:
        self.shares: list[float | None] = []

    def decide(self, state: State, parameters: Parameters) -> Sequence[Decision]:
        self.shares += [job.communication_share for job in state.jobs]
        return []


def say(house: Any, job: Any, **more: Any) -> None:
    job.say("sample", ranks=1, iteration=10, iterations=10, seconds=2.0, **more)
    house.settle()


def test_job_that_marks_nothing_has_the_time_of_an_iteration_alone(house: Any) -> None:
    house.begin(policy="blocking")
    job = house.known_job()
    house.settle()
    (document,), _ = job_documents(house.daemon.state, 0, house.clock.now())
    assert document["pace"] is None
    say(house, job)
    (document,), _ = job_documents(house.daemon.state, 0, house.clock.now())
    assert document["pace"] == {
        "iteration_seconds": pytest.approx(0.2),
        "compute_seconds": None,
        "communication_seconds": None,
        "flops": None,
    }
    assert pace_text(document) == "200 ms"
    assert figures(house.daemon.state)["flops"] == 0
    assert math.isnan(figures(house.daemon.state)["communication_share"])


def test_marked_and_counted_iterations_are_told_in_full(house: Any) -> None:
    policy = Watching()
    house.begin(policy=policy)
    job = house.known_job()
    say(house, job, compute_seconds=1.2, communication_seconds=0.5, operations=4e9)
    (document,), _ = job_documents(house.daemon.state, 0, house.clock.now())
    assert document["pace"] == {
        "iteration_seconds": pytest.approx(0.2),
        "compute_seconds": pytest.approx(0.12),
        "communication_seconds": pytest.approx(0.05),
        "flops": pytest.approx(2e9),
    }
    assert pace_text(document) == "200 ms, 60.0 % comp, 25.0 % comm, 2.00 Gflop/s"
    now = figures(house.daemon.state)
    assert [now["flops"], now["communication_share"]] == pytest.approx([2e9, 0.25])
    for _ in range(Parameters().enough_times - 1):  # then policies are asked
        say(house, job, compute_seconds=1.2, communication_seconds=0.5)
    assert policy.shares[-1] == pytest.approx(0.25)


@pytest.mark.parametrize(
    "wrong", [{"compute_seconds": -1.0}, {"operations": "many"}, {"communication_seconds": 1e300}]
)
def test_impossible_sample_is_dropped(house: Any, wrong: dict[str, Any]) -> None:
    house.begin(policy="blocking")
    job = house.known_job()
    say(house, job, **wrong)
    (document,), _ = job_documents(house.daemon.state, 0, house.clock.now())
    assert document["pace"] is None


def test_job_of_a_daemon_of_an_earlier_version_has_no_pace() -> None:
    assert pace_text({}) == ""
