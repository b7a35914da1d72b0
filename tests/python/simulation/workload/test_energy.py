# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: what the machine takes from the mains, where the workload says what a core does."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Nereus = Callable[..., tuple[int, str, str]]
JOBS = """
[[jobs]]
name = "first"
ranks = 4
seconds = 1800
[[jobs]]
name = "second"
submit = 900
ranks = 2
seconds = 1800
"""


def test_energy_is_that_of_idle_and_busy_cores(nereus: Nereus, tmp_path: Path) -> None:
    file = tmp_path / "w.toml"
    file.write_text("cores = 4\nidle_watts = 10.0\nbusy_watts = 30\nseeds = 2\n" + JOBS)
    code, out, _ = nereus("simulate", "workload", file, "--json", "--quiet")
    document = json.loads(out)
    # An hour of 4 cores: 3 core hours busy, one idle.
    assert code == 0
    assert [row["energy_kwh"] for row in document["rows"]] == [pytest.approx(0.1)] * 2
    told = document["summary"][0]["energy_kwh"]
    assert told == {key: pytest.approx(0.1) for key in ("mean", "low", "high")}
    code, out, _ = nereus("simulate", "workload", file, "--quiet", "--seeds", "1")
    assert "energy" in out and out.rstrip().endswith("100 Wh")


def test_energy_is_not_told_where_it_is_not_known(nereus: Nereus, tmp_path: Path) -> None:
    file = tmp_path / "w.toml"
    file.write_text("cores = 4\n" + JOBS)
    code, out, _ = nereus("simulate", "workload", file, "--json", "--quiet")
    assert code == 0 and "energy" not in out
    code, out, _ = nereus("simulate", "workload", file, "--quiet")
    assert code == 0 and "energy" not in out


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("idle_watts = 1", ":2: idle_watts = 1: goes with busy_watts"),
        ("busy_watts = 1", ":2: busy_watts = 1: goes with idle_watts"),
        ("idle_watts = -1\nbusy_watts = 1", ":2: idle_watts = -1: watts from 0 to 1e6"),
    ],
)
def test_wrong_watts_are_reported(nereus: Nereus, tmp_path: Path, keys: str, said: str) -> None:
    file = tmp_path / "w.toml"
    file.write_text(f"cores = 4\n{keys}\n{JOBS}")
    code, out, err = nereus("simulate", "workload", file)
    assert (code, out) == (2, "")
    assert err.startswith(f"nereus: {file}{said}") and err.count("\n") == 1
