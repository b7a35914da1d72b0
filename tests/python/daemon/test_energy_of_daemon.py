# SPDX-License-Identifier: BSD-3-Clause
"""The daemon tells and its policy sees what power the host uses, where the kernel counts it."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from nereus.cli.daemon_status import power_text
from nereus.daemon.status import daemon_document, figures
from nereus.launch import energy
from nereus.policy.decisions import Decision, Policy, State
from nereus.policy.parameters import Parameters


class Watching(Policy):
    def __init__(self) -> None:
        self.seen: list[float | None] = []

    def decide(self, state: State, parameters: Parameters) -> Sequence[Decision]:
        self.seen.append(state.watts)
        return []


def write(powercap: Path, microjoules: int) -> None:
    zone = powercap / "intel-rapl:0"
    zone.mkdir(parents=True, exist_ok=True)
    (zone / "name").write_text("package-0\n")
    (zone / "max_energy_range_uj").write_text("1000000000000\n")
    (zone / "energy_uj").write_text(f"{microjoules}\n")


def test_power_is_shown_and_given_to_the_policy(
    house: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(energy, "POWERCAP", tmp_path / "powercap")
    write(tmp_path / "powercap", 0)
    policy = Watching()
    house.begin(policy=policy)
    write(tmp_path / "powercap", 30_000_000)
    house.daemon.turn()  # the second look: power is the difference of two
    house.known_job()
    house.settle()
    found = daemon_document(house.daemon.state)["energy"]
    assert (found["package_joules"], found["packages"]) == (pytest.approx(30), 1)
    assert found["watts"] > 0
    assert figures(house.daemon.state)["package_joules"] == pytest.approx(30)
    assert policy.seen[-1] is not None
    assert power_text({"energy": {"watts": 12.34}}) == ", 12.3 W"


def test_host_without_counters_has_no_power(
    house: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(energy, "POWERCAP", tmp_path / "none")
    policy = Watching()
    house.begin(policy=policy)
    house.known_job()
    house.settle()
    assert daemon_document(house.daemon.state)["energy"] is None
    assert math.isnan(figures(house.daemon.state)["package_watts"])
    assert set(policy.seen) == {None}
    assert power_text({"energy": None}) == power_text({}) == ""
