# SPDX-License-Identifier: BSD-3-Clause
"""What docs/tutorial/from-an-mpi-loop.md says of its programs is so, and the smallest example is small."""

import difflib
import re

BEFORE = "examples/tutorial/before.c"
AFTER = "examples/tutorial/after.c"
PAGE = "docs/tutorial/from-an-mpi-loop.md"
SMALLEST = "examples/01_first_resize.c"


def diff_of(before: str, after: str) -> list[str]:
    """The lines of `diff -u`, without blanks at their ends."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), BEFORE, AFTER, lineterm="")
    return [line.rstrip() for line in lines]


def changes_of(diff: list[str]) -> list[str]:
    """The lines that a diff adds or removes."""
    return [line for line in diff if re.match(r"[+-](?!\+\+ |-- )", line)]


def diffs_in(page: str) -> list[list[str]]:
    """The diffs that a page shows: one for each step, then the whole."""
    blocks = re.findall(r"^```diff\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return [[line.rstrip() for line in block.splitlines()] for block in blocks]


def test_mpi_loop_becomes_malleable_with_fewer_than_15_changed_lines(tracked: dict[str, str]) -> None:
    assert 0 < len(changes_of(diff_of(tracked[BEFORE], tracked[AFTER]))) < 15


def test_tutorial_shows_the_difference_of_the_two_programs(tracked: dict[str, str]) -> None:
    assert diffs_in(tracked[PAGE])[-1] == diff_of(tracked[BEFORE], tracked[AFTER])


def test_steps_of_the_tutorial_cover_every_change(tracked: dict[str, str]) -> None:
    *steps, whole = diffs_in(tracked[PAGE])
    assert len(steps) > 1
    assert sorted(line for step in steps for line in changes_of(step)) == sorted(changes_of(whole))


def test_tutorial_states_the_right_number_of_changed_lines(tracked: dict[str, str]) -> None:
    changes = changes_of(diff_of(tracked[BEFORE], tracked[AFTER]))
    added = sum(line.startswith("+") for line in changes)
    text = " ".join(tracked[PAGE].split())
    assert f"{added} lines are added and {len(changes) - added} are removed" in text


def test_smallest_example_has_the_number_of_lines_its_page_states(tracked: dict[str, str]) -> None:
    assert len(tracked[SMALLEST].splitlines()) <= 43


def test_changed_lines_are_counted_without_headers() -> None:
    assert changes_of(diff_of("a\nb\nc\n", "a\nB\nc\n--x;\n")) == ["-b", "+B", "+--x;"]
    assert diffs_in("```diff\n-a\n+b \n```\ntext\n```c\nx\n```\n") == [["-a", "+b"]]


def test_troubleshooting_page_has_each_error_code(tracked: dict[str, str]) -> None:
    codes = re.findall(r"\b(NEREUS_ERR_\w+) = ", tracked["include/nereus/errors.h"])
    rows = re.findall(
        r"^\| `(NEREUS_ERR_\w+)` \|", tracked["docs/howto/troubleshooting.md"], flags=re.MULTILINE
    )
    assert rows == codes
