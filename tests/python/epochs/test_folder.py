# SPDX-License-Identifier: BSD-3-Clause
"""Epochs are found, and files that are none are refused in a line."""

from pathlib import Path
from typing import Any

import pytest
from an_epoch import X, document, folder_of_epochs, write, write_epoch
from hypothesis import given
from hypothesis import strategies as st

from nereus.epochs import (
    Epoch,
    EpochsError,
    chosen_epoch,
    complete_epochs,
    is_folder_of_epochs,
    newest_number,
)


def test_newest_epoch_is_chosen_or_the_one_whose_folder_it_is(tmp_path: Path) -> None:
    folder = folder_of_epochs(tmp_path / "saved", 9, 10)
    assert [epoch.number for epoch in complete_epochs(folder)] == [9, 10]
    assert chosen_epoch(folder).number == newest_number(folder) == 10
    assert chosen_epoch(folder / "epoch-9").iteration == 90
    assert is_folder_of_epochs(folder) and is_folder_of_epochs(folder / "epoch-9")


def test_epoch_tells_what_is_in_it(tmp_path: Path) -> None:
    epoch = chosen_epoch(folder_of_epochs(tmp_path, 1))
    assert (epoch.ranks, epoch.program, epoch.bytes) == (4, "cg", 800)
    (array,) = epoch.document()["arrays"]
    assert array == {
        "name": "x",
        "kind": "variable",
        "layout": "block",
        "type": "float64",
        "elements": 100,
        "bytes": 800,
    }


def test_data_of_the_applications_own_is_told(tmp_path: Path) -> None:
    own = {"own": [{"name": "words", "counts": [3, 0, 4, 1], "bytes": 90}]}
    epoch = Epoch(tmp_path, document(1) | own)
    assert epoch.document()["own"] == [{"name": "words", "pieces": 8, "bytes": 90}]
    assert epoch.bytes == 800 + 90


def test_unfinished_epochs_and_other_files_are_looked_over(tmp_path: Path) -> None:
    folder = folder_of_epochs(tmp_path, 2)
    for name in (".epoch-3.unfinished", "epoch-04", "epoch-x", "notes"):
        (folder / name).mkdir()
    assert newest_number(folder) == 2


def test_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    assert not is_folder_of_epochs(tmp_path)
    with pytest.raises(EpochsError, match="is no folder of epochs"):
        chosen_epoch(tmp_path)
    with pytest.raises(EpochsError, match="holds no complete epoch"):
        chosen_epoch(folder_of_epochs(tmp_path))
    with pytest.raises(EpochsError, match="there is no such epoch"):
        chosen_epoch(tmp_path / "epoch-3")


@pytest.mark.parametrize("attributes", [None, [], {}, {"nereus": {"epochs": 2}}, {"nereus": 1}])
def test_root_of_another_format_is_refused(tmp_path: Path, attributes: Any) -> None:
    write(tmp_path / "zarr.json", {"attributes": attributes})
    with pytest.raises(EpochsError, match="epochs"):
        complete_epochs(tmp_path)


WRONG: list[Any] = [
    document(1, format=2),
    document(1, ranks=0),
    document(1, ranks="4"),
    document(1, entries=[X | {"extent": 0}]),
    document(1, entries=[X | {"shape": {"layout": 9, "elements": 1}}]),
    None,
    [],
]


@pytest.mark.parametrize("attributes", WRONG)
def test_epoch_that_says_what_is_not_allowed_is_refused(tmp_path: Path, attributes: Any) -> None:
    write_epoch(folder_of_epochs(tmp_path, 1), 1, attributes)
    with pytest.raises(EpochsError, match="epoch-1: cannot be read"):
        chosen_epoch(tmp_path)


@given(st.binary(max_size=200))
def test_any_bytes_in_place_of_metadata_are_refused(content: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        folder = folder_of_epochs(Path(name), 1)
        (folder / "epoch-1" / "zarr.json").write_bytes(content)
        with pytest.raises(EpochsError):
            chosen_epoch(folder)


def test_epoch_of_no_arrays_has_no_bytes() -> None:
    assert Epoch(Path("epoch-1"), document(1, entries=[])).bytes == 0
