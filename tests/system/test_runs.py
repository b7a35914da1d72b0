# SPDX-License-Identifier: BSD-3-Clause
"""Whole runs: from an experiment file to the document."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from nereus.launch import choose

EXAMPLES = Path(__file__).parents[2] / "examples" / "emulate"

STAGES = """\
[[phases]]
iterations = 40
[[phases.stages]]
type = "matrix"
time = 0.004
granularity = 200
[[phases.stages]]
type = "allreduce"
bytes = 8
[[phases.stages]]
type = "allgather"
bytes = 65536
"""
DATA = "[data]\nconstant_bytes = 8000000\nvariable_bytes = 800000\n"
GROUPS = """\
[[groups]]
ranks = 2
iterations = 10
[[groups]]
ranks = 4
iterations = 10
factor = 0.5
[[groups]]
ranks = 1
iterations = 10
factor = 2.0
[[groups]]
ranks = 3
"""
# Within one checkpoint, so that iterations can be counted.
AT_ONCE = "[resize]\nprocess_strategies = []\n"
SMALL = f'name = "small"\nverify = true\n{DATA}{AT_ONCE}{STAGES}{GROUPS}'
# Nothing of it is calibrated, which for each generation takes longer than so small a run.
MESSAGES = """\
[[phases]]
iterations = 40
[[phases.stages]]
type = "allreduce"
bytes = 8
[[phases.stages]]
type = "allgather"
bytes = 4000000
"""
FIXED = f"{DATA}{MESSAGES}[[groups]]\nranks = 2\n"

INI = """\
[general]
Total_Resizes=3
Total_Phases=1
SDR=100000
ADR=1000000
Datasize=8
Rigid=0
Capture_Method=0
[phase0]
Total_Iters=40
Total_Stages=3
[phase0.stage0]
Stage_Type=1
Granularity=200
Stage_Bytes=0
Stage_Time=0.004
[phase0.stage1]
Stage_Type=8
Stage_Bytes=8
Stage_Time=0
[phase0.stage2]
Stage_Type=6
Stage_Bytes=65536
Stage_Time=0
"""
INI_RESIZE = """\
[resize{number}]
Iters=10
Procs={ranks}
FactorS={factor}
Dist=compact
Redistribution_Method=1
Redistribution_Strategy=0
Spawn_Method=1
Spawn_Strategy=0
"""


def check_spread(spread: dict[str, float]) -> None:
    assert 0 < spread["min"] <= spread["median"] <= spread["max"]


def check_resize(resize: dict[str, Any]) -> None:
    assert (resize["process_method"], resize["process_strategies"]) == ("merge", [])
    assert (resize["transfer_method"], resize["transfer_strategy"]) == ("p2p", "blocking")
    assert resize["verified"] is True
    assert resize["bytes_moved"] >= resize["bytes_minimum"] > 0
    assert resize["pause_seconds"] > 0
    assert min(resize[key] for key in ("process_seconds", "constant_seconds", "variable_seconds")) >= 0


def check_totals(told: list[dict[str, Any]]) -> None:
    """What ranks had of a stage in all: as the slowest of each iteration, or less where ranks take turns."""
    quiet = [event for event in told if event["event"] == "iteration" and not event["background"]]
    totals = [event for event in told if event["event"] == "stage_totals"]
    assert [event["group"] for event in totals] == [0, 1, 2, 3]
    for total in totals:
        iterations = [event for event in quiet if event["group"] == total["group"]]
        assert total["iterations"] == len(iterations) > 0
        for stage, seconds in enumerate(total["seconds"]):
            slowest = sum(event["stage_seconds"][stage] for event in iterations)
            assert len(seconds) == [2, 4, 1, 3][total["group"]]
            assert slowest / len(seconds) <= max(seconds) * 1.000001 <= slowest * 1.000002


def test_run_grows_and_shrinks_as_its_file_says(site: Any, mpi: str) -> None:
    result = site.emulate(mpi, site.write("small.toml", SMALL))
    assert result.code == 0, result.err
    document = result.document
    assert [generation["ranks"] for generation in document["generations"]] == [2, 4, 1, 3]
    assert sum(generation["iterations"] for generation in document["generations"]) == 40
    # A resize comes at most two checkpoints after it was asked for.
    assert all(10 <= generation["iterations"] <= 13 for generation in document["generations"][:3])
    for generation in document["generations"]:
        check_spread(generation["iteration_seconds"])
        assert len(generation["stage_seconds"]) == 3
        check_spread(generation["stage_seconds"][0])
    assert [(resize["from"], resize["to"]) for resize in document["resizes"]] == [(2, 4), (4, 1), (1, 3)]
    for resize in document["resizes"]:
        check_resize(resize)
    assert document["undone"] == []
    check_totals(site.events())
    assert (document["finished"], document["data_intact"]) == (True, True)
    assert document["total_seconds"] > 0
    assert ("Open MPI" if mpi == "openmpi" else "MPICH") in document["mpi"]


def test_capped_computation_uses_its_core_for_the_given_time(site: Any, mpich: str) -> None:
    stages = [
        f'[[phases.stages]]\ntype = "{kind}"\ntime = {time}\ncapped = true\n'
        for kind, time in (("pi", 0.002), ("matrix", 0.0001))
    ]
    text = f"{DATA}[[phases]]\niterations = 50\n{''.join(stages)}[[groups]]\nranks = 1\n"
    result = site.emulate(mpich, site.write("capped.toml", text))
    assert result.code == 0, result.err
    (totals,) = [event for event in site.events() if event["event"] == "stage_totals"]
    assert totals["seconds"][0][0] > 0.0999
    assert totals["seconds"][1][0] > 0.00499


def test_newcomers_join_while_the_application_iterates(site: Any, mpi: str) -> None:
    stages = STAGES.replace("iterations = 40", "iterations = 600")
    # The newcomers have time to come; what is left then is soon done.
    groups = "[[groups]]\nranks = 2\niterations = 10\n[[groups]]\nranks = 4\nfactor = 0.1\n"
    text = f"verify = true\n{DATA}{stages}{groups}"
    result = site.emulate(mpi, site.write("joins.toml", text))
    assert result.code == 0, result.err
    (resize,) = result.document["resizes"]
    assert resize["process_strategies"] == ["asynchronous", "join"]
    before, _ = result.document["generations"]
    assert before["background_iterations"] > 2, "the application waited for processes"
    assert result.document["data_intact"] is True


def test_every_method_keeps_the_data(site: Any, mpich: str) -> None:
    methods = [("baseline-inter", "col"), ("baseline-intra", "p2p"), ("merge", "col")]
    first, *others = GROUPS.split("[[groups]]\n")[1:]
    text = f"verify = true\n{DATA}{AT_ONCE}{MESSAGES}[[groups]]\n{first}"
    for group, (process, transfer) in zip(others, methods, strict=True):
        text += f'[[groups]]\n{group}process_method = "{process}"\ntransfer_method = "{transfer}"\n'
    result = site.emulate(mpich, site.write("methods.toml", text))
    assert result.code == 0, result.err
    resizes = result.document["resizes"]
    assert [(resize["process_method"], resize["transfer_method"]) for resize in resizes] == methods
    assert all(resize["verified"] for resize in resizes)
    assert result.document["data_intact"]


def test_toml_and_proteo_ini_give_the_same_generations_and_resizes(site: Any, mpich: str) -> None:
    groups = [(2, 1), (4, 0.5), (1, 2), (3, 1)]
    ini = INI + "".join(
        INI_RESIZE.format(number=number, ranks=ranks, factor=factor)
        for number, (ranks, factor) in enumerate(groups)
    )
    toml = SMALL.replace("[[groups]]\n", '[[groups]]\nsurvivors = "first"\n')  # all that Proteo knows
    # Without a time for the calculation, which would be calibrated in each generation.
    texts = {"small.toml": toml.replace("time = 0.004", "time = 0"), "small.ini": ini.replace("0.004", "0")}
    documents = [
        site.emulate(mpich, site.write(name, text), output=name.replace(".", "-")).document
        for name, text in texts.items()
    ]
    keys = (
        "from",
        "to",
        "process_method",
        "transfer_method",
        "transfer_strategy",
        "bytes_moved",
        "bytes_minimum",
    )
    ours, proteo = (
        (
            [generation["ranks"] for generation in document["generations"]],
            [len(generation["stage_seconds"]) for generation in document["generations"]],
            [{key: resize[key] for key in keys} for resize in document["resizes"]],
        )
        for document in documents
    )
    assert ours == proteo


@pytest.mark.parametrize("name", ["minimal", "io", pytest.param("unbalanced", marks=pytest.mark.whole)])
def test_examples_run(site: Any, mpich: str, name: str) -> None:
    result = site.emulate(mpich, EXAMPLES / f"{name}.toml")
    assert result.code == 0, result.err
    assert result.document["finished"]
    names = {path.name for path in (site.folder / "out").iterdir()}
    assert names >= {"run.json", "run.jsonl"}
    assert "scratch" not in names


def test_mpi_without_spawn_runs_fixed_sizes_and_refuses_resizes(site: Any, mpich_debian: str) -> None:
    fixed = site.emulate(mpich_debian, site.write("fixed.toml", FIXED))
    assert fixed.code == 0, fixed.err
    assert [generation["ranks"] for generation in fixed.document["generations"]] == [2]
    refused = site.emulate(mpich_debian, site.write("small.toml", SMALL), output="none")
    assert refused.code == 2
    assert refused.out == ""
    assert "cannot resize a job (spawn: " in refused.err
    assert not (site.folder / "none").exists()


def test_mpi_without_spawn_is_restarted_in_an_experiment(site: Any, mpich_debian: str) -> None:
    resize = '[resize]\nprocess_method = "restart"\n'
    restarts = f'name = "small"\nverify = true\n{DATA}{resize}{STAGES}{GROUPS}'
    done = site.emulate(mpich_debian, site.write("restarts.toml", restarts))
    assert done.code == 0, done.err
    assert {resize["process_method"] for resize in done.document["resizes"]} == {"restart"}
    assert done.document["data_intact"]


def test_impossible_resize_leaves_the_job_at_its_size(site: Any, mpich_debian: str) -> None:
    # The probe is made to lie, so that the run begins and the library meets the failure itself.
    builds = site.folder / "builds"
    prefix = choose(mpich_debian).prefix
    shutil.copytree(prefix, builds / mpich_debian)
    features = ("spawn", "merge", "intercommunicator_alltoallv", "ports", "disconnect")
    answers = [json.dumps({"feature": name, "works": True, "reason": ""}) for name in features]
    probe = builds / mpich_debian / "bin" / "nereus-probe"
    probe.write_text("#!/bin/sh\n" + "\n".join(f"echo '{answer}'" for answer in answers) + "\n")
    groups = "[[groups]]\nranks = 1\niterations = 10\n[[groups]]\nranks = 2\n"
    text = f"verify = true\n{DATA}{AT_ONCE}{MESSAGES}{groups}"
    result = site.emulate(mpich_debian, site.write("grow.toml", text), NEREUS_BUILDS=str(builds))
    assert result.code == 0, result.err
    document = result.document
    assert document["resizes"] == []
    (undone,) = document["undone"]
    assert (undone["from"], undone["to"], undone["state"]) == (1, 2, "making")
    assert undone["reason"]
    assert {generation["ranks"] for generation in document["generations"]} == {1}
    assert sum(generation["iterations"] for generation in document["generations"]) == 40
    assert document["data_intact"]


def test_doctor_reports_which_mpi_can_resize(site: Any, mpich: str, mpich_debian: str) -> None:
    builds = site.folder / "builds"
    builds.mkdir()
    for name in (mpich, mpich_debian):
        (builds / name).symlink_to(choose(name).prefix)
    # Ten seconds for each way that hangs.
    result = site.nereus("doctor", "--json", "--limit", "60", limit=600.0, NEREUS_BUILDS=str(builds))
    assert result.code == 0, result.err
    found = {build["name"]: build for build in result.document["builds"]}
    assert found[mpich]["malleable"]
    assert found[mpich_debian]["malleable"]
    ways = {way["method"]: way["works"] for way in found[mpich_debian]["ways"] if way["strategies"] == []}
    assert ways == {"merge": False, "baseline-inter": False, "baseline-intra": False, "restart": True}
    assert "spawn" in found[mpich_debian]["features"]["spawn"]["reason"]
    assert found[mpich_debian]["remedy"] == "use --mpi mpich"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SMALL.replace("ranks = 4", "ranks = 0"), "groups[1].ranks = 0"),
        (SMALL.replace("ranks = 4", "ranks = 1000000"), "groups[1].ranks = 1000000"),
        (SMALL.replace("time = 0.004", "time = -1"), "-1"),
        (SMALL.replace('"matrix"', '"marix"'), "marix"),
        (SMALL.replace("granularity", "granularty"), "granularity"),
        (SMALL.replace('"allreduce"', '"wait"'), "wait"),
        (SMALL + "[[groups]", "bad.toml:"),
    ],
)
def test_bad_input_starts_nothing(site: Any, mpich: str, text: str, expected: str) -> None:
    result = site.nereus("emulate", site.write("bad.toml", text), "--mpi", mpich)
    assert result.code == 2
    assert result.out == ""
    lines = result.err.splitlines()  # one for each problem
    assert lines and all(line.startswith("nereus: bad.toml:") for line in lines)
    assert any(expected in line for line in lines)
    assert [path.name for path in site.folder.iterdir()] == ["bad.toml"]


def sleeps_of_waiting_rank(site: Any, mpi: str, **environment: str) -> int:
    """How often a rank sleeps while it waits and the other one computes for a second."""
    waiter = site.program(mpi, "waiter")
    with site.started("run", "--mpi", mpi, "-n", "2", "--", waiter, **environment) as process:
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return int(out)


def test_long_waiting_open_mpi_ranks_leave_a_shared_core(site: Any, openmpi: str) -> None:
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})  # what is started has it for its only core
    try:
        usual = sleeps_of_waiting_rank(site, openmpi)
        without = sleeps_of_waiting_rank(site, openmpi, OMPI_MCA_mpi_yield_when_idle="0")
    finally:
        os.sched_setaffinity(0, cores)
    assert without < 20 < 200 < usual
