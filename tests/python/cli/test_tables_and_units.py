# SPDX-License-Identifier: BSD-3-Clause
"""Tables look alike in all commands, and a figure is written in the same way wherever it stands."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from nereus.analysis.report.console import PlainConsole
from nereus.analysis.report.tables import new_table, number
from nereus.analysis.report.units import (
    amount_text,
    bytes_text,
    change_text,
    frequency_text,
    p_text,
    percent_text,
    range_text,
    ratio_text,
    seconds_text,
    spread_text,
)

UNITS = "python/nereus/analysis/report/units.py"
#: A number that is written by hand, as f"{seconds:.1f}".
_BY_HAND = re.compile(r":[+,]?\.\d+[efg%]\}")
#: Where that is right, and why.
BY_HAND = {
    "cli/calibrate_table.py": "days, hours and minutes since a measurement, as whole numbers",
    "cli/usage.py": "limits as the parser of options has them",
    "cli/place.py": "costs, of which six digits are compared; the title has their unit",
    "cli/place_table.py": "costs, of which six digits are compared; the title has their unit",
    "cli/bench_program.py": "a mean number of calls, which is no quantity with a unit",
    "cli/daemon_status.py": "node hours, the unit of budgets",
    "cli/daemon_period.py": "a confidence, as FTIO prints it",
    "analysis/report/proteo.py": "Proteo's files",
}
_UNIT = re.compile(r"(?<![\w/'])(s|ms|µs|seconds|bytes|[KMG]i?B|[KMG]?B/s|[GM]?flop/s|%|percent)(?!\w)")


def calls_of(name: str, tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            yield node


def texts_in(node: ast.AST) -> set[str]:
    constants = {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)}
    return {each for each in constants if isinstance(each, str)}


def named_texts(argument: ast.AST, module: ast.AST) -> set[str]:
    """The headings that are there, and those of lists that are named there."""
    names = {each.id for each in ast.walk(argument) if isinstance(each, ast.Name)}
    texts = texts_in(argument)
    for node in ast.walk(module):
        if isinstance(node, ast.Assign):
            texts |= _assigned(node.targets[0], node.value, names)
    return texts


def _assigned(target: ast.AST, value: ast.AST, names: set[str]) -> set[str]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = zip(target.elts, value.elts, strict=True)
        return set().union(*(_assigned(one, other, names) for one, other in pairs))
    return texts_in(value) if getattr(target, "id", None) in names else set()


def headings(source: str) -> tuple[set[str], set[str]]:
    """Of columns of words, and of numbers, in the tables of a module."""
    tree = ast.parse(source)
    words: set[str] = set()
    numbers: set[str] = set()
    for call in calls_of("new_table", tree):
        for argument in call.args:
            inner = argument.value if isinstance(argument, ast.Starred) else argument
            if not isinstance(inner, ast.GeneratorExp):  # which chooses for each
                (numbers if isinstance(inner, ast.Call) else words).update(named_texts(inner, tree))
    return words, numbers


def commands(tracked: dict[str, str]) -> dict[str, str]:
    """What prints: the commands, and the rooms that make tables for them."""
    rooms = ("cli", "analysis/report", "analysis/monitor", "analysis/study")
    starts = tuple(f"python/nereus/{room}/" for room in rooms)
    return {path: text for path, text in tracked.items() if path.startswith(starts) and path.endswith(".py")}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (seconds_text(1.25), "1.25 s"),
        (seconds_text(-4.2e-8), "-42.0 ns"),
        (spread_text(0.0123, 0.0004), "12.3 ± 0.4 ms"),
        (spread_text(1.5, 0.004), "1.500 ± 0.004 s"),
        (spread_text(0.12, 0.0004), "120.0 ± 0.4 ms"),
        (spread_text(1.5, 0.0), "1.50 ± 0.00 s"),
        (spread_text(0.0, 0.005), "0.00 ± 5.00 ms"),
        (seconds_text(0.99951), "1.00 s"),
        (change_text(-1e-7), "+0.00 %"),
        (spread_text(None, None), "-"),
        (range_text(seconds_text, 1.25, 0.95, 12.0), "1.25 s (950 ms to 12.0 s)"),
        (bytes_text(64 << 20), "64.0 MiB"),
        (amount_text(2.05e9, "B/s"), "2.05 GB/s"),
        (amount_text(7.26e9, "flop/s"), "7.26 Gflop/s"),
        (amount_text(999, "J"), "999 J"),
        (amount_text(0.5, "W"), "0.50 W"),
        (amount_text(None, "B/s"), "-"),
        (frequency_text(9994.6), "9995/s"),
        (percent_text(0.0438), "4.38 %"),
        (percent_text(1), "100 %"),
        (percent_text(None), "-"),
        (change_text(0.101), "+10.1 %"),
        (change_text(-0.03), "-3.00 %"),
        (ratio_text(1.0236), "1.024"),
        (ratio_text(None), "-"),
        (p_text(0.0312), "0.031"),
        (p_text(None), "-"),
    ],
)
def test_figures_have_three_digits_and_their_unit(text: str, wanted: str) -> None:
    assert text == wanted


def test_words_are_on_the_left_and_numbers_on_the_right() -> None:
    made = new_table("method", number("pause"), title="a title that is longer than the table")
    made.add_row("p2p", "1.25 s")
    made.add_row("rma-lockall", "12.0 ms")
    console = PlainConsole(width=80)
    with console.capture() as shown:
        console.print(made)
    lines = [line.rstrip() for line in shown.get().splitlines()]
    assert lines == [
        "a title that is longer than the table",
        "method         pause",
        "p2p           1.25 s",
        "rma-lockall  12.0 ms",
    ]


def test_all_tables_are_made_by_one_function(tracked: dict[str, str]) -> None:
    trees = {path: ast.parse(text) for path, text in commands(tracked).items()}
    assert [path for path, tree in trees.items() if list(calls_of("Table", tree))] == []
    assert len([path for path, tree in trees.items() if list(calls_of("new_table", tree))]) > 20


def test_headings_have_no_units_for_cells_have_them(tracked: dict[str, str]) -> None:
    named = {
        path: set().union(*headings(source))
        for path, source in commands(tracked).items()
        if list(calls_of("new_table", ast.parse(source)))
    }
    assert {"method", "pause", "rate", "policy"} <= set().union(*named.values())
    with_units = {path: [each for each in texts if _UNIT.search(each)] for path, texts in named.items()}
    assert {path: texts for path, texts in with_units.items() if texts} == {}


def test_a_heading_that_has_numbers_in_one_table_has_no_words_in_another(tracked: dict[str, str]) -> None:
    both = [headings(source) for source in commands(tracked).values()]
    words, numbers = (set().union(*each) for each in zip(*both, strict=True))
    assert {"job", "method"} <= words and {"pause", "ranks", "time", "rate"} <= numbers
    assert words & numbers == set()


def test_figures_are_written_by_one_module(tracked: dict[str, str]) -> None:
    by_hand = {
        path.removeprefix("python/nereus/")
        for path, text in commands(tracked).items()
        if _BY_HAND.search(text) and path != UNITS and "picture" not in Path(path).name
    }
    assert by_hand == BY_HAND.keys()
