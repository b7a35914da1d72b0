# SPDX-License-Identifier: BSD-3-Clause
"""A user would take a record of nothing, or one that broke off, for a whole one."""

from pathlib import Path

import pytest
from a_run import process

from nereus.analysis.monitor.encoding import Encoding, encoded
from nereus.analysis.monitor.reader import read
from nereus.analysis.monitor.record import NOBODY, begin, end


@pytest.mark.parametrize("encoding", Encoding)
def test_record_of_nobody_says_so(tmp_path: Path, encoding: Encoding) -> None:
    file = tmp_path / "r"
    begin(file, encoding, "0" * 16, ["prog"])
    assert end(file, encoding, 7)
    made = read(file)
    assert made.ended is not None
    assert (made.ended.exit_code, made.unseen) == (7, [("the run", NOBODY)])


@pytest.mark.parametrize("encoding", Encoding)
def test_record_of_a_process_says_nothing_of_nobody(tmp_path: Path, encoding: Encoding) -> None:
    file = tmp_path / "r"
    begin(file, encoding, "0" * 16, ["prog"])
    with file.open("ab") as record:
        record.write(encoded(process(0), encoding))
    assert not end(file, encoding, 0)
    assert read(file).unseen == []


def test_record_that_cannot_be_begun_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        begin(tmp_path / "gone" / "r", Encoding.JSON, "0" * 16, ["prog"])
    assert list(tmp_path.iterdir()) == []
