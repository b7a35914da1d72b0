# SPDX-License-Identifier: BSD-3-Clause
"""A job that continues finds a result file to which it can append."""

from pathlib import Path

import pytest

from nereus.runs.results_file import drop_part_of_line, failures_in

HEADER = b'{"event": "header", "run": {"failures": [{"what": "failure"}]}}\n'
FAILURE = b'{"event": "failure", "iteration": 3}\n'


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        (HEADER + FAILURE, HEADER + FAILURE),
        (HEADER + b'{"event": "iterat', HEADER),
        (b'{"event": "hea', b""),
        (b"", b""),
    ],
)
def test_part_of_a_line_is_dropped(tmp_path: Path, content: bytes, kept: bytes) -> None:
    file = tmp_path / "run.jsonl"
    file.write_bytes(content)
    drop_part_of_line(file)
    assert file.read_bytes() == kept


def test_failures_that_have_happened_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    drop_part_of_line(file)
    assert failures_in(file) == 0
    file.write_bytes(HEADER + FAILURE + b'{"event": "resumed"}\n' + FAILURE + b'{"event": "failure", "iter')
    assert failures_in(file) == 2
