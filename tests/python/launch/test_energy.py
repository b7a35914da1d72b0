# SPDX-License-Identifier: BSD-3-Clause
"""Energy of processor packages, from the files in which the kernel tells it."""

from pathlib import Path

import pytest

from nereus.launch.energy import PackageEnergy, Used


class Powercap:
    """The kernel's folder, and a clock."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.now = 100.0

    def zone(self, name: str, told: str, microjoules: int, range_: int = 262_143_328_850) -> None:
        zone = self.root / name
        zone.mkdir(exist_ok=True)
        (zone / "name").write_text(f"{told}\n")
        (zone / "max_energy_range_uj").write_text(f"{range_}\n")
        (zone / "energy_uj").write_text(f"{microjoules}\n")

    def passes(self, seconds: float) -> None:
        self.now += seconds

    def meter(self) -> PackageEnergy:
        return PackageEnergy(self.root, lambda: self.now)


@pytest.fixture
def powercap(tmp_path: Path) -> Powercap:
    return Powercap(tmp_path)


def test_host_without_counters_tells_nothing(powercap: Powercap) -> None:
    meter = powercap.meter()
    assert (meter.look(), meter.watts) == (None, None)
    assert PackageEnergy(powercap.root / "none").look() is None


def test_packages_are_added_up_and_their_parts_are_not(powercap: Powercap) -> None:
    powercap.zone("intel-rapl:0", "package-0", 5_000_000)
    powercap.zone("intel-rapl:0:0", "core", 1_000_000)
    powercap.zone("intel-rapl:1", "package-1", 7_000_000)
    powercap.zone("intel-rapl:2", "psys", 100_000_000)
    meter = powercap.meter()
    powercap.zone("intel-rapl:0", "package-0", 15_000_000)
    powercap.zone("intel-rapl:0:0", "core", 9_000_000)
    powercap.zone("intel-rapl:1", "package-1", 9_000_000)
    powercap.zone("intel-rapl:2", "psys", 900_000_000)
    powercap.passes(4)
    used = meter.look()
    assert used is not None
    assert used.document() == {
        "package_joules": pytest.approx(12),
        "seconds": pytest.approx(4),
        "packages": 2,
        "watts": pytest.approx(3),
    }


def test_counter_that_begins_again_goes_on(powercap: Powercap) -> None:
    powercap.zone("intel-rapl:0", "package-0", 9_000_000, range_=10_000_000)
    meter = powercap.meter()
    for microjoules, joules in ((9_500_000, 0.5), (1_000_000, 2.0), (3_000_000, 4.0)):
        powercap.zone("intel-rapl:0", "package-0", microjoules, range_=10_000_000)
        used = meter.look()
        assert used is not None
        assert used.joules == pytest.approx(joules)


def test_power_is_that_of_the_last_second(powercap: Powercap) -> None:
    powercap.zone("intel-rapl:0", "package-0", 0)
    meter = powercap.meter()
    assert meter.look() is not None
    assert meter.watts is None
    joules = 0
    for watts in (100, 100, 100, 100, 20, 20, 20, 20, 20):
        joules += watts
        powercap.passes(0.25)
        powercap.zone("intel-rapl:0", "package-0", joules * 250_000)
        meter.look()
    assert meter.watts == pytest.approx(20)


def test_package_whose_counter_has_no_range_is_none(powercap: Powercap) -> None:
    """Where it begins again, what was used could not be told."""
    powercap.zone("intel-rapl:0", "package-0", 5)
    (powercap.root / "intel-rapl:0" / "max_energy_range_uj").unlink()
    assert powercap.meter().look() is None


@pytest.mark.parametrize("text", ["", "many", "-3", "1e6", "٣"])
def test_damaged_counter_is_no_package(powercap: Powercap, text: str) -> None:
    powercap.zone("intel-rapl:0", "package-0", 0)
    (powercap.root / "intel-rapl:0" / "energy_uj").write_text(text)
    assert powercap.meter().look() is None


def test_counter_that_cannot_be_read_any_more_stands_still(powercap: Powercap) -> None:
    powercap.zone("intel-rapl:0", "package-0", 1_000_000)
    meter = powercap.meter()
    powercap.zone("intel-rapl:0", "package-0", 3_000_000)
    meter.look()
    (powercap.root / "intel-rapl:0" / "energy_uj").unlink()
    used = meter.look()
    assert used is not None
    assert used.joules == pytest.approx(2)


def test_no_time_means_no_power() -> None:
    assert Used(5.0, 0.0, 1).watts == 0
