# SPDX-License-Identifier: BSD-3-Clause
"""nereus bench recovery: jobs are killed and saved, and nothing is left of them."""

import signal
from typing import Any

import pytest

from conftest import wait_until
from nereus.bench.local_hosts import complaint


@pytest.fixture
def measuring(site: Any, mpi: str) -> tuple[str, ...]:
    (site.folder / "here").mkdir()
    return ("bench", "recovery", "--mpi", mpi, "--folder", "here", "--json")


def test_deaths_saves_and_resumes_are_timed(site: Any, measuring: tuple[str, ...]) -> None:
    done = site.nereus(*measuring, "--cases", "rank", "--bytes", "1MiB", "--repeat", "3")
    assert done.code == 0, done.err
    rows = {row["case"]: row for row in done.document["rows"]}
    assert list(rows) == ["rank", "save", "resume"]
    assert {(row["bytes"], row["repeats"]) for row in rows.values()} == {(1 << 20, 3)}
    # The end of a rank is followed by the start of an MPI job, which opens from an epoch.
    assert rows["rank"]["seconds"] > rows["resume"]["seconds"] > 0
    assert rows["rank"]["lost_iterations"] >= 0
    assert rows["save"]["of_plain"] > 0 and rows["resume"]["of_plain"] > 0
    assert list((site.folder / "here").iterdir()) == []


def test_recoveries_from_memory_are_timed(site: Any, measuring: tuple[str, ...]) -> None:
    done = site.nereus(*measuring, "--cases", "memory", "--bytes", "1MiB", "--repeat", "2")
    assert done.code == 0, done.err
    rows = {row["case"]: row for row in done.document["rows"]}
    assert list(rows) == ["memory", "memory-resume"]
    assert rows["memory"]["seconds"] > rows["memory-resume"]["seconds"] > 0
    assert rows["memory"]["lost_iterations"] >= 0
    assert list((site.folder / "here").iterdir()) == []


@pytest.mark.skipif(complaint() != "", reason=complaint())
@pytest.mark.parametrize("case", ["host", "buddy"])
def test_losses_of_hosts_are_timed(site: Any, measuring: tuple[str, ...], case: str) -> None:
    done = site.nereus(*measuring, "--cases", case, "--bytes", "1MiB", "--repeat", "2", limit=180)
    assert done.code == 0, done.err
    (row,) = done.document["rows"]
    assert (row["case"], row["bytes"], row["repeats"]) == (case, 1 << 20, 2)
    assert row["seconds"] > row["noticed_seconds"] > 0
    assert row["lost_iterations"] >= 0
    assert list((site.folder / "here").iterdir()) == []


@pytest.mark.parametrize("case", ["restart", "rerun"])
def test_restarts_and_jobs_run_again_are_timed(site: Any, measuring: tuple[str, ...], case: str) -> None:
    done = site.nereus(*measuring, "--cases", case, "--bytes", "1MiB", "--repeat", "2")
    assert done.code == 0, done.err
    (row,) = done.document["rows"]
    assert (row["case"], row["bytes"], row["repeats"]) == (case, 1 << 20, 2)
    assert row["seconds"] > 0
    assert list((site.folder / "here").iterdir()) == []


@pytest.mark.parametrize("cases", [pytest.param("off,on", marks=pytest.mark.whole), "off,protected"])
def test_costs_of_epochs_are_those_of_both_programs(
    site: Any, measuring: tuple[str, ...], cases: str
) -> None:
    done = site.nereus(*measuring, "--cases", cases, "--repeat", "1", "--seconds", "1")
    assert done.code == 0, done.err
    rows = done.document["rows"]
    programs = ["nereus-cg", "nereus-halo"]
    assert [(row["case"], row["program"]) for row in rows] == [
        (case, program) for case in cases.split(",") for program in programs
    ]
    assert all(row["seconds"] > 0 and row["cost_percent"] > -100 for row in rows)
    assert list((site.folder / "here").iterdir()) == []


def test_interrupted_measurement_shows_what_there_is_and_leaves_nothing(
    site: Any, measuring: tuple[str, ...]
) -> None:
    with site.started(*measuring, "--cases", "rank", "--bytes", "1MiB", "--repeat", "1000") as process:
        wait_until(lambda: len(site.processes("nereus-epochs")) >= 2)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    assert (process.returncode, "stopped by SIGINT" in errors) == (130, True), errors
    assert site.processes("nereus-epochs") == []
    assert list((site.folder / "here").iterdir()) == []


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            ("--cases", "rank,disk"),
            "--cases = rank,disk: disk: allowed are rank, host, buddy, memory, rerun, restart, ulfm, "
            "ulfm-replace, off, on, protected",
        ),
        (("--bytes", "7"), "--bytes = 7: allowed is 8 B"),
        (("--folder", "nowhere"), "--folder = nowhere: nothing can be written there: No such file"),
        (("--folder", "/proc"), "--folder = /proc: nothing can be written there: "),
        (("--mpi", "mpich", "--cases", "rank,ulfm"), "--cases = ulfm: mpich (MPICH"),
        (("--cases", "host", "-n", "1"), "-n = 1: --cases = host needs at least 2 ranks"),
        (("-n", "100000"), "-n = 100000: this machine is asked for at most"),
    ],
)
def test_what_is_not_allowed_is_refused(site: Any, options: tuple[str, ...], text: str) -> None:
    done = site.nereus("bench", "recovery", *options)
    assert (done.code, text in done.err) == (2, True), done.err
