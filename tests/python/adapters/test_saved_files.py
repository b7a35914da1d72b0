# SPDX-License-Identifier: BSD-3-Clause
"""Files count as saved that are others than before, whatever the clocks say."""

import os
from pathlib import Path

from nereus.adapters.saved_files import SavedFiles


def test_files_count_as_written_that_are_new_or_changed(tmp_path: Path) -> None:
    kept, grown, replaced = (tmp_path / name for name in ("kept.1", "grown.2", "replaced.3"))
    for path in (kept, grown, replaced):
        path.write_text("a")
    patterns = [f"{tmp_path}/{name}" for name in ("kept.*", "grown.*", "replaced.*", "new.*")]
    before = SavedFiles.now(patterns)
    assert SavedFiles.now(patterns).not_since(before) == patterns
    grown.write_text("ab")
    other = tmp_path / "other"
    other.write_text("a")
    os.utime(other, (0, 0))  # of a server whose clock is far behind
    other.rename(replaced)
    (tmp_path / "new.4").write_text("abc")
    now = SavedFiles.now(patterns)
    assert now.not_since(before) == [f"{tmp_path}/kept.*"]
    assert now.bytes == 1 + 2 + 1 + 3


def test_file_that_is_removed_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a")
    before = SavedFiles.now([str(tmp_path / "state")])
    (tmp_path / "state").unlink()
    assert SavedFiles.now(before.patterns).not_since(before) == [str(tmp_path / "state")]
