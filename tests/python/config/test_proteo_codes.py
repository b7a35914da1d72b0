# SPDX-License-Identifier: BSD-3-Clause
"""What a user of Proteo relies on: a file means what it meant when it was written, whichever codes it has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from nereus.config import Loaded, load, write_toml

Load = Callable[..., Loaded]
Error = Callable[..., str]
GOLDEN = Path(__file__).with_name("golden")
PAPER = (GOLDEN / "paper.ini").read_text("utf-8")


@pytest.mark.parametrize("codes", ["paper", "old", "new"])
def test_file_of_each_table_of_codes_has_its_meaning(codes: str) -> None:
    found, expected = load(GOLDEN / f"{codes}.ini"), load(GOLDEN / f"{codes}.toml")
    assert found.experiment == expected.experiment
    assert f"read with the {codes} codes of Proteo, because" in found.warnings[0]
    assert write_toml(found.experiment) == (GOLDEN / f"{codes}.toml").read_text("utf-8")


def test_total_data_is_divided_by_the_percentage(loaded: Load) -> None:
    data = loaded(PAPER, "e.ini").experiment.data
    assert (data.variable_bytes, data.constant_bytes) == (134_198_000, 3_812_802_001)
    for percentage, constant in (("0", 0), ("100", 3_947_000_001)):
        text = PAPER.replace("Redistribution=96.6", f"Redistribution={percentage}")
        assert loaded(text, "e.ini").experiment.data.constant_bytes == constant


def test_names_of_the_paper_are_read_in_json(loaded: Load) -> None:
    text = """{
        "general": {"Total_Reconfigurations": 0, "Total_Phases": 1,
                    "Total_Data_Redistribution": 200, "Asynch_Percentage_Redistribution": 25},
        "phases": [{"Total_Iters": 5, "Total_Stages": 1, "stages": [
            {"Stage_Type": 6, "Stage_Bytes": 8, "Stage_Time": 0}]}],
        "groups": [{"Iters": 5, "Procs": 2}]}"""
    result = loaded(text, "e.json")
    assert result.experiment.phases[0].stages[0].type == "allreduce"
    assert (result.experiment.data.variable_bytes, result.experiment.data.constant_bytes) == (150, 50)
    assert "read with the paper codes of Proteo" in result.warnings[0]


def test_stages_of_the_paper_beside_old_strategies_are_the_papers(loaded: Load) -> None:
    text = PAPER.replace("Total_Reconfigurations", "Total_Resizes").replace(
        "Spawn_Strategy=2", "Spawn_Strategy=6"
    )
    text = text.replace("Total_Data_Redistribution=3947000001", "SDR=1").replace(
        "Asynch_Percentage_Redistribution=96.6", "ADR=2"
    )
    result = loaded(text, "e.ini")
    assert [stage.type for stage in result.experiment.phases[0].stages] == [
        "matrix",
        "ip2p",
        "wait",
        "allgather",
    ]
    assert "because a stage type is 7 or 8 and a Spawn_Strategy is 6" in result.warnings[0]


def test_codes_that_were_said_are_taken(loaded: Load) -> None:
    old = (GOLDEN / "old.ini").read_text("utf-8").replace("Stage_Type=1", "Stage_Type=7")
    text = old.replace("Stage_Type=4", "Stage_Type=8")
    stages = loaded(text, "e.ini", proteo_codes="paper").experiment.phases[0].stages
    assert [stage.type for stage in stages] == ["ip2p", "wait"]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("Spawn_Strategy=2", "Spawn_Strategy=0", "a strategy is 0, which only the new codes have"),
        ("Stage_Type=8", "Stage_Type=9", "a stage type is above 8, which only the new codes have"),
        ("=96.6", "=101", "a number from 0 to 100"),
        ("=96.6", "=-1", "a number from 0 to 100"),
        ("=3947000001", "=some", "a whole number, 0 or more"),
        ("=3947000001", "=-5", "a whole number, 0 or more"),
        ("Asynch_Percentage_Redistribution=96.6", "", "percentage of constant data, 0 to 100"),
        ("Total_Data_Redistribution=3947000001", "", "bytes to redistribute, 0 or more"),
        ("Granularity=600", "SDR=5", "Total_Data_Redistribution is there too"),
        ("Granularity=600", "Total_Resizes=1", "Total_Resizes is there too"),
    ],
)
def test_file_of_the_paper_that_makes_no_sense_is_refused(
    error: Error, old: str, new: str, says: str
) -> None:
    assert old in PAPER
    assert says in error(PAPER.replace(old, new), "e.ini")
