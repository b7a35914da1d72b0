# SPDX-License-Identifier: BSD-3-Clause
"""Trials of tests/chaos are drawn the same again, and judged by the worst that was seen of them."""

import pytest
from chaos_plan import CALLS, MOST_RANKS, Role, draw
from chaos_report import Report
from chaos_verdict import Observed, Verdict, judge

GOOD = Observed(code=0, closed_intact=True)
ENDED = Observed(code=137, errors="nereus: job 12ab: ...\nnereus: the job failed: a rank was killed\n")


def test_a_trial_is_drawn_the_same_again_and_another_number_gives_another() -> None:
    assert draw(3, 5, "mpich") == draw(3, 5, "mpich")
    assert len({repr(draw(3, number, "mpich").steps) for number in range(50)}) > 45


@pytest.mark.parametrize("mpi", ["mpich", "openmpi"])
def test_drawn_trials_hold_only_what_can_be_asked_for(mpi: str) -> None:
    for number in range(500):
        trial = draw(1, number, mpi)
        ranks = trial.founders
        for step in trial.steps:
            assert 1 <= step.ranks <= MOST_RANKS
            assert step.ranks != ranks
            ranks = step.ranks
            one_sided = step.options["transfer-method"].startswith("rma")
            assert not (one_sided and step.options["transfer-strategy"] == "nonblocking")
            assert not (one_sided and step.options["process-method"] == "baseline-inter")
            if step.strike is not None and step.strike.role is Role.DAEMON:
                assert trial.daemon


def test_drawn_strikes_reach_every_role_and_every_call() -> None:
    strikes = [step.strike for n in range(2000) for step in draw(1, n, "mpich").steps if step.strike]
    assert {strike.role for strike in strikes} == set(Role)
    assert {strike.call.partition(":")[0] for strike in strikes if strike.call} == set(CALLS)
    assert {strike.kill for strike in strikes} == {True, False}


@pytest.mark.parametrize(
    ("observed", "verdict"),
    [
        (GOOD, Verdict.SURVIVED),
        (ENDED, Verdict.ENDED),
        (Observed(code=0), Verdict.FALSE_SUCCESS),
        (Observed(code=137, errors="nereus: job 12ab: ...\n"), Verdict.SILENT),
        (Observed(code=137, supervisor_killed=True), Verdict.ENDED),
        (Observed(code=0, closed_intact=True, damaged=True), Verdict.DAMAGED),
        (Observed(code=0, closed_intact=True, left=["process 1"]), Verdict.LEFT_BEHIND),
        (Observed(hung="no answer"), Verdict.HUNG),
    ],
)
def test_the_verdict_is_the_worst_that_was_seen(observed: Observed, verdict: Verdict) -> None:
    assert judge(observed) is verdict


def test_a_report_counts_kills_by_time_and_at_calls_and_keeps_faults() -> None:
    report = Report()
    report.add(draw(1, 0, "mpich"), Observed(code=0, closed_intact=True, kills=2, kills_at_calls=1))
    report.add(draw(1, 1, "mpich"), Observed(code=0, kills=1))
    assert report.kills == 4
    (fault,) = report.faults
    assert fault["trial"] == "1-1-mpich"
    assert report.document()["counts"]["mpich"]["trials"] == 2
