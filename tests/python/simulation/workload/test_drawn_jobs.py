# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: drawn jobs whose sizes, run times and submissions are those of the model."""

from collections.abc import Callable
from pathlib import Path
from statistics import fmean, median

import pytest

from nereus.simulation.workload.job import Job
from nereus.simulation.workload.lublin import mean_gap
from nereus.simulation.workload.model import Workload
from nereus.simulation.workload.sources import jobs_of

Nereus = Callable[..., tuple[int, str, str]]
DAY = 86400.0


def drawn(seed: int = 1, **keys: object) -> list[Job]:
    table = {"model": "lublin", "jobs": 40_000, "most_ranks": 128, **keys}
    return jobs_of(Workload.model_validate({"cores": 128, "generated": table}), seed).all


def share(jobs: list[Job], chosen: Callable[[Job], bool]) -> float:
    return fmean(chosen(job) for job in jobs)


def is_power(job: Job) -> bool:
    return job.ranks & (job.ranks - 1) == 0


def test_sizes_are_serial_powers_of_two_and_others_as_often_as_the_model_says() -> None:
    jobs = drawn()
    assert share(jobs, lambda job: job.ranks == 1) == pytest.approx(0.244, abs=0.01)
    # Those drawn as others are powers of two now and then, as 2 always and 4 often.
    assert 0.82 <= share(jobs, is_power) <= 0.92
    parallel = [job for job in jobs if job.ranks > 1]
    # Below 2^4.5 are 86 % of the parallel jobs, but for those that are rounded up.
    assert share(parallel, lambda job: job.ranks < 2**4.5) == pytest.approx(0.86, abs=0.03)
    assert (min(job.ranks for job in parallel), max(job.ranks for job in jobs)) == (2, 128)


def test_shares_of_sizes_can_be_chosen() -> None:
    jobs = drawn(serial_share=0.5, power_share=0.5)
    assert share(jobs, lambda job: job.ranks == 1) == pytest.approx(0.5, abs=0.01) and all(
        map(is_power, jobs)
    )


@pytest.mark.parametrize("most", [1, 2, 3, 5, 100])
def test_no_job_is_larger_than_the_largest(most: int) -> None:
    ranks = {job.ranks for job in drawn(jobs=2000, most_ranks=most)}
    assert min(ranks) == 1 and max(ranks) <= most <= 2 * max(ranks)


def test_run_times_are_of_two_kinds_and_large_jobs_run_longer() -> None:
    """Of one rank, 22.5 % are long, e^(312 * 0.03) s in the median, the others e^(4.2 * 0.94) s."""
    jobs = drawn()
    small = [job.seconds for job in jobs if job.ranks == 1]
    assert share(jobs, lambda job: job.seconds > 162755) == 0
    assert 35 <= median(small) <= 160
    long = [seconds for seconds in small if seconds > 3000]
    assert 8000 <= median(long) <= 13000
    large = [job.seconds for job in jobs if job.ranks >= 64]
    assert fmean(large) > 1.5 * fmean(small)


def test_submissions_are_as_far_apart_as_the_model_says_or_as_asked() -> None:
    jobs = drawn()
    assert jobs[0].submit == 0
    assert 850 <= mean_gap() <= 1000
    assert jobs[-1].submit / len(jobs) == pytest.approx(mean_gap(), rel=0.1)
    asked = drawn(every=10.0)
    assert asked[-1].submit / len(asked) == pytest.approx(10, rel=0.1)


def test_most_jobs_come_in_working_hours() -> None:
    """The first is submitted soon after midnight."""
    jobs = drawn(every=20.0)
    hours = [job.submit % DAY / 3600 for job in jobs if job.submit < 9 * DAY]
    assert fmean(9 <= hour < 18 for hour in hours) > 0.5
    assert fmean(hour < 6 for hour in hours) < 0.1


def test_seeds_draw_others_and_limits_are_as_asked() -> None:
    first = drawn(1, jobs=100, limit_factor=3.0)
    assert first == drawn(1, jobs=100, limit_factor=3.0) != drawn(2, jobs=100, limit_factor=3.0)
    assert all(job.seconds <= job.limit <= 3 * job.seconds for job in first)


GENERATED = "cores = 4\n[generated]\njobs = 3\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GENERATED + "seconds = 5\n", "generated.every: is missing: seconds above 0"),
        (GENERATED + "every = 5\n", "generated.seconds: is missing: seconds above 0"),
        (
            GENERATED + 'model = "feitelson"\n',
            ':4: generated.model = "feitelson": one of exponential, lublin',
        ),
        (GENERATED + 'model = "lublin"\nseconds = 5\n', ":5: generated.seconds = 5: goes with the model"),
        (GENERATED + "every = 5\nseconds = 5\npower_share = 1\n", ":6: generated.power_share = 1: goes with"),
        (
            GENERATED + 'model = "lublin"\nserial_share = 0.4\npower_share = 0.7\n',
            ":6: generated.power_share = 0.7: at most 0.6",
        ),
    ],
)
def test_wrong_table_is_reported(nereus: Nereus, tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "w.toml"
    file.write_text(text)
    code, out, err = nereus("simulate", "workload", file, "--json")
    assert (code, out) == (2, "") and said in err and err.startswith(f"nereus: {file}:")
