# SPDX-License-Identifier: BSD-3-Clause
"""What repetitions come to, and the table beside the paper and the simulation."""

import pytest

from nereus.simulation.jobs import Result
from nereus.simulation.jobs.results import Foretold, JobResult
from nereus.simulation.live.plan import Planned
from nereus.simulation.live.summary import policies_of, table, with_changes


def run(
    policy: str, repetition: int, wait: float, service: float, error: float = 0.0
) -> tuple[Planned, Result]:
    foretold = [Foretold(10.0, 10.0 + error, 4.0)]
    job = JobResult("A1", 0.0, 2, 0.0, 9.0, phases=1, service=service, wait=wait, foretold=foretold)
    return Planned(policy, None, repetition), Result(policy, [job], [], 9.0)


RESULTS = dict(
    [
        run("none", 1, 0.0, 4.0),
        run("blocking", 1, 1.0, 2.0, 0.04),
        run("none", 2, 0.0, 5.0),
        run("blocking", 2, 0.4, 1.6, 0.2),
        run("none", 3, 0.0, 3.0),
        run("shifts", 1, 0.1, 2.0),
    ]
)


def test_repetitions_are_summarized_by_median_and_spread() -> None:
    found = policies_of(RESULTS)
    assert list(found) == ["none", "blocking", "shifts"]
    assert found["none"]["io_seconds"] == 4.0
    assert found["none"]["spread"]["io_seconds"] == {"median": 4.0, "min": 3.0, "max": 5.0, "runs": 3}
    assert found["blocking"]["jobs"][0]["delay_seconds"] == pytest.approx(0.7)


def test_predictions_of_all_repetitions_count() -> None:
    errors = policies_of(RESULTS)["blocking"]["prediction_errors"]
    assert (errors["phases"], errors["within_2_percent"]) == (2, 1)
    assert errors["greatest_share"] == pytest.approx(0.05)


def test_changes_are_relative_to_the_baseline_of_the_paper() -> None:
    found = with_changes(policies_of(RESULTS))
    assert found["blocking"]["io_change"] == pytest.approx(2.5 / 4 - 1)
    assert found["shifts"]["delay_change"] == pytest.approx(0.1 / 0.7 - 1)
    assert "delay_change" not in found["none"], "who does not coordinate has no delay to gain"
    assert "flops_change" not in found["shifts"]


def test_table_has_only_measured_numbers() -> None:
    live = with_changes(policies_of(RESULTS))
    rows = table(live, live, {"shifts": {"delay_change": -0.56}})
    found = {(row["policy"], row["measure"]): row for row in rows}
    assert found["shifts", "delay_change"]["paper"] == -0.56
    assert found["blocking", "io_change"]["paper"] is None
    assert ("none", "flops") not in found
