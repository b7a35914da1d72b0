# SPDX-License-Identifier: BSD-3-Clause
"""How far a program is, by the last number in a file that it writes."""

from pathlib import Path

import pytest

from nereus.adapters.adapter import Progress
from nereus.adapters.progress_reader import ProgressReader


class Clock:
    now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def reader(file: Path, pattern: str = "step ([0-9]+)\n") -> ProgressReader:
    made = ProgressReader(Progress(file=str(file), pattern=pattern), Clock())
    made.forget()
    return made


def test_last_number_is_the_iteration(tmp_path: Path) -> None:
    log = tmp_path / "log"
    progress = reader(log)
    assert (progress.turn(), progress.iteration) == (False, None)
    log.write_text("step 1\nstep 12\nstep 1")  # a line that is not complete
    assert (progress.turn(), progress.iteration) == (True, 12)
    assert progress.turn() is False
    with log.open("a") as file:
        file.write("x" * 100_000 + "\nstep 13\n")
    assert (progress.turn(), progress.iteration) == (True, 13)


def test_numbers_from_before_a_start_do_not_count(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("step 12\n")
    progress = reader(log)
    with log.open("a") as file:
        file.write("begins again\n")
    assert (progress.turn(), progress.iteration) == (False, None)
    with log.open("a") as file:
        file.write("step 13\n")
    assert (progress.turn(), progress.iteration) == (True, 13)


def test_file_that_is_written_anew_is_read_from_its_begin(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("step 12\nstep 13\n")
    progress = reader(log)
    log.write_text("step 14\n")
    assert (progress.turn(), progress.iteration) == (True, 14)


@pytest.mark.parametrize("text", ["step \n", "step 99999999999999999999\n", "\0\xff\n", "step ٣\n"])
def test_what_is_no_number_says_nothing(tmp_path: Path, text: str) -> None:
    log = tmp_path / "log"
    progress = reader(log, "step (.*)\n")
    log.write_text(text, encoding="utf-8")
    assert (progress.turn(), progress.iteration) == (False, None)


def test_folder_in_place_of_a_file_says_nothing(tmp_path: Path) -> None:
    progress = reader(tmp_path / "log")
    (tmp_path / "log").mkdir()
    assert (progress.turn(), progress.iteration) == (False, None)
