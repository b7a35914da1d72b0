# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a trace of a real machine, replayed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from nereus.config import ConfigError
from nereus.policy.loading import load
from nereus.simulation.jobs import Result, load_trace, simulate

REST = "-1 -1 {ranks} -1 -1 1 1 1 1 1 -1 -1 -1"


def line(number: int, submit: float, seconds: float, ranks: int) -> str:
    return f"{number} {submit} -1 {seconds} {ranks} {REST.format(ranks=ranks)}\n"


@pytest.fixture
def replayed(tmp_path: Path) -> Callable[..., Result]:
    def made(text: str, cores: int, policy: str = "none", **options: float) -> Result:
        file = tmp_path / "trace.swf"
        file.write_text(text)
        return simulate(load_trace(file, cores, **options), policy, load(policy))

    return made


def test_jobs_start_in_order_of_arrival_as_soon_as_they_fit(
    replayed: Callable[..., Result],
) -> None:
    text = "; UnixStartTime: 0\n" + line(1, 100, 50, 3) + line(2, 110, 20, 2) + line(3, 111, 20, 1)
    result = replayed(text, 4)
    assert [job.name for job in result.jobs] == ["1", "2", "3"]
    assert [job.submitted for job in result.jobs] == [0, 10, 11]
    assert [job.started for job in result.jobs] == pytest.approx([0, 50, 50])
    assert [job.ended for job in result.jobs] == pytest.approx([50, 70, 70])


def test_malleable_job_uses_idle_cores_with_speedup_by_amdahls_law(
    replayed: Callable[..., Result],
) -> None:
    text = line(1, 0, 1000, 2)
    result = replayed(text, 4, "fair", parallel_fraction=0.8)
    # 1000 s are 200 s and 800 s on two ranks, which are 400 s on four; a resize takes 1 s, after 10 s.
    assert result.makespan == pytest.approx(10 + 1 + (1000 - 10) * 0.6)
    assert replayed(text, 4, "fair", parallel_fraction=0.0).makespan == pytest.approx(1001)


def test_jobs_that_did_not_run_or_fit_are_left_out_and_counted(
    replayed: Callable[..., Result],
) -> None:
    result = replayed(line(1, 0, 10, 9) + line(2, 0, 0, 1) + line(3, 5, 10, 4), 4)
    assert [job.name for job in result.jobs] == ["3"]
    assert result.left_out == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 2 3\n", "trace.swf:1: a job has 18 numbers, this line 3"),
        (line(1, 0, 1, 1) + line(2, 0, 1, 1).replace("2 0", "2 x"), "trace.swf:2: a job has numbers only"),
        (line(1, 0, 1, 1) + line(1, 5, 1, 1), "trace.swf:2: there is a job 1 above"),
        (line(1, float("nan"), 1, 1), "trace.swf:1: a job has a number from 0"),
    ],
)
def test_invalid_line_is_reported(replayed: Callable[..., Result], text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        replayed(text, 4)


def test_many_jobs_all_end_within_the_available_cores(
    replayed: Callable[..., Result], trace: Callable[[int, int, int], str]
) -> None:
    cores = 300
    for policy in ("none", "fair", "speedup"):
        result = replayed(trace(200, cores, 7), cores, policy)
        assert all(job.ended is not None for job in result.jobs)
        has: dict[str, int] = {}
        for event in result.events:
            if event["event"] in ("came", "resized"):
                has[event["job"]] = event["ranks"]
            elif event["event"] == "ended":
                del has[event["job"]]
            assert sum(has.values()) <= cores
