# SPDX-License-Identifier: BSD-3-Clause
"""Emulated applications that fail, as their experiments say, and go on from an epoch."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from conftest import wait_until

EXAMPLES = Path(__file__).parents[2] / "examples" / "emulate"
ITERATIONS = 60
# Nothing of it is calibrated, and resizes are done within one checkpoint.
BODY = f"""\
verify = true
[data]
constant_bytes = 4000000
variable_bytes = 800000
[[phases]]
iterations = {ITERATIONS}
[[phases.stages]]
type = "allreduce"
bytes = 8
[[phases.stages]]
type = "allgather"
bytes = 400000
[resize]
process_strategies = []
"""
GROUPS = "[[groups]]\nranks = 2\niterations = 20\n[[groups]]\nranks = 3\n"
TWO_FAILURES = '[[failures]]\niteration = 10\nrank = 0\n[[failures]]\niteration = 40\nwhat = "host"\n'


def protection(level: str, every: str = '"1 h"', recoveries: int = 3) -> str:
    return f'[protection]\nlevel = "{level}"\nevery = {every}\nrecoveries = {recoveries}\n'


def check_iterations(site: Any, document: dict[str, Any]) -> None:
    """Each was done, and as often as the failures say."""
    done = [event["iteration"] for event in site.events() if event["event"] == "iteration"]
    again = sum(failure["repeated_iterations"] for failure in document["failures"])
    assert set(done) == set(range(ITERATIONS))
    assert len(done) == ITERATIONS + again
    generations = document["generations"]
    assert sum(generation["iterations"] for generation in generations) == ITERATIONS + again
    assert sum(generation["repeated_iterations"] for generation in generations) == again


@pytest.mark.parametrize("level", ["memory", "disk"])
def test_run_goes_on_after_failures_with_its_data_intact(site: Any, mpi: str, level: str) -> None:
    text = BODY + GROUPS + protection(level, "0.002") + TWO_FAILURES
    result = site.emulate(mpi, site.write("failing.toml", text))
    assert result.code == 0, result.err
    document = result.document
    assert (document["finished"], document["data_intact"]) == (True, True)
    failures = document["failures"]
    assert [(failure["iteration"], failure["what"]) for failure in failures] == [(10, "rank"), (40, "host")]
    assert failures[1]["died"] == failures[1]["ranks"]
    for failure in failures:
        assert failure["repeated_iterations"] == failure["iteration"] - failure["resumed_iteration"] >= 0
        assert failure["recovery_seconds"] > 0
    check_iterations(site, document)
    assert document["generations"][-1]["ranks"] == 3
    assert (document["protection"]["level"], document["protection"]["epochs_not_made"]) == (level, 0)
    assert document["protection"]["epochs"] > 2
    assert 0 < document["protection"]["epoch_share"] < 1
    assert not (site.folder / "out" / "scratch").exists()


@pytest.mark.parametrize("level", ["memory", "disk"])
def test_first_failure_finds_an_epoch_however_early_it_is(site: Any, mpich: str, level: str) -> None:
    failures = '[[failures]]\niteration = 1\n[[failures]]\niteration = 2\nwhat = "host"\nrank = 7\n'
    result = site.emulate(
        mpich, site.write("early.toml", BODY + "[[groups]]\nranks = 2\n" + protection(level) + failures)
    )
    assert result.code == 0, result.err
    document = result.document
    assert [each["resumed_iteration"] for each in document["failures"]] == [0, 0]
    assert [(each["rank"], each["died"]) for each in document["failures"]] == [(1, 1), (1, 2)]
    assert document["protection"]["epochs"] == 1
    check_iterations(site, document)


def test_run_goes_on_in_the_group_that_failed_and_ends_it_where_it_would_have_ended(
    site: Any, mpi: str
) -> None:
    """The epoch is that of the beginning, when there were two ranks."""
    groups = "".join(f"[[groups]]\nranks = {ranks}\niterations = 20\n" for ranks in (2, 3, 1))
    text = BODY + groups + protection("memory") + "[[failures]]\niteration = 30\n"
    result = site.emulate(mpi, site.write("groups.toml", text))
    assert result.code == 0, result.err
    document = result.document
    assert document["data_intact"] is True
    assert [generation["ranks"] for generation in document["generations"]] == [2, 3, 3, 1]
    assert document["failures"][0]["repeated_iterations"] == 30
    # A resize comes at most two checkpoints after it was asked for. Quiet ones do not count, of which there
    # is one in eight at most (src/job/announcement_interval.hpp).
    assert 40 <= document["generations"][2]["iterations"] <= 43 + 40 // 8
    check_iterations(site, document)


def test_epochs_on_disk_lie_where_the_experiment_says_and_are_removed(site: Any, mpich: str) -> None:
    (site.folder / "there").mkdir()
    text = 'scratch = "there"\n' + BODY + GROUPS + protection("disk") + TWO_FAILURES
    with site.started("emulate", site.write("scratch.toml", text), "--mpi", mpich, "--output", "out") as run:
        wait_until(lambda: any((site.folder / "there").glob("nereus-epochs-*/epoch-1")))
        assert run.wait() == 0
    assert list((site.folder / "there").iterdir()) == []


def test_death_that_nobody_planned_is_recovered_from_and_told(site: Any, mpich: str) -> None:
    slow = BODY.replace(f"iterations = {ITERATIONS}", "iterations = 100000")
    text = slow + "[[groups]]\nranks = 2\n" + protection("memory", "0.05", 1)
    words = ("emulate", site.write("killed.toml", text), "--mpi", mpich, "--output", "out")

    def resumed() -> int:
        return sum(event["event"] == "resumed" for event in site.events())

    with site.started(*words) as run:
        site.wait_for_iterations(run, 2)
        os.kill(site.processes("nereus-emulator")[0], signal.SIGKILL)
        wait_until(lambda: resumed() == 1)
        wait_until(lambda: site.events()[-1]["event"] in ("progress", "iteration"))
        os.kill(site.processes("nereus-emulator")[0], signal.SIGKILL)
        _, errors = run.communicate()
    assert run.returncode == 1
    assert "; it continues from epoch " in errors and " in memory (recovery 1)" in errors
    assert "it is not started again: it was 1 times\n" in errors
    told = site.nereus("report", "out", "--json").document
    assert [failure["iteration"] for failure in told["failures"]] == [None]


def test_protection_without_recoveries_costs_but_does_not_help(site: Any, mpich: str) -> None:
    text = BODY + "[[groups]]\nranks = 2\n" + protection("disk", "0.002", 0)
    result = site.emulate(mpich, site.write("costs.toml", text))
    assert result.code == 0, result.err
    assert result.document["failures"] == []
    assert result.document["protection"]["epochs"] > 1
    assert result.document["protection"]["epoch_seconds"] > 0


def test_example_fails_twice_and_comes_to_its_end(site: Any, mpich: str) -> None:
    result = site.emulate(mpich, EXAMPLES / "failures.toml")
    assert result.code == 0, result.err
    assert [failure["iteration"] for failure in result.document["failures"]] == [30, 100]
    assert result.document["data_intact"] is True


@pytest.mark.parametrize(
    ("more", "options", "said"),
    [
        ("", ("--hosts", "elsewhere:4"), "protection.level = memory: allowed for jobs on this host alone"),
        ("[[failures]]\niteration = 60\n", (), "failures[0].iteration = 60: below 60, the number of"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_starts(
    site: Any, mpich: str, more: str, options: tuple[str, ...], said: str
) -> None:
    file = site.write("refused.toml", BODY + "[[groups]]\nranks = 2\n" + protection("memory") + more)
    result = site.nereus("emulate", file, "--mpi", mpich, "--output", "out", *options)
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert said in result.err
    assert not (site.folder / "out").exists()


def test_study_and_workload_refuse_experiments_that_fail(site: Any, mpich: str) -> None:
    timed = BODY.replace('type = "allreduce"', 'type = "pi"\ntime = 0.001').replace("bytes = 8\n", "")
    site.write("failing.toml", timed + "[[groups]]\nranks = 2\n" + protection("disk") + TWO_FAILURES)
    jobs = 'cores = 2\n[[jobs]]\nname = "a"\nexperiment = "failing.toml"\n[live]\n'
    refused = site.nereus("emulate", "--jobs", site.write("jobs.toml", jobs), "--mpi", mpich)
    assert refused.code == 2
    assert "an experiment without [protection]" in refused.err
    study = (
        'name = "s"\nrepetitions = 1\npairs = [[1, 2]]\nvariants = ["Merge-COLS"]\n'
        '[[applications]]\nname = "a"\nexperiment = "failing.toml"\n'
    )
    refused = site.nereus("study", site.write("study.toml", study), "--mpi", mpich)
    assert refused.code == 2
    assert "runs of a study have no failures" in refused.err
