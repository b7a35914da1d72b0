# SPDX-License-Identifier: BSD-3-Clause
"""Results go to a folder that was empty, and never over others."""

from pathlib import Path

import pytest

from nereus.runs import RunError
from nereus.runs.results_folder import new_folder


def test_wanted_folder_is_made_or_taken_as_it_is(tmp_path: Path) -> None:
    wanted = tmp_path / "a" / "b"
    assert new_folder(wanted, "name") == wanted
    assert new_folder(wanted, "name") == wanted
    assert wanted.is_dir()


def test_runs_of_the_same_second_get_separate_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = {new_folder(None, "name") for _ in range(3)}
    assert len(made) == 3
    assert all(folder.is_dir() and folder.name.startswith("name-") for folder in made)


@pytest.mark.parametrize(
    ("wanted", "said"), [("file", "is a file"), ("file/below", "cannot be made"), (".", "is not")]
)
def test_folder_that_cannot_be_used_is_refused(tmp_path: Path, wanted: str, said: str) -> None:
    (tmp_path / "file").write_text("kept")
    with pytest.raises(RunError, match=said):
        new_folder(tmp_path / wanted, "name")
    assert (tmp_path / "file").read_text() == "kept"
