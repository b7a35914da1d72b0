# SPDX-License-Identifier: BSD-3-Clause
"""Reading result files: whole, cut, damaged, and of other programs."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nereus.analysis.report import ResultError, Results, draw, read, table, write_csv, write_proteo

# Recordings are made once for each test and only read by its examples.
EXAMPLES = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def test_document_has_every_figure_of_the_run(complete: Any) -> None:
    document = read(complete.write()).document()
    first, second, third = document["generations"]
    assert [g["ranks"] for g in document["generations"]] == [2, 4, 1]
    assert first["iterations"] == 5
    assert first["iteration_seconds"] == {"median": 0.12, "min": 0.10, "max": 0.14}
    assert [s["median"] for s in second["stage_seconds"]] == pytest.approx([0.063, 0.007])
    assert [g["background_iterations"] for g in document["generations"]] == [1, 0, 0]
    # 5 iterations of phase 0 and 1 of phase 1: the stages are those of phase 0.
    assert third["iterations"] == 6
    assert third["iteration_seconds"]["max"] == 0.4
    assert [s["max"] for s in third["stage_seconds"]] == pytest.approx([0.27, 0.03])
    assert document["undone"] == []
    assert {k: v for k, v in document.items() if k not in ("generations", "resizes", "undone")} == {
        "total_seconds": 2.662,
        "mpi": "MPICH Version:      5.0.2",
        "nereus_version": "0.1.0",
        "finished": True,
        "data_intact": True,
        "energy": None,
        "failures": [],
        "protection": None,
    }


def test_energy_of_the_host_is_told_where_it_is_beside_the_results(complete: Any) -> None:
    folder = complete.write()
    used = {"package_joules": 120.0, "seconds": 10.0, "packages": 2, "watts": 12.0}
    (folder / "energy.json").write_text(json.dumps({**used, "more": 1}))
    assert read(folder).document()["energy"] == used


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"package_joules": -1}', "nothing"])
def test_damaged_energy_of_the_host_is_left_out(complete: Any, text: str) -> None:
    folder = complete.write()
    (folder / "energy.json").write_text(text)
    assert read(folder).document()["energy"] is None


def test_document_has_every_figure_of_a_resize(complete: Any) -> None:
    resizes = read(complete.write()).document()["resizes"]
    assert resizes[0] == {
        "from": 2,
        "to": 4,
        "process_method": "merge",
        "process_strategies": [],
        "transfer_method": "p2p",
        "transfer_strategy": "blocking",
        "process_seconds": pytest.approx(0.006),
        "constant_seconds": pytest.approx(0.0036),
        "background_seconds": 0.0,
        "background_iterations": 0,
        "variable_seconds": pytest.approx(0.0024),
        "predicted_seconds": None,
        "pause_seconds": 0.012,
        "bytes_moved": 3600,
        "bytes_minimum": 2400,
        "shared_bytes": 0,
        "usual_between_hosts": None,
        "between_hosts": None,
        "placed": None,
        "verified": True,
    }
    assert (resizes[1]["from"], resizes[1]["to"], resizes[1]["verified"]) == (4, 1, None)


def test_document_has_background_transfers(in_background: Any) -> None:
    (resize,) = read(in_background.write()).document()["resizes"]
    assert (resize["transfer_method"], resize["transfer_strategy"]) == ("rma-lockall", "wait-drains")
    assert resize["background_seconds"] == pytest.approx(0.0036)
    assert resize["background_iterations"] == 2
    assert resize["predicted_seconds"] == 0.5
    assert resize["shared_bytes"] == 1200
    assert (resize["usual_between_hosts"], resize["between_hosts"]) == (5000, 2000)
    assert resize["placed"].startswith("ranks are placed")


def test_iterations_during_constant_data_transfer_are_marked(in_background: Any) -> None:
    first, second = read(in_background.write()).generations
    assert [i.moving for i in first.iterations] == [False, False, False, True, True]
    assert not any(i.moving for i in second.iterations)


def test_results_from_before_background_transfers_are_read_correctly(in_background: Any) -> None:
    new = ("first_iteration", "shared_bytes", "predicted_seconds", "placed")
    lines = [json.loads(line) for line in in_background.lines]
    old = [{key: value for key, value in line.items() if key not in new} for line in lines]
    in_background.lines = [json.dumps(line).replace("wait-drains", "blocking") for line in old]
    results = read(in_background.write())
    (resize,) = results.document()["resizes"]
    assert (resize["background_seconds"], resize["background_iterations"]) == (0.0, 0)
    assert (resize["shared_bytes"], resize["predicted_seconds"]) == (0, None)
    assert not any(i.moving for g in results.generations for i in g.iterations)


def test_document_is_valid_json(complete: Any) -> None:
    document = read(complete.write()).document()
    assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_file_is_read_like_its_folder(complete: Any) -> None:
    folder = complete.write()
    assert read(folder / "run.jsonl").document() == read(folder).document()


def test_rolled_back_resize_is_reported_with_reason(begin: Any) -> None:
    run = begin([2, 8, 4])
    run.starts()
    run.iterates([0.1] * 3)
    run.undoes(8, "no host")
    run.iterates([0.2] * 2)
    run.resizes(4)
    run.finishes()
    document = read(run.write()).document()
    assert document["undone"] == [{"from": 2, "to": 8, "state": "making", "reason": "no host"}]
    assert [(r["from"], r["to"]) for r in document["resizes"]] == [(2, 4)]
    assert [(g["ranks"], g["iterations"]) for g in document["generations"]] == [(2, 3), (2, 2), (4, 0)]
    assert document["generations"][2]["iteration_seconds"] == {"median": None, "min": None, "max": None}


def test_unfinished_run_includes_its_last_progress(begin: Any) -> None:
    run = begin([2, 4])
    run.starts()
    run.iterates([0.1] * 4)
    run.resizes(4)
    run.iterates([0.05, 0.06, 0.07], recorded=False)
    # Progress comes at most ten times a second: these two were too quick for lines of their own.
    run.lines = [line for line in run.lines if '"iteration": 6,' not in line]
    results = read(run.write())
    assert not results.finished
    last = results.document()["generations"][1]
    assert last["iterations"] == 3
    assert last["iteration_seconds"] == {"median": pytest.approx(0.06), "min": 0.05, "max": 0.07}
    assert last["stage_seconds"] == []
    assert (results.document()["total_seconds"], results.document()["data_intact"]) == (None, None)


def test_recorded_iterations_are_not_counted_twice(begin: Any) -> None:
    run = begin([2])
    run.starts()
    run.iterates([0.1] * 4)
    run.iterates([0.1] * 2, recorded=False)
    assert read(run.write()).document()["generations"][0]["iterations"] == 6


def test_unknown_keys_and_events_of_newer_programs_are_ignored(complete: Any) -> None:
    plain = read(complete.write()).document()
    with_key = [json.dumps(json.loads(line) | {"colour": "blue"}) for line in complete.lines]
    complete.lines = [with_key[0], '{"event": "weather", "time": "fine"}', *with_key[1:]]
    assert read(complete.write()).document() == plain


def test_damage_in_the_middle_is_reported_with_line(complete: Any) -> None:
    complete.lines[3] = complete.lines[3][:20]
    with pytest.raises(ResultError, match=r"run\.jsonl:4: not JSON: "):
        read(complete.write())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1]", r":2: not an event"),
        ('{"event": 5}', r":2: not an event"),
        ('{"event": "committed", "request": 1}', r":2: committed: from: field required"),
        ('{"event": "finished", "total_seconds": NaN, "data_intact": true}', r"total_seconds = nan"),
        ('{"event": "finished", "total_seconds": "9", "data_intact": true}', r"total_seconds = '9'"),
        ('{"event": "generation_started", "group": 0, "ranks": 0}', r":2: generation_started: ranks = 0"),
        ('{"event": "finished", "total_seconds": 1, "data_intact": 1}', r"data_intact = 1: .*bool"),
    ],
)
def test_invalid_event_is_reported_with_key_and_value(begin: Any, line: str, message: str) -> None:
    run = begin([2])
    run.lines.append(line)
    run.starts()
    with pytest.raises(ResultError, match=message):
        read(run.write())


def test_iteration_of_a_group_that_never_began_is_an_error(begin: Any) -> None:
    run = begin([2])
    run.starts()
    run.group = 7
    run.iterates([0.1])
    with pytest.raises(ResultError, match=r"group = 7: a group that has generation_started"):
        read(run.write())


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("version", 2, r":1: version = 2: 1 is supported"),
        ("format", "other", r':1: format = "other": "nereus-results" is supported'),
    ],
)
def test_file_of_another_format_is_refused(complete: Any, key: str, value: object, message: str) -> None:
    complete.lines[0] = json.dumps(json.loads(complete.lines[0]) | {key: value})
    with pytest.raises(ResultError, match=message):
        read(complete.write())


def test_missing_file_is_reported(tmp_path: Any) -> None:
    with pytest.raises(ResultError, match=r"run\.jsonl: No such file"):
        read(tmp_path)
    with pytest.raises(ResultError, match=r"absent: No such file"):
        read(tmp_path / "absent")


@pytest.mark.parametrize("text", ["", "\n\n", '{"event": "hea'])
def test_run_that_died_before_its_header_has_no_results(begin: Any, text: str) -> None:
    with pytest.raises(ResultError, match=r"run\.jsonl:1: "):
        read(begin([2]).write(text))


def test_file_without_header_is_refused(complete: Any) -> None:
    del complete.lines[0]
    with pytest.raises(ResultError, match=r":1: no header"):
        read(complete.write())


@EXAMPLES
@given(data=st.data())
def test_file_truncated_anywhere_is_still_read(complete: Any, data: Any) -> None:
    text = "".join(f"{line}\n" for line in complete.lines)
    cut = data.draw(st.integers(len(complete.lines[0]), len(text)))
    results = read(complete.write(text[:cut]))
    whole = text[:cut].count("\n") + (text[cut : cut + 1] == "\n")
    begun = sum('"generation_started"' in line for line in complete.lines[:whole])
    assert len(results.generations) == begun
    assert results.finished == (whole == len(complete.lines))


VALUES: st.SearchStrategy[object] = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just([]) | st.just({})
)


@EXAMPLES
@given(content=st.binary(max_size=200))
def test_any_bytes_give_results_or_a_result_error(complete: Any, content: bytes) -> None:
    folder = complete.write()
    with (folder / "run.jsonl").open("ab") as file:
        file.write(content)
    assert _results_or_error(folder) is not None
    (folder / "run.jsonl").write_bytes(content)
    assert isinstance(_results_or_error(folder), ResultError)


@EXAMPLES
@given(data=st.data())
def test_any_changed_value_gives_results_or_a_result_error(complete: Any, data: Any) -> None:
    lines = list(complete.lines)
    number = data.draw(st.integers(0, len(lines) - 1))
    event = json.loads(lines[number])
    event[data.draw(st.sampled_from(sorted(event)))] = data.draw(VALUES)
    lines[number] = json.dumps(event)
    assert _results_or_error(complete.write("\n".join(lines))) is not None


def _results_or_error(folder: Any) -> Results | ResultError:
    """What reading gave; whatever could be read can also be told as a document."""
    try:
        results = read(folder)
    except ResultError as error:
        assert "\n" not in str(error)
        return error
    json.dumps(results.document())
    return results


def test_run_that_died_at_once_has_all_outputs(begin: Any, tmp_path: Any) -> None:
    results = read(begin([2, 4]).write())
    draw([results], tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 0
    assert [path.name for path in write_csv(results, tmp_path)] == [
        "generations.csv",
        "resizes.csv",
        "iterations.csv",
    ]
    assert write_proteo(results, tmp_path) == []
    assert table(results) is not None
