# SPDX-License-Identifier: BSD-3-Clause
"""What a user of Proteo's JSON files relies on."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from nereus.config import Loaded

Load = Callable[..., Loaded]
Error = Callable[..., str]

GROUP = {"FactorS": 1, "Dist": "compact", "Redistribution_Method": 1, "Redistribution_Strategy": [0]}
GENERAL = {"Total_Resizes": 1, "Total_Phases": 2, "SDR": 500.0, "ADR": 1e3, "Datasize": 4, "Rigid": 0}
TREE = {
    "general": GENERAL | {"Capture_Method": 1},
    "phases": [
        {
            "Total_Iters": 1,
            "Total_Stages": 1,
            "stages": [{"Stage_Type": 9, "Stage_Bytes": 1000, "Stage_Involved_Procs": 1, "Stage_Time": 0}],
        },
        {
            "Total_Iters": 22,
            "Total_Stages": 2,
            "stages": [
                {"Stage_Type": 1, "Stage_Bytes": 0, "Stage_Time": 0.5},
                {"Stage_Type": 6, "Stage_Bytes": 3000, "Stage_Time": 0},
            ],
        },
    ],
    "groups": [
        GROUP | {"Iters": 5, "Procs": 2, "Spawn_Method": 0, "Spawn_Strategy": [5]},
        GROUP | {"Iters": 9, "Procs": 4, "Spawn_Method": 1, "Spawn_Strategy": [0]},
    ],
}
TEXT = json.dumps(TREE, indent=1)


def line_of(part: str) -> int:
    """The line of the last occurrence of `part` in TEXT."""
    return TEXT.count("\n", 0, TEXT.rindex(part)) + 1


def test_file_is_read(loaded: Load) -> None:
    result = loaded(TEXT, "e.json")
    assert result.warnings == []
    assert result.dialect == "proteo-json"
    experiment = result.experiment
    assert experiment.capture == "mean"
    assert (experiment.data.variable_bytes, experiment.data.constant_bytes) == (2000, 4000)
    assert [phase.iterations for phase in experiment.phases] == [1, 22]
    assert [stage.type for phase in experiment.phases for stage in phase.stages] == [
        "write",
        "matrix",
        "allgather",
    ]
    assert experiment.phases[0].stages[0].ranks == 1
    assert experiment.phases[1].stages[0].granularity == 600
    assert [(group.ranks, group.iterations) for group in experiment.groups] == [(2, 5), (4, 9)]
    assert (experiment.groups[1].process_method, experiment.groups[1].transfer_method) == ("merge", "p2p")


def test_values_are_traced_to_their_line(loaded: Load) -> None:
    origins = loaded(TEXT, "e.json").origins
    assert origins["groups[1].ranks"].endswith(f"e.json:{line_of('Procs')}")
    assert origins["phases[1].stages[1].bytes"].endswith(f"e.json:{line_of('3000')}")


def test_unknown_keys_are_ignored_with_a_warning(loaded: Load) -> None:
    result = loaded(TEXT.replace('"Procs": 4', '"Colour": "red",\n"Procs": 4'), "e.json")
    assert len(result.warnings) == 1
    assert "groups[1].Colour: unknown key, ignored as Proteo does" in result.warnings[0]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            '"Total_Resizes": 1',
            '"Total_Resizes": 2',
            "general.Total_Resizes = 2: 1, the number of groups less one",
        ),
        (
            '"Total_Phases": 2',
            '"Total_Phases": 1',
            "general.Total_Phases = 1: 2, the number of phases in the file",
        ),
        ('"Total_Stages": 2', '"Total_Stages": 3', "phases[1].Total_Stages = 3: 2, the number of stages"),
        ('"Procs": 4', '"Procs": "4:8"', "groups[1].Procs = 4:8: one value; a file with alternatives"),
        ('"Procs": 4', '"Procs": true', "groups[1].Procs = true: a whole number, 1 or more"),
        ('"Procs": 4', '"Procs": 4.5', "groups[1].Procs = 4.5: a whole number, 1 or more"),
        ('"Procs": 4', '"Procs": NaN', "groups[1].Procs = NaN: a whole number, 1 or more"),
        ('"Procs": 4', '"Procs": 1e300', "groups[1].Procs = 1e+300: a whole number, 1 or more"),
        ('"Procs": 4', '"Procs": [4]', "groups[1].Procs = [4]: a whole number, 1 or more"),
        (
            '"Stage_Time": 0.5',
            '"Stage_Time": -0.5',
            "phases[1].stages[0].Stage_Time = -0.5: seconds, 0 or more",
        ),
        ('"Stage_Time": 0.5', '"Stage_Time": Infinity', "phases[1].stages[0].Stage_Time = Infinity: seconds"),
        ('"Stage_Type": 6', '"Stage_Type": 60', "phases[1].stages[1].Stage_Type = 60: one of 0 (pi)"),
        ('"Datasize": 4', '"Datasize": 3', "general.Datasize = 3: one of 1 (byte), 2 (bytes)"),
        ('"SDR": 500.0', '"SDR": 5e18', "general.SDR = 5e+18: a whole number, 0 or more"),
    ],
)
def test_error_is_reported_at_its_line(error: Error, old: str, new: str, says: str) -> None:
    assert TEXT.count(old) == 1
    assert error(TEXT.replace(old, new), "e.json").startswith(f"e.json:{line_of(old)}: {says}")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "e.json:1: JSON syntax: "),
        ('{"general":\n}', "e.json:2: JSON syntax: "),
        ("[]", "e.json:1: an object with general, phases and groups"),
        ("{}", "e.json:1: general: an object with Total_Resizes"),
        ('{"general": {},\n"phases": []}', "e.json:2: phases = []: an array of at least one object"),
        ('{"general": {},\n"phases": [{"stages":\n 3}]}', "e.json:2: phases[0].stages = 3: an array"),
        ('{"general": 3}', "e.json:1: general = 3: an object with"),
        ("[" * 100_000, "e.json:1: JSON syntax: "),
        ("1" * 5000, "e.json:1: JSON syntax: "),
    ],
)
def test_file_of_another_structure_is_reported_with_the_expected_one(
    error: Error, text: str, says: str
) -> None:
    assert error(text, "e.json").startswith(says)


def test_empty_list_of_strategies_is_reported(error: Error) -> None:
    tree = json.loads(TEXT)
    tree["groups"][1]["Spawn_Strategy"] = []
    assert "groups[1].Spawn_Strategy = []: a list of at least one code" in error(json.dumps(tree), "e.json")


def test_one_sided_method_waits_for_the_drains_as_in_proteo(loaded: Load) -> None:
    tree = json.loads(TEXT)
    tree["groups"][1]["Redistribution_Method"] = 3
    result = loaded(json.dumps(tree), "e.json")
    group = result.experiment.groups[1]
    assert (group.transfer_method, group.transfer_strategy) == ("rma-lockall", "wait-drains")
    (warning,) = result.warnings
    assert "groups[1].Redistribution_Strategy = [0]: wait-drains instead of blocking, as in Proteo" in warning
