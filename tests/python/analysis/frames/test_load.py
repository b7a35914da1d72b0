# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: the frames of a path, one line where there are none, documented units."""

import copy
import importlib.util
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nereus
from nereus.analysis.frames import frames as saving
from nereus.analysis.frames.columns import COLUMNS, Column
from nereus.analysis.frames.loading import ALLOWED
from nereus.analysis.frames.tables import Tables
from nereus.analysis.study.results import MEASURES

MONITORED = '{"event": "header", "format": "nereus-monitor", "version": 1, "run": "r"}\n'


def refused(path: Path | str) -> str:
    with pytest.raises(nereus.UserError) as found:
        nereus.load(path)
    assert len(found.value.lines) == 1
    return str(found.value)


def test_import_of_nereus_brings_no_pandas_along() -> None:
    program = (
        "import sys, nereus; print('pandas' in sys.modules); nereus.load; print('pandas' in sys.modules);"
        "print('mpi4py' in sys.modules, callable(nereus.load))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["False", "False", "False", "True"]


def test_load_of_a_missing_path_says_so(tmp_path: Path) -> None:
    path = tmp_path / "nowhere"
    assert refused(path) == f"{path}: cannot be read: No such file or directory"


@pytest.mark.parametrize("name", ["run.0.prof", "nowhere/run.0.prof"])
def test_load_of_a_missing_file_of_open_mpi_says_so(tmp_path: Path, name: str) -> None:
    assert refused(tmp_path / name) == f"{tmp_path / name}: cannot be read: No such file or directory"


def test_load_of_a_path_that_there_cannot_be_says_so() -> None:
    assert refused("a\0b") == f"'a\\x00b': embedded null byte; {ALLOWED}"


def test_load_of_an_empty_file_says_so(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.touch()
    assert refused(path) == f"{path}: is empty; {ALLOWED}"


@pytest.mark.parametrize(
    "text", ['{"a": 1}\n', '{"format": ["nereus-results"]}\n', '{"format": "other"}\n', "7"]
)
def test_load_of_a_file_of_another_kind_says_which_are_allowed(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    assert refused(path) == f"{path}: is of none of the kinds that can be loaded; {ALLOWED}"


@pytest.mark.parametrize(
    "content", [b'{"event": "header", "format": "nereus-res', b"{", b"\xbf\xff\xff", b"[1,"]
)
def test_load_of_a_file_without_a_whole_first_line_says_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "cut.jsonl"
    path.write_bytes(content)
    assert re.fullmatch(
        rf"{re.escape(str(path))}: is .*none of the kinds.*; {re.escape(ALLOWED)}", refused(path)
    )


@given(st.binary(max_size=64))
def test_any_bytes_are_refused_in_one_line(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.bytes"
    path.write_bytes(content)
    assert refused(path).endswith(ALLOWED)


def test_load_of_a_folder_with_nothing_in_it_says_what_is_missing(tmp_path: Path) -> None:
    assert (
        refused(tmp_path) == f"{tmp_path}: holds neither a study nor a trace nor a file run.jsonl; {ALLOWED}"
    )


def test_load_of_a_device_ends(tmp_path: Path) -> None:
    assert refused("/dev/zero") == f"/dev/zero: is no regular file; {ALLOWED}"


def test_damage_behind_the_first_line_is_what_the_reader_says(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text('{"event": "header", "format": "nereus-results", "version": 2}\n')
    assert refused(tmp_path) == f"{path}:1: version = 2: 1 is supported"


@pytest.fixture
def frames(tmp_path: Path) -> nereus.Frames:
    """Of a record in which nothing was sent."""
    path = tmp_path / "record.jsonl"
    path.write_text(MONITORED + '{"event": "unseen", "what": "the run", "why": "nobody"}\n')
    return nereus.load(path)


def test_frames_are_a_mapping_and_attributes(frames: nereus.Frames) -> None:
    assert list(frames) == list(COLUMNS["record"]) and len(frames) == len(COLUMNS["record"])
    assert all(getattr(frames, name) is frames[name] for name in frames)
    assert {*frames} <= {*dir(frames)}
    with pytest.raises(AttributeError, match="frames of a record have no 'resizes': there are worlds, "):
        _ = frames.resizes
    assert frames == frames and frames != dict(frames)


def test_frames_tell_what_they_are_and_what_is_not_in_them(frames: nereus.Frames, tmp_path: Path) -> None:
    assert (frames.kind, frames.path) == ("record", tmp_path / "record.jsonl")
    assert frames.notes == ("not seen: the run: nobody",)
    text = repr(frames).splitlines()
    assert text[:2] == [f"record {frames.path}", "  worlds: 0 rows"] and text[-1] == f"  ({frames.notes[0]})"


def test_frames_can_be_copied_and_pickled(frames: nereus.Frames) -> None:
    for other in (copy.copy(frames), copy.deepcopy(frames), pickle.loads(pickle.dumps(frames))):
        assert (other.kind, other.path, other.notes, list(other)) == (
            frames.kind, frames.path, frames.notes, list(frames)
        )  # fmt: skip
        assert other.worlds.equals(frames.worlds) and other.pairs.attrs == frames.pairs.attrs


def test_no_frame_has_the_name_of_something_else_of_the_mapping() -> None:
    names = {name for of_kind in COLUMNS.values() for name in of_kind}
    assert names & {*dir(nereus.Frames), "kind", "path", "notes"} == set()


@pytest.mark.parametrize("kind", COLUMNS)
def test_frames_without_rows_have_all_columns_with_their_types(kind: str) -> None:
    found = Tables(kind, {name: [] for name in COLUMNS[kind]}).frames()
    for name, columns in COLUMNS[kind].items():
        each = [column for column in columns if not column.name.startswith("stage_N_")]
        assert {column: str(dtype) for column, dtype in found[name].dtypes.items()} == {
            column.name: column.dtype for column in each
        }
        assert found[name].attrs["units"] == {column.name: column.unit for column in each if column.unit}


@given(st.lists(st.none() | st.integers(0, 2**63 - 1), min_size=1))
def test_whole_numbers_stay_exact_beside_values_that_are_not_there(values: list[int | None]) -> None:
    rows: dict[str, Any] = {name: [] for name in COLUMNS["result"]}
    rows["resizes"] = [
        {"from_ranks": 1, "to_ranks": 2, **({} if each is None else {"moved_bytes": each})} for each in values
    ]
    moved = Tables("result", rows).frames()["resizes"].moved_bytes
    assert [None if each is pandas.NA else each for each in moved] == values


def test_sums_beyond_whole_numbers_of_a_column_are_kept() -> None:
    rows: dict[str, Any] = {name: [] for name in COLUMNS["record"]}
    rows["calls"] = [{"call": "bcast", "calls": 2**64}]
    assert list(Tables("record", rows).frames()["calls"].calls) == [2**64]


def test_numbers_that_are_not_whole_are_no_numbers_of_things() -> None:
    rows: dict[str, Any] = {name: [] for name in COLUMNS["record"]}
    rows["calls"] = [{"call": "bcast", "calls": 1.5}]
    with pytest.raises(nereus.UserError, match=r"^calls: cannot safely cast"):
        Tables("record", rows).frames()


def test_saved_csv_has_the_frames(frames: nereus.Frames, tmp_path: Path) -> None:
    written = frames.save(tmp_path / "new" / "tables")
    assert [path.name for path in written] == [f"{name}.csv" for name in frames]
    for path, frame in zip(written, frames.values(), strict=True):
        assert list(pandas.read_csv(path).columns) == list(frame.columns)


def test_saved_parquet_keeps_types_and_units(frames: nereus.Frames, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    for path, frame in zip(frames.save(tmp_path, format="parquet"), frames.values(), strict=True):
        found = pandas.read_parquet(path)
        assert found.dtypes.to_dict() == frame.dtypes.to_dict()
        assert found.attrs == frame.attrs


def test_package_for_parquet_is_named_where_it_is_missing(
    frames: nereus.Frames, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without(name: str) -> object:
        return None if name == "pyarrow" else importlib.util.find_spec(name)

    monkeypatch.setattr(saving, "find_spec", without)
    said = r"^format = 'parquet': pyarrow is not installed; pip install pyarrow installs it$"
    with pytest.raises(nereus.UserError, match=said):
        frames.save(tmp_path / "tables", format="parquet")
    assert not (tmp_path / "tables").exists()


def test_what_cannot_be_saved_is_one_line(frames: nereus.Frames, tmp_path: Path) -> None:
    with pytest.raises(nereus.UserError, match=r"^format = 'xlsx': allowed are csv, parquet$"):
        frames.save(tmp_path, format="xlsx")
    with pytest.raises(nereus.UserError, match=r"record\.jsonl: cannot be written: File exists$"):
        frames.save(frames.path)
    with pytest.raises(nereus.UserError, match=r"cannot be written: embedded null byte$"):
        frames.save(f"{tmp_path}/a\0b")
    frames.worlds.loc[0, "world"] = "\ud800"
    with pytest.raises(nereus.UserError, match=r"cannot be written: 'utf-8' codec can't encode"):
        frames.save(tmp_path)


def spread(name: str) -> list[str]:
    """`{a,b}_seconds` as both names."""
    parts = [part.split(",") for part in re.split(r"[{}]", name)]
    return ["".join(chosen) for chosen in product(*parts)]


def documented(page: str) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """Of each frame on the page: its kind, its name, its columns with their units."""
    chapters = re.split(r"^## ", page, flags=re.MULTILINE)[1:-1]  # the last one compares
    for kind, chapter in zip(COLUMNS, chapters, strict=True):
        for name, cell in re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", chapter, flags=re.MULTILINE):
            found = re.findall(r"`([\w{},]+)`(?: \(([^)]+)\))?", cell)
            units = [(each, "" if unit == "UTC" else unit) for names, unit in found for each in spread(names)]
            yield kind, name, units


def written_out(columns: list[tuple[str, str]], letter: str, each: list[Column]) -> Iterator[tuple[str, str]]:
    """With each of the columns that a letter stands for."""
    for name, unit in columns:
        if not name.startswith(f"{letter}_"):
            yield name, unit
    for column in each:
        for name, unit in columns:
            if name.startswith(f"{letter}_"):
                yield column.name + name[1:], column.unit if unit.startswith("of the ") else unit


def test_units_on_the_page_are_those_of_the_code(repository: Path) -> None:
    page = (repository / "docs" / "howto" / "results-as-data.md").read_text(encoding="utf-8")
    measures = [column for column in COLUMNS["study"]["runs"] if column.name in MEASURES]
    told = list(COLUMNS["workload"]["simulations"])[4:]
    figures = [column for column in told if column.name != "resizes"]
    found = {
        (kind, name): dict(written_out(list(written_out(columns, "M", measures)), "F", figures))
        for kind, name, columns in documented(page)
    }
    assert found == {
        (kind, name): {column.name: column.unit for column in columns}
        for kind, of_kind in COLUMNS.items()
        for name, columns in of_kind.items()
    }


def test_names_of_columns_do_not_contradict_their_units() -> None:
    """But in changes, which are all in percent."""
    endings = {"_seconds": "s", "_bytes": "B", "_joules": "J", "_kwh": "kWh", "_percent": "%", "_unix": "s"}
    columns = [
        c
        for of_kind in COLUMNS.values()
        for name in of_kind
        for c in of_kind[name]
        if name != "changes_percent"
    ]
    wrong = [c for c in columns for end, unit in endings.items() if c.name.endswith(end) and c.unit != unit]
    assert wrong == []
    assert json.dumps(sorted({c.unit for c in columns})) == '["", "%", "B", "J", "core h", "kWh", "s"]'
