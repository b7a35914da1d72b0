# SPDX-License-Identifier: BSD-3-Clause
"""What a user of Proteo's INI files relies on: the same file means the same experiment here."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nereus.config import Loaded

Load = Callable[..., Loaded]
Error = Callable[..., str]

# The form with phases: 1 phase of 2 stages, 1 resize. Line 9 begins the first stage, 18 the first group.
PHASES = """\
[general]
Total_Resizes=1
Total_Phases=1
SDR=200
ADR=1000.7
Rigid=1
Capture_Method=2
[phase0]
Total_Iters=20
Total_Stages=2
[phase0.stage0]
Stage_Type=0
Granularity=1000
Stage_Bytes=0
Stage_Time=0.16
[phase0.stage1]
Stage_Type=8
Stage_Bytes=8
Stage_Time=0
[resize0]
Iters=5
Procs=2
FactorS=1
Dist=compact
Redistribution_Method=3
Redistribution_Strategy=1
Spawn_Method=0
Spawn_Strategy=5
[resize1]
Iters=10
Procs=4
FactorS=0.5
Dist=spread
Redistribution_Method=0
Redistribution_Strategy=0
Spawn_Method=1
Spawn_Strategy=0
"""

# The flat form as most published files have it, with the old codes.
FLAT = """\
[general]
Total_Resizes=1
Total_Stages=2
Granularity=600
SDR=134228039.13600022
ADR=3813655464.864
Rigid=0
;end [general]
[stage0]
Stage_Type=1
Stage_Bytes=0
Stage_Time=0.6085314
;end [stage0]
[stage1]
Stage_Type=4
Stage_Bytes=33176880
Stage_Time=0
;end [stage1]
[resize0]
Iters=500
Procs=10
FactorS=0.204
Dist=compact
Redistribution_Method=0
Redistribution_Strategy=1
Spawn_Method=0
Spawn_Strategy=1
;end [resize0]
[resize1]
Iters=300
Procs=2
FactorS=1
Dist=compact
Redistribution_Method=1
Redistribution_Strategy=1
Spawn_Method=0
Spawn_Strategy=1
;end [resize1]
"""


def test_file_with_phases_is_read(loaded: Load) -> None:
    result = loaded(PHASES, "e.ini")
    assert result.warnings == []
    assert result.dialect == "proteo-ini"
    experiment = result.experiment
    assert (experiment.barrier, experiment.capture) == (True, "median")
    assert (experiment.data.variable_bytes, experiment.data.constant_bytes) == (200, 1000)
    assert experiment.data.element_bytes == 1
    (phase,) = experiment.phases
    assert phase.iterations == 20
    assert [(stage.type, stage.time, stage.bytes) for stage in phase.stages] == [
        ("pi", 0.16, 0),
        ("allreduce", 0.0, 8),
    ]
    assert phase.stages[0].granularity == 1000
    first, second = experiment.groups
    assert (first.ranks, first.iterations, first.factor, first.placement) == (2, 5, 1.0, "compact")
    assert (second.ranks, second.iterations, second.factor, second.placement) == (4, 10, 0.5, "spread")
    assert (second.process_method, second.transfer_method) == ("merge", "col")
    assert (second.transfer_strategy, second.survivors) == ("blocking", "first")


def test_values_are_traced_to_their_line(loaded: Load) -> None:
    origins = loaded(PHASES, "e.ini").origins
    assert origins["groups[1].process_method"].endswith("e.ini:36")
    assert origins["phases[0].stages[1].bytes"].endswith("e.ini:18")
    assert origins["seed"] == "default"


def test_data_is_counted_in_elements(loaded: Load) -> None:
    data = loaded(PHASES.replace("Rigid=1", "Rigid=1\nDatasize=8"), "e.ini").experiment.data
    assert (data.variable_bytes, data.constant_bytes, data.element_bytes) == (1600, 8000, 8)


def test_flat_format_runs_the_iterations_of_its_groups(loaded: Load) -> None:
    result = loaded(FLAT, "e.ini")
    assert result.dialect == "proteo-flat-ini"
    (phase,) = result.experiment.phases
    assert phase.iterations == 800
    assert [(stage.type, stage.bytes) for stage in phase.stages] == [("matrix", 0), ("allgather", 33176880)]
    assert phase.stages[0].granularity == 600
    assert result.experiment.data.constant_bytes == 3813655464
    assert result.experiment.groups[1].process_method == "baseline-intra"
    assert result.experiment.groups[1].transfer_method == "p2p"


def test_choice_of_old_codes_is_reported_and_can_be_overridden(loaded: Load) -> None:
    warnings = loaded(FLAT, "e.ini").warnings
    assert len(warnings) == 1
    assert "read with the old codes of Proteo" in warnings[0]
    assert "--proteo-codes paper or new" in warnings[0]
    assert loaded(FLAT, "e.ini").experiment.groups[1].transfer_strategy == "blocking"
    new = loaded(FLAT.replace("Stage_Type=4", "Stage_Type=6"), "e.ini", proteo_codes="new")
    assert new.experiment.groups[1].transfer_strategy == "thread"


def test_strategies_of_0_select_new_codes(loaded: Load) -> None:
    text = FLAT.replace("Strategy=1", "Strategy=0").replace("Stage_Type=4", "Stage_Type=6")
    result = loaded(text, "e.ini")
    assert "read with the new codes of Proteo" in result.warnings[0]
    assert result.experiment.phases[0].stages[1].type == "allgather"
    old = loaded(text.replace("Strategy=0", "Strategy=1"), "e.ini")
    assert old.experiment.phases[0].stages[1].type == "allreduce"


def test_ambiguous_codes_are_refused(error: Error) -> None:
    text = FLAT.replace("Redistribution_Strategy=1", "Redistribution_Strategy=0", 1).replace(
        "Spawn_Strategy=1", "Spawn_Strategy=6"
    )
    assert "cannot tell which of Proteo's codes it has" in error(text, "e.ini")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("Spawn_Strategy=0", "Spawn_Strategy=9", "37: resize1.Spawn_Strategy = 9: one of 0 (none), 1 (async"),
        (
            "Spawn_Strategy=0",
            "Spawn_Strategy=0:4:5",
            "37: resize1.Spawn_Strategy = 0:4:5: one value; a file with",
        ),
        ("Procs=4", "Procs=4:8", "31: resize1.Procs = 4:8: one value; a file with alternatives"),
        ("Procs=4", "Procs=0", "31: resize1.Procs = 0: a whole number, 1 or more"),
        ("Procs=4", "Procs=1e3", "31: resize1.Procs = 1e3: a whole number, 1 or more"),
        ("Procs=4", "Procs=2", "31: resize1.Procs = 2: another number than the 2 of the group before"),
        ("Procs=4\n", "", "30: resize1.Procs: is missing: processes, 1 or more"),
        ("FactorS=0.5", "FactorS=-1", "32: resize1.FactorS = -1: a number from 1e-9 to 1e9"),
        ("FactorS=0.5", "FactorS=nan", "32: resize1.FactorS = nan: a number above 0"),
        (
            "Method=0\nRedistribution_Strategy=0",
            "Method=4\nRedistribution_Strategy=0",
            "34: resize1.Redistribution_Method = 4: one of 0 (col), 1 (p2p), 2 (rma-lock), 3 (rma-lockall)",
        ),
        (
            "Redistribution_Strategy=0",
            "Redistribution_Strategy=4",
            "35: resize1.Redistribution_Strategy = 4: one of 0 (none), 1 (thread), 2 (nonblocking), ",
        ),
        ("Spawn_Method=1", "Spawn_Method=2", "36: resize1.Spawn_Method = 2: one of 0 (baseline), 1 (merge)"),
        ("Stage_Type=8", "Stage_Type=11", "17: phase0.stage1.Stage_Type = 11: one of 0 (pi), 1 (matrix)"),
        ("Stage_Type=8\nStage_Bytes=8", "Stage_Type=4", "17: phase0.stage1.id = 0: the id of"),
        ("Stage_Time=0.16", "Stage_Time=-1", "15: phase0.stage0.Stage_Time = -1: seconds, 0 or more"),
        ("Stage_Time=0.16", "Stage_Time=inf", "15: phase0.stage0.Stage_Time = inf: seconds, 0 or more"),
        ("SDR=200", "SDR=-1", "4: general.SDR = -1: a whole number, 0 or more"),
        ("SDR=200", "SDR=9999999999999999999", "4: general.SDR = 9999999999999999999: a whole number"),
        ("Rigid=1", "Rigid=2", "6: general.Rigid = 2: one of 0 (no), 1 (yes)"),
        (
            "Capture_Method=2",
            "Capture_Method=3",
            "7: general.Capture_Method = 3: one of 0 (max), 1 (mean), 2 (med",
        ),
        (
            "Total_Resizes=1",
            "Total_Resizes=2",
            "37: resize2.Spawn_Strategy: is missing: the file announces 3",
        ),
        (
            "Total_Resizes=1",
            "Total_Resizes=-1",
            "2: general.Total_Resizes = -1: a whole number from 0 to 10000",
        ),
        (
            "Total_Phases=1",
            "Total_Phases=2",
            "37: phase1.Total_Iters: is missing: the file announces 2 phases",
        ),
        (
            "Total_Stages=2",
            "Total_Stages=3",
            "37: stage2.Stage_Time: is missing: the file announces 3 stages",
        ),
        ("Total_Stages=2\n", "", "9: phase0.Total_Stages: is missing: the number of stages"),
        ("Total_Iters=20", "Total_Iters=0", "9: phase0.Total_Iters = 0: a whole number, 1 or more"),
        ("Total_Iters=20", "Total_Iters", "9: INI syntax: a line is [section], key = value, or a comment"),
        ("[resize0]", "[resize0", "20: INI syntax: a section is written as [general]"),
        ("Procs=4", "  Procs=4", "31: INI syntax: in Proteo an indented line continues the value above"),
    ],
)
def test_error_is_reported_at_its_line(error: Error, old: str, new: str, says: str) -> None:
    at = PHASES.rindex(old)
    text = PHASES[:at] + new + PHASES[at + len(old) :]
    assert error(text, "e.ini").startswith(f"e.ini:{says}")


def test_intercomm_selects_the_baseline_with_intercommunicator(loaded: Load) -> None:
    text = PHASES.replace("Spawn_Method=1\nSpawn_Strategy=0", "Spawn_Method=0\nSpawn_Strategy=3")
    assert loaded(text, "e.ini").experiment.groups[1].process_method == "baseline-inter"
    none = PHASES.replace("Spawn_Method=1\nSpawn_Strategy=0", "Spawn_Method=0\nSpawn_Strategy=0")
    assert loaded(none, "e.ini").experiment.groups[1].process_method == "baseline-intra"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("0", []),
        ("1", ["asynchronous"]),
        ("2", ["single"]),
        ("4", ["multiple"]),
        ("5", ["parallel"]),
        ("1,2", ["asynchronous", "single"]),
        ("5,1", ["asynchronous", "parallel"]),
        ("2,4", ["single", "multiple"]),
        ("1,0,2", ["single"]),
        ("1,1", ["asynchronous"]),
    ],
)
def test_new_strategy_codes_are_translated(loaded: Load, code: str, words: list[str]) -> None:
    at = PHASES.rindex("Spawn_Strategy=0")
    text = PHASES[:at] + f"Spawn_Strategy={code}" + PHASES[at + len("Spawn_Strategy=0") :]
    result = loaded(text, "e.ini")
    assert result.warnings == []
    assert result.experiment.groups[1].process_strategies == words
    assert result.origins["groups[1].process_strategies"].endswith("e.ini:37")


def with_redistribution(text: str, method: str, strategy: str) -> str:
    """The last resize of `text` with other codes."""
    before, _, last = text.rpartition("Redistribution_Method=")
    rest = last.partition("Spawn_Method")
    return f"{before}Redistribution_Method={method}\nRedistribution_Strategy={strategy}\n{rest[1]}{rest[2]}"


@pytest.mark.parametrize(
    ("text", "codes", "ours"),
    [
        (PHASES, ("0", "0"), ("col", "blocking")),
        (PHASES, ("0", "2"), ("col", "nonblocking")),
        (PHASES, ("1", "3"), ("p2p", "wait-drains")),
        (PHASES, ("1", "1"), ("p2p", "thread")),
        (PHASES, ("2", "1"), ("rma-lock", "thread")),
        (PHASES, ("3", "3"), ("rma-lockall", "wait-drains")),
        (PHASES, ("3", "2,0,3"), ("rma-lockall", "wait-drains")),
        (FLAT, ("0", "1"), ("col", "blocking")),
        (FLAT, ("0", "2"), ("col", "nonblocking")),
        (FLAT, ("1", "3"), ("p2p", "wait-drains")),
        (FLAT, ("3", "5"), ("rma-lockall", "thread")),
    ],
)
def test_redistribution_codes_are_translated(
    loaded: Load, text: str, codes: tuple[str, str], ours: tuple[str, str]
) -> None:
    result = loaded(with_redistribution(text, *codes), "e.ini")
    group = result.experiment.groups[1]
    assert (group.transfer_method, group.transfer_strategy) == ours
    assert [warning for warning in result.warnings if "as in Proteo" in warning] == []
    assert "e.ini:" in result.origins["groups[1].transfer_strategy"]


@pytest.mark.parametrize(
    ("codes", "ours", "said"),
    [
        (("2", "0"), "wait-drains", ["wait-drains instead of blocking, as in Proteo with rma-lock"]),
        (("3", "2"), "wait-drains", ["wait-drains instead of nonblocking, as in Proteo with rma-lockall"]),
        (("0", "1,2"), "nonblocking", ["thread is left out, as in Proteo: nonblocking comes after it"]),
        (("1", "2,3"), "wait-drains", ["nonblocking is left out, as in Proteo: wait-drains comes after it"]),
    ],
)
def test_redistribution_changed_by_proteo_is_changed_with_a_warning(
    loaded: Load, codes: tuple[str, str], ours: str, said: list[str]
) -> None:
    result = loaded(with_redistribution(PHASES, *codes), "e.ini")
    assert result.experiment.groups[1].transfer_strategy == ours
    key = f"e.ini:35: resize1.Redistribution_Strategy = {codes[1]}: "
    assert [warning.partition(key)[2] for warning in result.warnings] == said


def test_one_sided_methods_make_an_intracommunicator_as_in_proteo(loaded: Load) -> None:
    text = with_redistribution(PHASES, "2", "3").replace(
        "Spawn_Method=1\nSpawn_Strategy=0", "Spawn_Method=0\nSpawn_Strategy=3"
    )
    result = loaded(text, "e.ini")
    group = result.experiment.groups[1]
    assert (group.process_method, group.transfer_method) == ("baseline-intra", "rma-lock")
    assert [w.partition("e.ini:37: ")[2] for w in result.warnings] == [
        "resize1.Spawn_Strategy = 3: intercomm is left out, as in Proteo with rma-lock"
    ]


@pytest.mark.parametrize(
    ("code", "words"),
    [("1", []), ("2", ["asynchronous"]), ("3", ["single"]), ("6", ["asynchronous", "single"])],
)
def test_old_strategy_codes_are_translated(loaded: Load, code: str, words: list[str]) -> None:
    at = FLAT.rindex("Spawn_Strategy=1")
    text = FLAT[:at] + f"Spawn_Strategy={code}" + FLAT[at + len("Spawn_Strategy=1") :]
    assert loaded(text, "e.ini").experiment.groups[1].process_strategies == words


def test_baseline_has_strategies_besides_its_intercommunicator(loaded: Load) -> None:
    text = PHASES.replace("Spawn_Method=1\nSpawn_Strategy=0", "Spawn_Method=0\nSpawn_Strategy=3,1")
    group = loaded(text, "e.ini").experiment.groups[1]
    assert (group.process_method, group.process_strategies) == ("baseline-inter", ["asynchronous"])


@pytest.mark.parametrize(
    ("code", "words", "lost"),
    [("2,4,5", ["parallel"], ["single", "multiple"]), ("5,2", ["single"], ["parallel"])],
)
def test_later_of_conflicting_strategies_is_kept_as_in_proteo(
    loaded: Load, code: str, words: list[str], lost: list[str]
) -> None:
    result = loaded(PHASES.replace("Spawn_Strategy=0", f"Spawn_Strategy={code}"), "e.ini")
    assert result.experiment.groups[1].process_strategies == words
    assert [warning.partition(f"Spawn_Strategy = {code}: ")[2] for warning in result.warnings] == [
        f"{name} is left out, as in Proteo: {words[0]} comes after it" for name in lost
    ]


def test_strategies_dropped_by_proteo_from_a_merge_are_dropped_with_a_warning(loaded: Load) -> None:
    result = loaded(
        PHASES.replace("Procs=4", "Procs=1").replace("Spawn_Strategy=0", "Spawn_Strategy=2,3"), "e.ini"
    )
    assert result.experiment.groups[1].process_method == "merge"
    assert ["single is left out" in result.warnings[0], "intercomm is left out" in result.warnings[1]] == [
        True
    ] * 2


def test_key_after_the_last_key_of_a_section_is_lost_with_a_warning(loaded: Load) -> None:
    text = PHASES.replace("Stage_Time=0.16\n", "Stage_Time=0.16\nStage_Time_Capped=1\n")
    text = text.replace("Spawn_Strategy=5\n", "Spawn_Strategy=5\nFactorS=3\n")
    result = loaded(text, "e.ini")
    assert not result.experiment.phases[0].stages[0].capped
    lost, closes = "lost, as in Proteo: it comes after ", ", which closes the section"
    assert result.experiment.groups[0].factor == 1.0
    assert [warning.split("e.ini:")[1] for warning in result.warnings] == [
        "16: [phase0.stage0] Stage_Time_Capped: " + lost + "Stage_Time" + closes,
        "30: [resize0] FactorS: " + lost + "Spawn_Strategy" + closes,
    ]


def test_surplus_group_is_ignored_with_warnings(loaded: Load) -> None:
    result = loaded(PHASES.replace("Total_Resizes=1", "Total_Resizes=0"), "e.ini")
    assert not result.experiment.malleable
    assert len(result.warnings) == 8
    assert all("Total_Resizes announces no resize1" in warning for warning in result.warnings)


def test_unknown_keys_and_sections_are_ignored_with_a_warning(loaded: Load) -> None:
    text = PHASES.replace("Procs=4\n", "Procs=4 ; four\nColour=red\n") + "[other]\nProcs=9\n"
    result = loaded(text, "e.ini")
    assert result.experiment.groups[1].ranks == 4
    assert [warning.split("e.ini:")[1] for warning in result.warnings] == [
        "32: [resize1] Colour: unknown key, ignored as Proteo does",
        "40: [other] Procs: unknown key, ignored as Proteo does",
    ]


def test_totals_must_precede_what_they_count(error: Error) -> None:
    text = PHASES.replace("Total_Resizes=1\n", "") + "[general]\nTotal_Resizes=1\n"
    assert error(text, "e.ini").startswith(
        "e.ini:38: resize1.Spawn_Strategy: is missing: the file announces 2"
    )


def test_ip2p_matches_its_wait_with_and_without_identifier(loaded: Load) -> None:
    stages = PHASES.replace("Stage_Type=8", "Stage_Type=4").replace("Stage_Type=0", "Stage_Type=3")
    stages = stages.replace("Stage_Bytes=8\n", "")
    bound = stages.replace("Stage_Bytes=0\n", "Stage_Bytes=64\nStage_Identifier=7\n")
    bound = bound.replace("Stage_Time=0\n", "Stage_Identifier=7\nStage_Time=0\n")
    for text, identity in ((stages, 0), (bound, 7)):
        first, second = loaded(text, "e.ini").experiment.phases[0].stages
        assert (first.type, second.type) == ("ip2p", "wait")
        assert first.id == second.id == identity


@pytest.mark.parametrize(
    ("old", "new", "key", "kept"),
    [
        (
            "Stage_Bytes=8\nStage_Time=0",
            "Stage_Bytes=8\nStage_Time=0.5",
            "Stage_Time = 0.5",
            (0.0, 8, False, 0),
        ),
        (
            "Stage_Bytes=8",
            "Stage_Bytes=8\nStage_Involved_Procs=1",
            "Stage_Involved_Procs = 1",
            (0.0, 8, False, 0),
        ),
        (
            "Stage_Bytes=8\nStage_Time=0",
            "Stage_Bytes=8\nStage_Time_Capped=1\nStage_Time=0.5",
            "Stage_Bytes = 8",
            (0.5, 0, True, 0),
        ),
    ],
)
def test_keys_without_effect_in_proteo_are_reported(
    loaded: Load, old: str, new: str, key: str, kept: tuple[float, int, bool, int]
) -> None:
    result = loaded(PHASES.replace(old, new), "e.ini")
    stage = result.experiment.phases[0].stages[1]
    assert (stage.time, stage.bytes, stage.capped, stage.ranks) == kept
    assert len(result.warnings) == 1
    assert f"{key}: of no effect, as in Proteo" in result.warnings[0]


def test_write_and_read_codes_keep_the_participating_ranks(loaded: Load) -> None:
    text = PHASES.replace(
        "Stage_Type=8\nStage_Bytes=8", "Stage_Type=9\nStage_Bytes=8\nStage_Involved_Procs=1"
    )
    result = loaded(text, "e.ini")
    assert result.warnings == []
    stage = result.experiment.phases[0].stages[1]
    assert (stage.type, stage.ranks) == ("write", 1)
