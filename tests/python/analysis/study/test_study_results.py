# SPDX-License-Identifier: BSD-3-Clause
"""Measures of a run: the same of a program as of the emulator, none of a run that is not as planned."""

from collections.abc import Callable
from typing import Any

import pytest

from nereus.analysis.study import Planned, StudyError, measure

THREAD = Planned("cg", 2, 4, "Merge-COLT", 1)
EMULATED = Planned("cg-emulated", 2, 4, "Merge-COLT", 1)
BLOCKING = Planned("cg", 2, 4, "Merge-COLS", 1)
SHARED = Planned("cg", 2, 4, "Merge-SHMS", 1)
FIXED = Planned("cg", 4, 4, None, 1)


@pytest.fixture(params=["cg", "cg-emulated"])
def results(request: pytest.FixtureRequest, begin: Callable[..., Any]) -> Callable[..., Any]:
    """Measures of a run of a program, and of one of the emulator."""
    folder = begin()

    def made(planned: Planned, **other: Any) -> Any:
        own = Planned(request.param, planned.before, planned.after, planned.variant, planned.repetition)
        return measure(folder.good(own, 3.0, **other), own)

    return made


def test_resize_time_is_the_sum_of_its_parts(results: Callable[..., Any]) -> None:
    found = results(THREAD)
    assert found.total_seconds == pytest.approx(3.0)
    parts = (found.process_seconds, found.constant_seconds, found.variable_seconds)
    assert parts == (0.2, 0.2, 0.1)
    assert found.reconfiguration_seconds == pytest.approx(0.5)
    assert found.redistribution_seconds == pytest.approx(0.3)
    assert found.pause_seconds == 0.3
    assert found.background_iterations == 4


def test_iterations_during_transfer_are_distinguished(results: Callable[..., Any]) -> None:
    found = results(THREAD)
    # Of the emulator 46 iterations of 0.01 s and 4 of 0.02 s; of the program 2.2 s with 0.2 s for those 4.
    assert found.iteration_seconds in (pytest.approx(0.01), pytest.approx(2.0 / 46))
    assert found.omega in (pytest.approx(2.0), pytest.approx(0.05 / (2.0 / 46)))
    assert found.next_iteration_seconds == pytest.approx(0.01)


def test_blocking_resize_has_no_omega(results: Callable[..., Any]) -> None:
    found = results(BLOCKING)
    assert (found.omega, found.background_iterations) == (None, 0)
    assert found.iteration_seconds in (pytest.approx(0.01), pytest.approx(2.2 / 50))


def test_stages_are_reported_by_their_slowest_rank(results: Callable[..., Any]) -> None:
    found = results(FIXED)
    assert found.compute_seconds == pytest.approx(0.008)
    assert found.communication_seconds == pytest.approx(0.002)
    assert [stage.seconds for stage in found.stages] == pytest.approx([0.008, 0.002])
    assert found.reconfiguration_seconds is None


@pytest.mark.parametrize(
    ("committed", "said"),
    [
        ({"to": 3}, "to = 3, planned was 4"),
        ({"process_method": "baseline-intra"}, "process_method = baseline-intra, planned was merge"),
        ({"transfer_method": "p2p"}, "transfer_method = p2p, planned was col"),
        ({"transfer_strategy": "blocking"}, "transfer_strategy = blocking, planned was thread"),
    ],
)
def test_resize_other_than_planned_is_not_counted(
    results: Callable[..., Any], committed: dict[str, Any], said: str
) -> None:
    with pytest.raises(StudyError, match=said):
        results(THREAD, committed=committed)


def test_shared_memory_is_measured_regardless_of_transfer_method(results: Callable[..., Any]) -> None:
    found = results(SHARED, committed={"transfer_method": "col"})
    assert found.total_seconds == pytest.approx(3.0)


UNDONE = '{"event": "resize_undone", "from": 2, "to": 4, "state": "making", "reason": "no newcomers"}\n'


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text + UNDONE, "rolled back while making: no newcomers"),
        (lambda text: text.rpartition('{"event": "finished"')[0], "the results have no end"),
        (lambda text: text.replace('"total_seconds": 3.0', '"total_seconds": "3"'), "total_seconds"),
        (
            lambda text: text.replace('"pause_seconds": 0.3', '"pause_seconds": null'),
            "committed: pause_seconds",
        ),
        (lambda text: text.replace('"event": "committed"', '"event": "other"'), "0 resizes were committed"),
        (
            lambda text: text.replace('"data_intact": null', '"data_intact": false'),
            "damaged",
        ),
        (lambda text: text[:40], "is no event"),
    ],
)
def test_bad_run_reports_what_is_wrong(
    begin: Callable[..., Any], change: Callable[[str], str], said: str
) -> None:
    file = begin().good(EMULATED, 3.0) / "run.jsonl"
    file.write_text(change(file.read_text()))
    with pytest.raises(StudyError, match=said):
        measure(file.parent, EMULATED)


def test_run_without_results_is_not_good(begin: Callable[..., Any]) -> None:
    folder = begin().path
    with pytest.raises(StudyError, match="does the program use Nereus"):
        measure(folder, FIXED)


def test_unplanned_resize_is_not_counted(begin: Callable[..., Any]) -> None:
    folder = begin().good(THREAD, 3.0)
    with pytest.raises(StudyError, match="a resize in a run that has none"):
        measure(folder, FIXED)


def test_program_without_stages_has_a_total(begin: Callable[..., Any]) -> None:
    folder = begin().path / "run"
    folder.mkdir()
    ended = '{"event": "generation_ended", "ranks": 4, "iterations": 5, "seconds": 2.5, "stages": []}\n'
    (folder / "run.jsonl").write_text(f'{{"event": "header"}}\n{ended}{{"event": "finished"}}\n')
    found = measure(folder, FIXED)
    assert (found.total_seconds, found.compute_seconds, found.iteration_seconds) == (2.5, None, 0.5)


def test_program_without_iterations_is_not_measured(begin: Callable[..., Any]) -> None:
    folder = begin().path
    (folder / "run.jsonl").write_text('{"event": "header"}\n{"event": "finished"}\n')
    with pytest.raises(StudyError, match="there are no times of iterations"):
        measure(folder, FIXED)
