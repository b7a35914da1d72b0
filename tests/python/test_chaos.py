# SPDX-License-Identifier: BSD-3-Clause
"""Trials of tests/chaos are drawn the same again, and judged by the worst that was seen of them."""

import json
from pathlib import Path

import pytest
from chaos_plan import MEMBER_CALLS, MOST_RANKS, NEWCOMER_CALLS, Role, Trial, draw
from chaos_report import Report
from chaos_trial import Hang, Run, run_trial
from chaos_verdict import Answer, Hit, Observed, Verdict, judge
from typer import Exit

from chaos import chaos
from conftest import Site

GOOD = Observed(code=0, closed_intact=True)
ENDED = Observed(code=137, errors="nereus: job 12ab: ...\nnereus: the job failed: a rank was killed\n")
NUMBERS = range(2000)


def test_trial_is_reproducible_and_depends_on_its_number() -> None:
    assert draw(3, 5, "mpich") == draw(3, 5, "mpich")
    assert len({repr(draw(3, number, "mpich").steps) for number in range(50)}) > 45


@pytest.mark.parametrize("mpi", ["mpich", "openmpi"])
def test_drawn_trials_are_valid(mpi: str) -> None:
    for trial in (draw(1, number, mpi) for number in NUMBERS):
        ranks = trial.founders
        for step in trial.steps:
            assert 1 <= step.ranks <= MOST_RANKS
            assert step.ranks != ranks
            one_sided = step.options["transfer-method"].startswith("rma")
            assert not (one_sided and step.options["transfer-strategy"] == "nonblocking")
            assert not (one_sided and step.options["process-method"] == "baseline-inter")
            if step.injection is not None:
                assert step.injection.role in _there(
                    trial, merges=step.options["process-method"] == "merge", grows=step.ranks > ranks
                )
            ranks = step.ranks


def _there(trial: Trial, *, merges: bool, grows: bool) -> set[Role]:
    """Who there is in such a resize."""
    there = {Role.SOURCE, Role.LAUNCHER, Role.SUPERVISOR}
    there |= {Role.DAEMON} if trial.daemon else set()
    there |= {Role.PROXY} if trial.mpi == "mpich" else set()
    there |= {Role.NEWCOMER} if grows or not merges else set()
    return there | ({Role.LEAVER} if not grows or not merges else set())


def test_drawn_injections_cover_every_role_and_call() -> None:
    steps = [step for number in NUMBERS for step in draw(1, number, "mpich").steps]
    injections = [step.injection for step in steps if step.injection is not None]
    assert {injection.role for injection in injections} == set(Role)
    assert {injection.kill for injection in injections} == {True, False}
    of_newcomers: set[str] = set()
    of_members: set[str] = set()
    for injection in injections:
        if injection.call:
            calls = of_newcomers if injection.role is Role.NEWCOMER else of_members
            calls.add(injection.call.partition(":")[0])
    assert of_newcomers == set(NEWCOMER_CALLS)
    assert of_members == set(MEMBER_CALLS)


@pytest.mark.parametrize(
    ("observed", "verdict"),
    [
        (GOOD, Verdict.SURVIVED),
        (ENDED, Verdict.ENDED),
        (Observed(code=0), Verdict.FALSE_SUCCESS),
        (Observed(code=137, errors="nereus: job 12ab: ...\n"), Verdict.SILENT),
        (Observed(code=137, hits=[Hit("supervisor", True, reached=True)]), Verdict.ENDED),
        (Observed(code=137, hits=[Hit("supervisor", True)]), Verdict.SILENT),
        (Observed(code=0, closed_intact=True, damaged=True), Verdict.DAMAGED),
        (Observed(code=0, closed_intact=True, left=["process 1"]), Verdict.LEFT_BEHIND),
        (Observed(code=0, left=["process 1"]), Verdict.FALSE_SUCCESS),
        (Observed(hung="no answer"), Verdict.HUNG),
        (Observed(broke="OSError: ..."), Verdict.BROKE),
    ],
)
def test_verdict_is_the_worst_observation(observed: Observed, verdict: Verdict) -> None:
    assert judge(observed) is verdict


def test_report_counts_kills_misses_and_resizes_by_mpi_and_keeps_violations() -> None:
    report = Report()
    hits = [
        Hit("newcomer", True, "MPI_Comm_dup", reached=True),
        Hit("newcomer", True, "MPI_Rget"),
        Hit("source", True, reached=True),
        Hit("leaver", False, reached=True),
    ]
    answers = [Answer.DONE, Answer.UNDONE, Answer.UNDONE]
    report.add(
        draw(1, 0, "mpich"), Observed(code=0, closed_intact=True, hits=hits, answers=answers, seconds=3)
    )
    report.add(draw(1, 2, "mpich"), Observed(code=0, closed_intact=True, seconds=4))
    report.add(draw(1, 1, "openmpi"), Observed(code=0, hits=[Hit("proxy", True, reached=True)]))
    assert report.kills == 3
    counts = report.document["counts"]["mpich"]
    assert counts["trials"] == 2
    assert counts["kills"] == {"newcomer": 1, "source": 1}
    assert counts["kills_at_calls"] == {"MPI_Comm_dup": 1}
    assert counts["misses"] == {"newcomer": 1}
    assert counts["stops"] == {"leaver": 1}
    assert counts["resizes"] == {"done": 1, "undone": 2}
    assert counts["seconds"] == 3.5
    (violation,) = report.violations
    assert (violation["trial"], violation["verdict"]) == ("1-1-openmpi", "false success")


def test_exception_within_a_trial_is_recorded_and_not_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(run: Run) -> None:
        raise ValueError("of the trial itself")

    monkeypatch.setattr(Run, "go", broken)
    observed = run_trial(draw(1, 0, "mpich"), tmp_path)
    assert judge(observed) is Verdict.BROKE
    assert observed.broke.endswith("ValueError: of the trial itself\n")


def test_hang_is_recorded_even_without_stacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hangs(run: Run) -> None:
        raise Hang("for this test")

    monkeypatch.setattr(Run, "_go", hangs)
    monkeypatch.setattr("chaos_trial.program_of", lambda pid: "")
    monkeypatch.setattr(Site, "processes", lambda site, program="": [1] if not hangs_noted(tmp_path) else [])
    monkeypatch.setenv("PATH", str(tmp_path))
    observed = run_trial(draw(1, 0, "mpich"), tmp_path)
    assert judge(observed) is Verdict.HUNG
    assert "no stack" in (tmp_path / "stacks.txt").read_text()


def hangs_noted(folder: Path) -> bool:
    """Whether the stacks were written."""
    path = folder / "stacks.txt"
    return path.exists() and "no stack" in path.read_text()


def test_counts_are_written_after_each_trial_and_continue_after_a_broken_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output, seen = tmp_path / "counts.json", []

    def played(trial: Trial, folder: Path) -> Observed:
        if output.exists():
            seen.append(json.loads(output.read_text())["counts"]["mpich"]["trials"])
        return Observed(broke="a bug") if trial.number == 0 else Observed(code=0, closed_intact=True)

    monkeypatch.setattr("chaos.run_trial", played)
    with pytest.raises(Exit):
        chaos(minutes=1, trials=3, seed=1, only=None, mpi=["mpich"], jobs=1, output=output, as_json=False)
    assert seen == [1, 2]
    document = json.loads(output.read_text())
    assert document["counts"]["mpich"]["verdicts"] == {"trial broke": 1, "survived": 2}
