# SPDX-License-Identifier: BSD-3-Clause
"""Scenarios from text, and the command in this process."""

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from nereus.policy.loading import load
from nereus.simulation.jobs import Result, Scenario, load_scenario, simulate

REPOSITORY = Path(__file__).parents[4]
EXAMPLES = REPOSITORY / "examples"


@pytest.fixture
def scenario(tmp_path: Path) -> Callable[[str], Scenario]:
    def made(text: str) -> Scenario:
        file = tmp_path / "scenario.toml"
        file.write_text(text)
        return load_scenario(file)

    return made


@pytest.fixture
def outcome(scenario: Callable[[str], Scenario]) -> Callable[..., Result]:
    """Of a scenario under the policy of that name."""

    def made(text: str, policy: str = "none") -> Result:
        return simulate(scenario(text), policy, load(policy))

    return made


@pytest.fixture
def paper() -> Callable[..., Result]:
    """A scenario of the paper, as it is shipped, under the policy of that name."""

    def made(name: str, policy: str, cores: int | None = None, seed: int = 42) -> Result:
        found = load_scenario(EXAMPLES / "simulate" / name, cores)
        return simulate(found.model_copy(update={"seed": seed}), policy, load(policy))

    return made


@pytest.fixture(scope="session")
def trace() -> Callable[[int, int, int], str]:
    """Of so many jobs on so many cores, by a seed: the generator of the bench."""
    spec = importlib.util.spec_from_file_location("days_trace", REPOSITORY / "bench" / "days_trace.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: Callable[[int, int, int], str] = module.trace
    return made
