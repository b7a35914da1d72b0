# SPDX-License-Identifier: BSD-3-Clause
"""Intel MPI and Open MPI 5, whose launchers take other words than those of their relatives."""

import json
from typing import Any

import pytest

EXPERIMENT = """\
name = "grows-and-shrinks"
verify = true
[data]
constant_bytes = 800000
variable_bytes = 80000
[resize]
process_strategies = {strategies}
transfer_method = "{transfer}"
[[phases]]
iterations = {iterations}
[[phases.stages]]
type = "pi"
time = "1 ms"
[[phases.stages]]
type = "allreduce"
bytes = 8
[[groups]]
ranks = 1
iterations = 5
[[groups]]
ranks = 3
iterations = 5
[[groups]]
ranks = 1
"""


def check_experiment(site: Any, mpi: str, strategies: list[str], transfer: str, **environment: str) -> None:
    """From 1 to 3 processes and back, with all data right."""
    iterations = 4000 if "join" in strategies else 20
    text = EXPERIMENT.format(strategies=json.dumps(strategies), transfer=transfer, iterations=iterations)
    result = site.emulate(mpi, site.write("experiment.toml", text), **environment)
    assert result.code == 0, result.err
    document = result.document
    assert document["undone"] == []
    assert [resize["to"] for resize in document["resizes"]] == [3, 1]
    assert {tuple(resize["process_strategies"]) for resize in document["resizes"][:1]} == {tuple(strategies)}
    assert {resize["transfer_method"] for resize in document["resizes"]} == {transfer}
    assert document["data_intact"]


@pytest.mark.parametrize(
    ("strategies", "transfer"), [([], "p2p"), (["join"], "col"), ([], "rma-lock")], ids=lambda each: str(each)
)
def test_intel_mpi_grows_and_shrinks(site: Any, intel: str, strategies: list[str], transfer: str) -> None:
    check_experiment(site, intel, strategies, transfer)


@pytest.mark.parametrize("transfer", ["p2p", pytest.param("col", marks=pytest.mark.whole)])
def test_open_mpi_5_grows_and_shrinks(site: Any, openmpi5: str, transfer: str) -> None:
    check_experiment(site, openmpi5, [], transfer)


def test_doctor_knows_that_processes_spawn_and_do_not_join_with_open_mpi_5(site: Any, openmpi5: str) -> None:
    result = site.nereus("doctor", "--mpi", openmpi5, "--json")
    assert result.code == 0, result.err
    (found,) = result.document["builds"]
    assert found["malleable"]
    assert not found["joining"]["works"]
    assert found["joining"]["reason"]


def test_recoveries_by_ulfm_are_timed_with_open_mpi_5(site: Any, openmpi5: str) -> None:
    """The program checks its data each time that a process was killed."""
    options = ("--cases", "ulfm,ulfm-replace", "-n", "3", "--bytes", "1MiB", "--repeat", "2", "--json")
    result = site.nereus("bench", "recovery", "--mpi", openmpi5, *options, limit=180)
    assert result.code == 0, result.err
    rows = result.document["rows"]
    assert [(row["case"], row["bytes"], row["repeats"]) for row in rows] == [
        ("ulfm", 1 << 20, 2),
        ("ulfm-replace", 1 << 20, 2),
    ]
    assert all(row["seconds"] > 0 and row["lost_iterations"] >= 0 for row in rows)
