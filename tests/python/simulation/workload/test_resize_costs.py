# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: what resizes cost jobs and the machine, worked out by hand and for any jobs."""

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_start_order_properties import CORES, SIZING, Watched, of_all_kinds

from nereus.policy.strategies import STRATEGIES
from nereus.simulation.workload.behaviour import ResizeCostTable
from nereus.simulation.workload.job import Job, Kind, Outcome
from nereus.simulation.workload.orders.order import SizingOrder
from nereus.simulation.workload.orders.registry import ORDERS
from nereus.simulation.workload.resize_cost import ResizeCost, moved_between_blocks
from nereus.simulation.workload.simulation import simulate

Nereus = Callable[..., tuple[int, str, str]]
WORKLOAD = """
cores = 4
[[jobs]]
name = "growing"
ranks = 2
seconds = 10
limit = 100
kind = "malleable"
"""


def malleable(ranks: int, seconds: float, limit: float = 100, memory: float | None = None) -> Job:
    return Job("malleable", 0, ranks, seconds, limit, Kind.MALLEABLE, 1, 4, memory)


def rigid(submit: float, ranks: int, seconds: float) -> Job:
    return Job.rigid("rigid", submit, ranks, seconds, seconds)


def on_four_cores(jobs: Sequence[Job], seconds: float, order: str = "easy") -> list[Outcome]:
    return simulate(
        jobs,
        ORDERS[order].make(4),
        STRATEGIES["keep-preferred"],
        parallel_fraction=1.0,
        cost=ResizeCost.constant(seconds),
    )


@pytest.mark.parametrize("order", SIZING)
def test_job_that_grows_has_its_new_cores_and_makes_no_progress(order: str) -> None:
    (grown,) = on_four_cores([malleable(2, 10)], 3, order)
    assert (grown.ended, grown.resizes, grown.ranks) == (3 + 5, 1, 4)
    assert (grown.core_seconds, grown.lost_core_seconds, grown.work_seconds) == (32, 12, 10)


@pytest.mark.parametrize("order", SIZING)
def test_cores_that_a_job_gives_are_free_when_its_data_has_moved(order: str) -> None:
    shrunk, waiting = on_four_cores([malleable(2, 10), rigid(2, 2, 10)], 1, order)
    # It grows in 1 s, does 2 s of its work in another, and gives two cores from 2 s to 3 s.
    assert (waiting.started, waiting.ended) == (3, 13)
    assert (shrunk.ended, shrunk.resizes, shrunk.ranks) == (3 + 8, 2, 2)
    assert (shrunk.core_seconds, shrunk.lost_core_seconds) == (4 * 3 + 2 * 8, 4 * 2)


def test_job_cannot_be_resized_while_it_is_resized() -> None:
    grown, waiting = on_four_cores([malleable(2, 10), rigid(2, 2, 10)], 3)
    # Only at 3 s has it grown; then it gives two cores for 3 s.
    assert (waiting.started, grown.ended, grown.lost_core_seconds) == (6, 16, 24)


def test_cores_on_their_way_to_the_first_waiting_job_are_not_asked_for_twice() -> None:
    halves = [Job(name, 0, 1, 100, 1000, Kind.MALLEABLE, 1, 2) for name in "ab"]
    first, last, waiting, _ = on_four_cores([*halves, rigid(5, 1, 10), rigid(6, 4, 1)], 2)
    # Both have two ranks. The last gives one from 5 s to 7 s, and at 6 s nobody else is asked for it.
    assert (waiting.started, first.resizes, last.resizes) == (7, 1, 3)


def test_idle_cores_stay_idle_while_the_first_waiting_job_gets_the_rest() -> None:
    gives, grows = (Job(name, 0, 1, 100, 1000, Kind.MALLEABLE, 1, 2) for name in "ab")
    outcomes = on_four_cores([gives, grows, rigid(0, 1, 5), rigid(4, 2, 10)], 2)
    # At 5 s one core is free, and the first gives another, until 7 s.
    assert (outcomes[3].started, outcomes[0].resizes) == (7, 3)


def test_cores_of_a_job_that_is_killed_while_it_gives_some_are_not_expected_any_more() -> None:
    killed = Job("killed", 0, 4, 100, 10, Kind.MALLEABLE, 2, 4)
    later = Job("later", 3, 4, 1000, 10_000, Kind.MALLEABLE, 2, 4)
    jobs = [killed, rigid(2, 2, 10), later, rigid(100, 2, 10)]
    outcomes = simulate(
        jobs, ORDERS["fcfs"].make(4), STRATEGIES["keep-least"], 1.0, cost=ResizeCost.constant(60)
    )
    assert (outcomes[0].ended, outcomes[0].killed, outcomes[1].started) == (10, True, 10)
    # The later one grows from 20 s to 80 s, and gives from 100 s to 160 s.
    assert (outcomes[2].started, outcomes[3].started) == (10, 160)


def test_limit_goes_on_while_a_job_is_resized() -> None:
    (killed,) = on_four_cores([malleable(2, 10, limit=10)], 3)
    # On four ranks the limit is 5 s, 3 s of which the resize takes.
    assert (killed.ended, killed.killed, killed.work_seconds) == (5, True, 4)
    (killed,) = on_four_cores([malleable(2, 10, limit=10)], 60)
    assert (killed.ended, killed.killed, killed.work_seconds) == (5, True, 0)
    assert killed.core_seconds == killed.lost_core_seconds == 20


def test_job_that_ends_in_its_resize_gives_all_its_cores() -> None:
    ended, waiting = on_four_cores([malleable(2, 10, limit=10), rigid(2, 3, 10)], 60)
    assert (ended.ended, waiting.started) == (5, 5)


@pytest.mark.parametrize("order", SIZING)
@pytest.mark.parametrize("strategy", STRATEGIES)
@given(jobs=of_all_kinds(), seconds=st.sampled_from([0.25, 1.0, 4.0, 30.0]))
@settings(max_examples=80, deadline=None)
def test_resizes_that_take_time_leave_all_work_done_within_the_cores(
    order: str, strategy: str, jobs: list[Job], seconds: float
) -> None:
    """Run times do not depend on ranks here: a job takes its work and its resizes, up to its limit."""
    inner = ORDERS[order].make(CORES)
    assert isinstance(inner, SizingOrder)
    cost = ResizeCost.constant(seconds)
    outcomes = simulate(jobs, Watched(inner), STRATEGIES[strategy], 0.0, cost=cost)
    for job, each in zip(jobs, outcomes, strict=True):
        ran = each.ended - each.started
        needed = job.seconds + each.resizes * seconds
        if each.killed:
            assert ran == pytest.approx(job.limit) and each.work_seconds < job.seconds
        else:
            assert ran == pytest.approx(needed) and each.work_seconds == job.seconds
        assert each.killed or needed <= job.limit * (1 + 1e-9)
        assert each.core_seconds >= each.lost_core_seconds * (1 - 1e-9)
        assert (each.lost_core_seconds > 0) == (each.resizes > 0)
    used = sum(each.core_seconds for each in outcomes)
    assert used <= CORES * max(each.ended for each in outcomes) * (1 + 1e-9)


@pytest.mark.parametrize("order", SIZING)
@given(jobs=of_all_kinds(), parallel=st.sampled_from([0.5, 0.99, 1.0]))
@settings(max_examples=60, deadline=None)
def test_limits_are_kept_on_all_ranks(order: str, jobs: list[Job], parallel: float) -> None:
    cost = ResizeCost.constant(1.0)
    for job, each in zip(
        jobs,
        simulate(jobs, ORDERS[order].make(CORES), STRATEGIES["keep-least"], parallel, cost=cost),
        strict=True,
    ):
        assert each.work_seconds <= min(job.seconds, job.limit)
        assert each.killed == (each.work_seconds < job.seconds)
        slowest = (1 - parallel) + parallel * job.ranks / job.least
        assert each.ended - each.started <= job.limit * slowest * (1 + 1e-9)


@given(jobs=of_all_kinds())
@settings(max_examples=60, deadline=None)
def test_resizes_that_cost_nothing_change_nothing(jobs: list[Job]) -> None:
    free, none = (
        simulate(jobs, ORDERS["easy"].make(CORES), STRATEGIES["keep-least"], cost=cost)
        for cost in (ResizeCost.constant(0.0), None)
    )
    assert free == none


@given(old=st.integers(1, 40), new=st.integers(1, 40))
def test_bytes_that_messages_move_are_those_that_get_another_owner(old: int, new: int) -> None:
    kept = Fraction(0)
    for rank in range(min(old, new)):
        begin = max(Fraction(rank, old), Fraction(rank, new))
        kept += max(Fraction(0), min(Fraction(rank + 1, old), Fraction(rank + 1, new)) - begin)
    assert moved_between_blocks(old, new) == pytest.approx(float(1 - kept), abs=1e-12)


@pytest.mark.parametrize(
    ("table", "seconds"),
    [
        ({"method": "constant", "seconds": 7}, 7),
        ({"method": "shared-memory"}, 0.01),
        # 2 to 4 ranks of 1 GiB: three quarters of 2 GiB at 2 * 2.4 GB/s.
        ({"method": "messages"}, 0.02 + 0.75 * 2**31 / 4.8e9),
        ({"method": "messages", "seconds": 1, "rate": 1e9, "memory_per_rank": 1e9}, 1 + 1.5),
        ({"method": "messages", "rate_per_rank": 1e8, "memory_per_rank": 1e9}, 0.02 + 7.5),
        ({"method": "restart", "rate": 1e9, "memory_per_rank": 1e9}, 0.56 + 2),
        ({"method": "save-and-resume", "rate": 1e9, "memory_per_rank": 1e9, "seconds": 60}, 60 + 4),
    ],
)
def test_methods_take_their_time_and_move_their_bytes(table: dict[str, Any], seconds: float) -> None:
    cost = ResizeCostTable.model_validate(table).made()
    assert cost.of(malleable(2, 10), 2, 4) == pytest.approx(seconds)


def test_job_has_its_own_bytes() -> None:
    cost = ResizeCostTable.model_validate({"method": "restart", "seconds": 0, "rate": 1e6}).made()
    assert cost.of(malleable(2, 10, memory=5e6), 2, 3) == 10


def test_workload_and_option_say_what_resizes_cost(nereus: Nereus, tmp_path: Path) -> None:
    file = tmp_path / "w.toml"
    memory = WORKLOAD + "memory_per_rank = 3e9\n"
    file.write_text(memory + '[resize_cost]\nmethod = "restart"\nseconds = 2\nrate = 2e9\n')
    told = []
    for options in ((), ("--resize-cost", "1"), ("--resize-cost", "0")):
        code, out, _ = nereus("simulate", "workload", file, "--json", "--quiet", *options)
        assert code == 0
        document = json.loads(out)
        (row,) = document["rows"]
        told.append((row["makespan_seconds"], row["core_hours_lost_to_resizes"]))
        assert document["summary"][0]["core_hours_lost_to_resizes"]["mean"] == told[-1][1]
    work = 10 * (0.01 + 0.99 / 2)
    assert told == [
        (pytest.approx(5 + work), pytest.approx(20 / 3600)),
        (pytest.approx(1 + work), pytest.approx(4 / 3600)),
        (pytest.approx(work), 0),
    ]
    heads = []
    for cost in ("1", "0"):
        code, out, _ = nereus("simulate", "workload", file, "--quiet", "--resize-cost", cost)
        heads.append("lost to resizes" in out)
    assert heads == [True, False]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('method = "magic"\n', ':10: resize_cost.method = "magic": one of constant, shared-memory'),
        ("seconds = 3\n", ":9: resize_cost.method: is missing: one of constant"),
        ('method = "constant"\n', ":9: resize_cost.seconds: is missing: what each resize takes"),
        ('method = "constant"\nseconds = -1\n', ":11: resize_cost.seconds = -1: seconds from 0 to 1e10"),
        ('method = "restart"\n', ":9: resize_cost.rate: is missing: bytes per second of the store"),
        (
            'method = "shared-memory"\nrate = 1e9\n',
            ":11: resize_cost.rate = 1000000000.0: goes with a method that moves data",
        ),
        ('method = "messages"\nrate_per_rank = 0\n', ":11: resize_cost.rate_per_rank = 0: bytes per second"),
        ('method = "messages"\nmemory_from = "all"\n', ':11: resize_cost.memory_from = "all": one of used'),
        ('method = "messages"\nmemory_from = "used"\n', ":11: resize_cost.memory_from = "),
        ('method = "messages"\nspeed = 3\n', ":11: resize_cost.speed = 3: "),
    ],
)
def test_wrong_table_of_costs_is_reported(nereus: Nereus, tmp_path: Path, table: str, said: str) -> None:
    file = tmp_path / "w.toml"
    file.write_text(WORKLOAD + "[resize_cost]\n" + table)
    code, out, err = nereus("simulate", "workload", file, "--json")
    assert (code, out) == (2, "")
    assert err.startswith(f"nereus: {file}{said}") and err.count("\n") == 1


@pytest.mark.parametrize(("field", "memory"), [("used", 3.0), ("requested", 5.0), (None, 7.0)])
def test_jobs_of_a_trace_have_the_memory_that_it_tells(
    nereus: Nereus, tmp_path: Path, field: str | None, memory: float
) -> None:
    """The second job has none of the two."""
    line = "{} 0 -1 10 1 -1 {} 1 20 {} 1 1 1 1 1 -1 -1 -1\n"
    (tmp_path / "day.swf").write_text(line.format(1, 3, 5) + line.format(2, -1, -1))
    file = tmp_path / "w.toml"
    asked = "" if field is None else f'memory_from = "{field}"\n'
    file.write_text(
        'cores = 4\ntrace = "day.swf"\nmalleable = [100]\nparallel_fraction = 0.0\n'
        f'[resize_cost]\nmethod = "restart"\nrate = 1024.0\nseconds = 0\nmemory_per_rank = 7168.0\n{asked}'
    )
    code, out, _ = nereus("simulate", "workload", file, "--json", "--quiet")
    (row,) = json.loads(out)["rows"]
    # Both grow from one rank to two, which takes a second for each KiB.
    assert (code, row["resizes"]) == (0, 2)
    assert row["core_hours_lost_to_resizes"] == pytest.approx(2 * (memory + 7) / 3600)


def test_wrong_cost_of_an_option_is_reported(nereus: Nereus, tmp_path: Path) -> None:
    file = tmp_path / "w.toml"
    file.write_text(WORKLOAD)
    for wrong, said in (
        ("magic", ".method = "),
        ("-1", ".seconds = -1.0: seconds from 0"),
        ("nan", ".seconds"),
    ):
        code, out, err = nereus("simulate", "workload", file, "--resize-cost", wrong)
        assert (code, out) == (2, "")
        assert err.startswith(f"nereus: option: --resize-cost{said}")
