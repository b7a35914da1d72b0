# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: data frames of result files and measured files that say what these say."""

import json
from pathlib import Path
from typing import Any

import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nereus
from nereus.analysis.report import read, write_csv

#: Of one generation on two ranks; the second one never had the stage.
ENDED = {
    "event": "generation_ended", "generation": 0, "ranks": 2, "hosts": ["a", "b"], "cores": 4,
    "iterations": 10, "iteration_seconds": [0.1, 0.2], "iteration_total_seconds": [1.0, 2.0],
    "constant_bytes": 800, "variable_bytes": 80, "memory": "private",
    "stages": [{"name": "spmv", "kind": "compute", "bytes": 0, "total_seconds": [0.9, None],
                "seconds": [0.09, None], "iterations": [10, None]}],
}  # fmt: skip
COMMITTED = {
    "event": "committed", "request": 1, "generation": 1, "from": 2, "to": 1, "process_method": "merge",
    "process_strategies": ["join", "asynchronous"], "transfer_method": "p2p", "transfer_strategy": "blocking",
    "process_seconds": 0.5, "constant_seconds": 0.25, "variable_seconds": 0.125, "pause_seconds": 0.75,
    "background_iterations": 0, "bytes_minimum": 400, "shared_bytes": 0,
}  # fmt: skip
HEADER = {"event": "header", "format": "nereus-measured", "version": 1, "program": "/opt/cg"}
LAST: dict[str, Any] = {**ENDED, "generation": 1, "ranks": 1, "hosts": ["a"], "iteration_seconds": [0.3]}
LAST |= {"iteration_total_seconds": [3.0], "stages": []}


def plain(frame: pandas.DataFrame) -> list[dict[str, Any]]:
    """Rows with None for what is not there."""
    return [
        {str(name): None if pandas.isna(value) else value for name, value in row.items()}
        for row in frame.to_dict("records")
    ]


def test_frames_of_a_result_are_the_tables_of_its_report(complete: Any, tmp_path: Path) -> None:
    folder = complete.write()
    found = nereus.load(folder)
    assert (found.kind, found.path, found.notes) == ("result", folder, ())
    for of_report in write_csv(read(folder), tmp_path / "csv"):
        (own,) = [path for path in found.save(tmp_path / "own") if path.name == of_report.name]
        assert own.read_text() == of_report.read_text()


def test_file_of_a_result_is_loaded_as_its_folder_is(complete: Any) -> None:
    folder = complete.write()
    of_folder, of_file = nereus.load(folder), nereus.load(str(folder / "run.jsonl"))
    assert all(of_file[name].equals(of_folder[name]) for name in of_folder)


def test_resizes_say_what_the_document_says(in_background: Any) -> None:
    folder = in_background.write()
    (wanted,) = read(folder).document()["resizes"]
    (row,) = plain(nereus.load(folder).resizes)
    same = {"transfer_method", "transfer_strategy", "predicted_seconds", "pause_seconds", "shared_bytes"}
    assert {name: row[name] for name in same} == {name: wanted[name] for name in same}
    assert (row["from_ranks"], row["to_ranks"], row["moved_bytes"]) == (2, 4, wanted["bytes_moved"])


def test_run_and_stages_say_what_the_document_says(complete: Any) -> None:
    folder = complete.write()
    document, found = read(folder).document(), nereus.load(folder)
    (run,) = plain(found.run)
    assert (run["name"], run["finished"], run["data_intact"]) == ("made up", True, True)
    assert (run["total_seconds"], run["mpi"]) == (document["total_seconds"], document["mpi"])
    medians = found.stages.query("phase == 0").groupby(["generation", "stage"]).stage_seconds.median()
    for number, generation in enumerate(document["generations"]):
        for stage, spread in enumerate(generation["stage_seconds"]):
            assert medians[number, stage] == spread["median"]
    assert list(found.stages.type.unique()) == ["matrix", "allreduce", "write"]
    assert found.stages.type.iloc[-1] == "write"


def test_resize_that_was_rolled_back_lacks_figures_and_has_a_reason(begin: Any) -> None:
    made = begin([2, 4])
    made.starts()
    made.iterates([0.1] * 5)
    made.undoes(4, "no room")
    made.iterates([0.1] * 6)
    made.finishes()
    (row,) = plain(nereus.load(made.write()).resizes)
    assert (row["outcome"], row["reason"]) == ("undone while making", "no room")
    assert {row[name] for name in ("pause_seconds", "moved_bytes", "process_method", "verified")} == {None}


def test_failure_is_a_row_also_where_nothing_went_on(begin: Any) -> None:
    made = begin([2])
    made.starts()
    made.iterates([0.1] * 3)
    made.event("failure", iteration=3, what="rank", rank=1, died=1, calibration_seconds=0.3)
    folder = made.write()
    found = nereus.load(folder)
    assert plain(found.failures) == read(folder).document()["failures"]


def test_result_that_was_cut_is_loaded_up_to_there_and_says_so(complete: Any) -> None:
    text = "".join(f"{line}\n" for line in complete.lines)
    folder = complete.write(text[:-30])
    found = nereus.load(folder)
    assert found.notes == (f"{folder / 'run.jsonl'}: the run did not finish: read up to there",)
    assert len(found.iterations) == 16 and plain(found.run)[0]["total_seconds"] is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(data=st.data())
def test_result_that_was_cut_anywhere_is_loaded_or_refused_in_one_line(complete: Any, data: Any) -> None:
    text = "".join(f"{line}\n" for line in complete.lines)
    folder = complete.write(text[: data.draw(st.integers(0, len(text) - 1))])
    try:
        assert len(nereus.load(folder)["run"]) == 1
    except nereus.UserError as refused:
        assert len(refused.lines) == 1


def test_damaged_line_of_a_result_is_named(complete: Any) -> None:
    complete.lines[3] = "{"
    folder = complete.write()
    with pytest.raises(nereus.UserError, match=r"run\.jsonl:4: not JSON"):
        nereus.load(folder)


def measured(folder: Path, *events: dict[str, Any], rest: str = "") -> Path:
    file = folder / "measured.jsonl"
    file.write_text("".join(json.dumps(event) + "\n" for event in events) + rest)
    return file


def test_frames_of_a_measured_file_have_its_times_by_rank(tmp_path: Path) -> None:
    found = nereus.load(measured(tmp_path, HEADER, ENDED, COMMITTED, LAST))
    assert found.kind == "measured"
    assert plain(found.generations)[0] == {
        "generation": 0, "ranks": 2, "cores": 4, "iterations": 10, "memory": "private",
        "constant_bytes": 800, "variable_bytes": 80,
    }  # fmt: skip
    assert list(found.ranks.iteration_total_seconds) == [1.0, 2.0, 3.0]
    assert list(found.ranks.host) == ["a", "b", "a"]
    own = {"generation": 0, "ranks": 2, "stage": 0, "name": "spmv", "kind": "compute", "bytes": 0}
    assert plain(found.stages) == [
        {**own, "rank": 0, "iterations": 10, "stage_seconds": 0.09, "stage_total_seconds": 0.9},
        {**own, "rank": 1, "iterations": None, "stage_seconds": None, "stage_total_seconds": None},
    ]


def test_resizes_of_a_measured_file_have_what_they_took(tmp_path: Path) -> None:
    (row,) = plain(nereus.load(measured(tmp_path, HEADER, ENDED, COMMITTED, LAST)).resizes)
    assert (row["generation"], row["from_ranks"], row["to_ranks"]) == (1, 2, 1)
    assert row["process_strategies"] == "join+asynchronous"
    names = ("process_seconds", "constant_seconds", "variable_seconds", "pause_seconds", "shared_bytes")
    assert [row[name] for name in names] == [COMMITTED[name] for name in names]
    assert row["minimum_bytes"] == 400


def test_measured_file_without_a_whole_generation_says_so(tmp_path: Path) -> None:
    file = measured(tmp_path, HEADER, rest='{"event": "generation_en')
    with pytest.raises(nereus.UserError, match="at least one generation that has ended"):
        nereus.load(file)


def test_measured_file_that_was_cut_is_loaded_up_to_there(tmp_path: Path) -> None:
    file = measured(tmp_path, HEADER, ENDED, rest='{"event": "commit')
    found = nereus.load(file)
    assert (len(found.generations), len(found.resizes)) == (1, 0)
    assert found.notes == (f"{file}: the run did not finish: read up to there",)


def test_measured_file_of_a_closed_job_has_no_notes(tmp_path: Path) -> None:
    assert nereus.load(measured(tmp_path, HEADER, ENDED, {"event": "finished"})).notes == ()


def test_generations_of_one_size_are_told_apart_as_in_the_file(tmp_path: Path) -> None:
    later = {**ENDED, "generation": 3, "iteration_seconds": [0.4, 0.5]}
    resumed = {"event": "resumed", "generation": 3}
    found = nereus.load(measured(tmp_path, HEADER, ENDED, resumed, later))
    assert list(found.generations.generation) == [0, 3]
    assert list(found.ranks.iteration_seconds) == [0.1, 0.2, 0.4, 0.5]
    assert list(found.stages.generation) == [0, 0, 3, 3]
