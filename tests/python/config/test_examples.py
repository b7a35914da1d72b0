# SPDX-License-Identifier: BSD-3-Clause
"""The experiments that the project ships."""

from __future__ import annotations

from pathlib import Path

import pytest

from nereus.config import load, write_toml

EXAMPLES = Path(__file__).parents[3] / "examples" / "emulate"


@pytest.mark.parametrize("path", sorted(EXAMPLES.iterdir()), ids=lambda path: path.name)
def test_example_loads_without_warnings(path: Path) -> None:
    loaded = load(path)
    assert loaded.warnings == []
    assert loaded.experiment.malleable


def test_conjugate_gradient_is_the_same_in_both_formats() -> None:
    ours = load(EXAMPLES / "cg.toml").experiment
    theirs = load(EXAMPLES / "cg.ini").experiment
    assert ours == theirs
    assert ours.to_run() == theirs.to_run()
    assert [group.ranks for group in ours.groups] == [2, 4, 1, 3]
    assert {(group.process_method, group.transfer_method) for group in ours.groups} == {("merge", "p2p")}


def test_conjugate_gradient_is_that_of_the_papers_divided_by_16() -> None:
    experiment = load(EXAMPLES / "cg.toml").experiment
    element = experiment.data.element_bytes
    assert experiment.data.variable_bytes == 134_228_039 // 16 // element * element
    assert experiment.data.constant_bytes == 3_813_655_465 // 16 // element * element
    stages = [(stage.type, stage.time, stage.bytes) for stage in experiment.phases[0].stages]
    allreduce = ("allreduce", 0.0, 8)
    assert stages == [
        ("matrix", 0.6085314 / 16, 0),
        allreduce,
        allreduce,
        ("allgather", 0.0, 33_176_880 // 16),
    ]


def test_converted_ini_file_is_the_same_experiment(tmp_path: Path) -> None:
    old = load(EXAMPLES / "cg.ini").experiment
    path = tmp_path / "new.toml"
    path.write_text(write_toml(old), encoding="utf-8")
    assert load(path).experiment == old
