# SPDX-License-Identifier: BSD-3-Clause
"""A job whose time is nearly over is warned once; what an earlier run of it left in Slurm is cancelled."""

import pytest
from a_slurm import until
from a_stand import FIRST, SlurmStand
from hypothesis import given
from hypothesis import strategies as st

from nereus.allocation import EventKind, GrowthState, Wish
from nereus.allocation.slurm import slurm_job
from nereus.allocation.slurm.end_watch import seconds_of
from nereus.allocation.slurm.requeue import comment_of, earlier


def looks(stand: SlurmStand) -> int:
    return len([words for words in stand.slurm.calls("squeue") if "--format=%L" in words])


def look_again(stand: SlurmStand) -> None:
    """The watch has asked once more, and has heard the answer."""
    before = looks(stand)

    def is_done() -> bool:
        stand.clock.ahead += 30.0
        stand.turn()
        return looks(stand) > before + 1 or bool(stand.events)

    until(is_done)


def test_job_is_warned_before_its_end(in_slurm: SlurmStand) -> None:
    look_again(in_slurm)
    assert in_slurm.events == []
    in_slurm.slurm.limit_time("4:59")
    look_again(in_slurm)
    [event] = in_slurm.events
    assert (event.kind, event.hosts) == (EventKind.ENDS_SOON, FIRST)
    assert event.reason == f"the Slurm job {in_slurm.first['SLURM_JOB_ID']} has 299 s left"


def test_job_is_warned_once(in_slurm: SlurmStand) -> None:
    look_again(in_slurm)
    in_slurm.slurm.limit_time("4:59")
    look_again(in_slurm)
    before = looks(in_slurm)
    for _ in range(50):
        in_slurm.clock.ahead += 60.0
        in_slurm.turn()
    assert (len(in_slurm.events), looks(in_slurm)) == (1, before)


@pytest.mark.parametrize("left", ["UNLIMITED", "INVALID", "NOT_SET", "", "12:34:56"])
def test_job_with_much_time_is_not_warned(in_slurm: SlurmStand, left: str) -> None:
    in_slurm.slurm.limit_time(left)
    look_again(in_slurm)
    look_again(in_slurm)
    assert in_slurm.events == []


def test_short_job_is_not_warned(in_slurm: SlurmStand) -> None:
    in_slurm.slurm.limit_time("2:00")

    def has_looked() -> bool:
        in_slurm.clock.ahead += 30.0
        in_slurm.turn()
        return looks(in_slurm) > 0

    until(has_looked)
    for _ in range(50):
        in_slurm.clock.ahead += 30.0
        in_slurm.turn()
    assert in_slurm.events == []


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0:04", 4), ("3:04", 184), ("2:03:04", 7384), ("1-02:03:04", 93784), ("INVALID", None), ("4", None)],
)
def test_time_left_is_read_as_squeue_writes_it(text: str, seconds: float | None) -> None:
    assert seconds_of(text) == seconds


@given(st.text(max_size=30))
def test_any_text_is_a_time_or_none(text: str) -> None:
    found = seconds_of(text)
    assert found is None or found >= 0


def test_second_jobs_of_an_earlier_run_are_cancelled(in_slurm: SlurmStand) -> None:
    in_slurm.turn_until(GrowthState.USABLE, in_slurm.allocation.grow(Wish(1)))
    again = in_slurm.open(in_slurm.first | {"SLURM_RESTART_COUNT": "1"})
    try:

        def is_cancelled() -> bool:
            again.turn()
            return not in_slurm.slurm.jobs("RUNNING")

        until(is_cancelled)
    finally:
        again.close()


def test_only_jobs_of_earlier_runs_of_the_same_job_are_cancelled(in_slurm: SlurmStand) -> None:
    job = slurm_job(in_slurm.first | {"SLURM_JOB_ID": "12", "SLURM_RESTART_COUNT": "2"})
    assert job is not None
    marks = ["nereus-of-12-0", "nereus-of-12-1", "nereus-of-12-2", "nereus-of-1-0", "(null)", "a comment"]
    text = "".join(f"{number} {mark}\n" for number, mark in enumerate(marks, 50)) + "x nereus-of-12-0\n\n"
    assert (earlier(text, job), comment_of(job)) == ([50, 51], "nereus-of-12-2")
