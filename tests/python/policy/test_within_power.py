# SPDX-License-Identifier: BSD-3-Clause
"""The example of a policy that looks at power."""

from pathlib import Path

import pytest

from nereus.policy.decisions import Leave, Policy, Resize, State
from nereus.policy.jobs import Job
from nereus.policy.loading import load
from nereus.policy.parameters import Parameters
from nereus.policy.performance import Curve

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "policies" / "within_power.py"


@pytest.fixture
def policy() -> Policy:
    return load(f"{EXAMPLE}:WithinPower")


def state(watts: float | None) -> State:
    job = Job("a", 1, 4, 10, None, Curve(0.0, 1.0, 0.0), lambda ranks: 0.1, measured={1: 9, 2: 9})
    return State(100.0, [job], free=3, last_came=1.0, watts=watts)


@pytest.mark.parametrize("watts", [None, 0.0, 199.9])
def test_free_cores_are_shared_out_while_power_is_left(policy: Policy, watts: float | None) -> None:
    (decision,) = policy.decide(state(watts), Parameters())
    assert isinstance(decision, Resize)
    assert (decision.job, decision.ranks) == ("a", 4)


def test_no_job_grows_where_the_host_uses_its_power(policy: Policy) -> None:
    (decision,) = policy.decide(state(250.0), Parameters())
    assert decision == Leave("a", "the host uses 250 W of 200 W")
