# SPDX-License-Identifier: BSD-3-Clause
"""Runs that continued after failures: what was done again, and what each recovery took."""

import json
from typing import Any

import pytest

from nereus.analysis.report import ResultError, draw, read, table, write_csv, write_proteo
from nereus.analysis.report.console import PlainConsole
from nereus.analysis.report.progress import Progress
from nereus.analysis.report.timeline import Timeline

PROTECTION = {"level": "memory", "every": "auto", "recoveries": 3}


def dies(made: Any, **keys: Any) -> None:
    """At the beginning of the next iteration."""
    about = {"what": "rank", "rank": made.ranks - 1, "died": 1, "calibration_seconds": made.calibration}
    made.event("failure", iteration=made.iteration, **{**about, **keys})


def continues(made: Any, iteration: int, calibration: float) -> None:
    """From an epoch before `iteration`, by when so much had been calibrated; 0.4 s after the death."""
    made.clock += 0.4
    made.iteration, made.generation, made.calibration = iteration, made.generation + 1, calibration
    keys = {"group": made.group, "ranks": made.ranks, "calibration_seconds": calibration}
    made.event("resumed", iteration=iteration, **keys)
    made.clock += 0.3
    made.calibration += 0.3
    hosts = ["n1"] * made.ranks
    keys = {"group": made.group, "ranks": made.ranks, "hosts": hosts}
    made.event("generation_started", **keys, calibration_seconds=made.calibration)


@pytest.fixture
def failed(begin: Any) -> Any:
    """2 → 4 ranks; the last rank dies after 7 of 11 iterations, and the run goes on from the third."""
    made = begin([2, 4])
    made.run["protection"] = PROTECTION
    made.announces()
    made.starts()
    made.iterates([0.1] * 5)
    made.resizes(4)
    made.iterates([0.05] * 2)
    dies(made)
    continues(made, 2, 0.3)
    made.iterates([0.05] * 8)
    made.iterates([0.4], phase=1)
    made.finishes()
    return made


def test_document_tells_each_failure_and_what_was_done_again(failed: Any) -> None:
    document = read(failed.write()).document()
    (failure,) = document["failures"]
    assert failure == {
        "iteration": 7,
        "what": "rank",
        "rank": 3,
        "died": 1,
        "resumed_iteration": 2,
        "ranks": 4,
        "repeated_iterations": 5,
        "recovery_seconds": pytest.approx(0.45),
    }
    done = [(g["ranks"], g["iterations"], g["repeated_iterations"]) for g in document["generations"]]
    assert done == [(2, 5, 0), (4, 2, 0), (4, 9, 5)]
    assert sum(iterations - again for _, iterations, again in done) == 11


def test_total_has_no_calibration_also_of_what_was_lost(failed: Any) -> None:
    results = read(failed.write())
    # 5 iterations of 0.1 s, the pause, 2 of 0.05 s, 0.4 s of nothing, 8 of 0.05 s and the last.
    assert results.total_seconds is not None
    assert results.total_seconds == pytest.approx(0.5 + 0.012 + 0.1 + 0.4 + 0.4 + 0.4)
    assert results.end is not None and results.end.total_seconds == pytest.approx(results.total_seconds + 0.3)
    assert Timeline(results).end == pytest.approx(results.total_seconds)


def test_same_request_of_jobs_that_continue_one_another_is_not_mixed_up(begin: Any) -> None:
    made = begin([2, 4])
    made.starts()
    made.iterates([0.1] * 5)
    made.resizes(4, pause=0.1)
    dies(made)
    made.group, made.ranks, made.request = 0, 2, 0
    continues(made, 3, 0.3)
    made.iterates([0.1] * 2)
    made.resizes(4, pause=0.2)
    made.iterates([0.05] * 5)
    made.finishes()
    results = read(made.write())
    assert [resize.process_seconds for resize in results.resizes] == pytest.approx([0.05, 0.1])
    assert [g.done for g in results.generations] == [5, 0, 2, 5]
    assert results.recoveries[0].repeated == 2


def test_failure_that_the_run_did_not_survive_is_told(begin: Any) -> None:
    made = begin([2])
    made.starts()
    made.iterates([0.1] * 3)
    dies(made, what="host", died=2)
    document = read(made.write()).document()
    assert (document["finished"], len(document["failures"])) == (False, 1)
    assert document["failures"][0]["died"] == 2
    assert document["failures"][0]["resumed_iteration"] is None


def test_death_that_nobody_planned_is_a_failure_too(begin: Any) -> None:
    made = begin([2])
    made.starts()
    made.iterates([0.1] * 3, recorded=False)
    continues(made, 1, 0.3)
    made.iterates([0.1] * 4)
    made.finishes()
    results = read(made.write())
    (failure,) = results.document()["failures"]
    assert (failure["iteration"], failure["resumed_iteration"]) == (None, 1)
    assert (failure["repeated_iterations"], failure["recovery_seconds"]) == (2, None)
    assert [i.sampled for i in results.generations[0].iterations] == [True] * 3


def test_epochs_have_their_number_their_time_and_its_share(failed: Any) -> None:
    folder = failed.write()
    assert read(folder).document()["protection"] == {
        **PROTECTION,
        **dict.fromkeys(("epochs", "epochs_not_made", "epoch_seconds", "epoch_share")),
    }
    saved = {"event": "epoch_saved", "in_memory": True, "epoch": 1, "bytes": 4800}
    lines = [
        {**saved, "seconds": 0.02},
        {"event": "epoch_not_saved"},
        {**saved, "seconds": 0.03},
        {"event": 3},
    ]
    text = "".join(f"{json.dumps(line)}\n" for line in lines) + '{"event": "epoch_sav'
    (folder / "measured.jsonl").write_text(text)
    protection = read(folder).document()["protection"]
    assert (protection["epochs"], protection["epochs_not_made"]) == (2, 1)
    assert protection["epoch_seconds"] == pytest.approx(0.05)
    assert protection["epoch_share"] == pytest.approx(0.05 / 1.812)


def test_table_says_what_its_iterations_count(failed: Any, capsys: pytest.CaptureFixture[str]) -> None:
    folder = failed.write()
    (folder / "measured.jsonl").write_text('{"event": "epoch_saved", "seconds": 0.02, "bytes": 4800}\n')
    PlainConsole(width=80).print(table(read(folder)))
    shown = capsys.readouterr().out
    assert "epochs in memory: 1 in 20.0 ms, 1.10 % of the time" in shown
    assert "Generations: an iteration that was done again after a failure is in two of them" in shown
    row = next(line.split() for line in shown.splitlines() if line.startswith("rank 3 died"))
    assert row[3:] == ["7", "2", "4", "5", "450", "ms"]
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= 80


def test_tables_and_picture_mark_what_was_done_again(failed: Any) -> None:
    results = read(failed.write())
    iterations = (failed.folder / "iterations.csv", failed.folder / "generations.csv")
    write_csv(results, failed.folder)
    heading, *rows = iterations[0].read_text().splitlines()
    column = heading.split(",").index("repeated")
    assert [row.split(",")[column] for row in rows].count("True") == 5
    assert "repeated_iterations" in iterations[1].read_text().splitlines()[0]
    draw([results], failed.folder / "picture.png")
    assert (failed.folder / "picture.png").stat().st_size > 10_000


def test_proteo_has_no_form_for_failures(failed: Any) -> None:
    results = read(failed.write())
    with pytest.raises(ResultError, match="the run had failures"):
        write_proteo(results, failed.folder)


def test_progress_goes_on_where_it_was_when_the_job_continues(
    failed: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    progress = Progress(failed.run)
    path = failed.write() / "run.jsonl"
    whole = path.read_text()
    begin = whole.index('{"event": "resumed"')
    path.write_text(whole[:begin] + '{"event": "progr')
    progress.follow(path, lambda: False)
    path.write_text(whole)
    progress.follow(path, lambda: False)
    told = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("iteration")]
    assert told == [
        "resized 2 → 4 ranks: pause 12.0 ms (processes 6.00 ms)",
        "rank 3 died at the beginning of iteration 7",
        "goes on from iteration 2, with 4 ranks",
    ]
