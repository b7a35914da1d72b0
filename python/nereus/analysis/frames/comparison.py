# SPDX-License-Identifier: BSD-3-Clause
"""Two runs, studies, records or results of workloads beside each other, figure by figure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

from nereus.analysis.frames.error import FramesError
from nereus.analysis.frames.frames import Frames

if TYPE_CHECKING:
    from pandas import DataFrame, Series


@dataclass(frozen=True)
class Rule:
    """Which rows of a frame are one figure: those with the same `keys`, of which it is the median or the sum.

    `only`: of those in which columns have these values. `paired`: of those for which both sides have one with
    the same value there. `repeats`: rows are runs that do not depend on each other, so that a test can tell
    them apart.
    """

    frame: str
    keys: str
    figures: str
    only: Mapping[str, object] = field(default_factory=dict)
    paired: str = ""
    adds_up: bool = False
    repeats: bool = False


_TIMES = "pause_seconds process_seconds constant_seconds variable_seconds"
#: Iterations that were timed on all ranks, and have the cores for themselves.
_USUAL = {"background": False, "moving": False, "sampled": False, "repeated": False}
#: By kind. Frames that say of which processes or runs something is, as `failures`, are not compared.
RULES: Mapping[str, Sequence[Rule]] = {
    "result": (
        Rule("run", "", "total_seconds package_joules epochs epoch_seconds"),
        Rule("generations", "ranks", "iterations repeated_iterations", adds_up=True),
        Rule("iterations", "ranks phase", "iteration_seconds", only=_USUAL),
        Rule("stages", "ranks phase stage type", "stage_seconds", only=_USUAL),
        Rule(
            "resizes",
            "from_ranks to_ranks",
            f"{_TIMES} moved_bytes background_iterations",
            only={"outcome": "committed"},
        ),
    ),
    "measured": (
        Rule("generations", "ranks", "iterations", adds_up=True),
        Rule("generations", "ranks", "constant_bytes variable_bytes"),
        Rule("ranks", "ranks", "iteration_seconds"),
        Rule("stages", "ranks name kind", "stage_seconds"),
        Rule("resizes", "from_ranks to_ranks", f"{_TIMES} background_iterations"),
    ),
    "study": (
        Rule(
            "runs",
            "application sizes variant",
            "total_seconds reconfiguration_seconds pause_seconds iteration_seconds omega",
            repeats=True,
        ),
    ),
    "record": (
        Rule("pairs", "kind", "messages bytes", adds_up=True),
        Rule("calls", "call", "calls", adds_up=True),
        Rule("files", "", "read_messages read_bytes write_messages write_bytes", adds_up=True),
    ),
    "trace": (
        Rule("calls", "call", "call_seconds bytes", adds_up=True),
        Rule("messages", "", "bytes", adds_up=True),
    ),
    "workload": (
        Rule(
            "simulations",
            "order strategy malleable_percent",
            "makespan_seconds mean_turnaround_seconds mean_wait_seconds mean_bounded_slowdown utilisation "
            "utilisation_by_ranks killed resizes core_hours_lost_to_resizes energy_kwh failures failed "
            "core_hours_lost_to_failures core_hours_of_saves core_hours_lost_to_io",
            paired="seed",
        ),
    ),
}
#: So many runs on each side can differ significantly at 5 % (Mann and Whitney 1947).
LEAST_RUNS = 4


@dataclass(frozen=True)
class Side:
    """`value`: None where there is nothing of the kind. `count`: of rows that it comes from."""

    value: float | None
    count: int


@dataclass(frozen=True)
class Row:
    """`p`: how likely so different runs would be if nothing had changed; None where nothing is tested."""

    frame: str
    keys: Mapping[str, Any]
    figure: str
    unit: str
    first: Side
    second: Side
    p: float | None = None

    @property
    def ratio(self) -> float | None:
        """Second over first; None where it says nothing."""
        if self.first.value is None or self.second.value is None:
            return None
        if self.first.value == self.second.value:
            return 1.0
        ratio = self.second.value / self.first.value if self.first.value else inf
        return ratio if isfinite(ratio) else None

    def document(self) -> Mapping[str, Any]:
        """For JSON."""
        return {
            "frame": self.frame,
            "keys": dict(self.keys),
            "figure": self.figure,
            "unit": self.unit,
            "first": self.first.value,
            "second": self.second.value,
            "ratio": self.ratio,
            "first_count": self.first.count,
            "second_count": self.second.count,
            "p": self.p,
        }


def compared(first: Frames, second: Frames) -> Sequence[Row]:
    """Every figure of two of one kind, also those of one of them alone. FramesError where kinds differ."""
    if first.kind != second.kind:
        raise FramesError(
            f"{first.path} is of the kind {first.kind} and {second.path} of the kind {second.kind}: "
            "allowed are two of one kind"
        )
    return [row for rule in RULES[first.kind] for row in _rows(rule, first, second)]


def _rows(rule: Rule, first: Frames, second: Frames) -> Iterator[Row]:
    keys, unit_of = rule.keys.split(), first[rule.frame].attrs["units"]
    groups = [_groups(rule, frames[rule.frame], keys) for frames in (first, second)]
    for key in [*groups[0], *(key for key in groups[1] if key not in groups[0])]:
        rows = _with_pairs(rule, [found.get(key) for found in groups])
        for figure in rule.figures.split():
            values = [None if each is None else each[figure].dropna() for each in rows]
            one, other = (_side(each, rule.adds_up) for each in values)
            if one.count or other.count:
                named = dict(zip(keys, key, strict=True))
                unit = unit_of.get(figure, "")
                yield Row(rule.frame, named, figure, unit, one, other, _p(values) if rule.repeats else None)


def _groups(rule: Rule, table: "DataFrame", keys: Sequence[str]) -> Mapping[tuple[Any, ...], "DataFrame"]:
    for column, wanted in rule.only.items():
        table = table[table[column] == wanted]
    if not keys:
        return {(): table}
    found = table.groupby(keys, sort=True, dropna=False)
    return {tuple(_plain(each) for each in key): rows for key, rows in found}


def _with_pairs(rule: Rule, sides: Sequence["DataFrame | None"]) -> Sequence["DataFrame | None"]:
    """Without the rows of one side that the other one has not, if it has any."""
    one, other = sides
    if not rule.paired or one is None or other is None:
        return sides
    both = {*one[rule.paired]} & {*other[rule.paired]}
    return [side[side[rule.paired].isin(both)] for side in (one, other)]


def _side(values: "Series | None", adds_up: bool) -> Side:
    if values is None or not len(values):
        return Side(None, 0)
    return Side(float(sum(values) if adds_up else values.median()), len(values))


def _p(values: Sequence["Series | None"]) -> float | None:
    """Of the test of Mann and Whitney, where there are enough runs."""
    from scipy.stats import mannwhitneyu

    one, other = ([] if each is None else [float(value) for value in each] for each in values)
    if min(len(one), len(other)) < LEAST_RUNS:
        return None
    if len({*one, *other}) == 1:
        return 1.0
    return float(mannwhitneyu(one, other).pvalue)


def _plain(value: Any) -> Any:
    """A key as Python and JSON have it; None where there is none."""
    from pandas import isna

    return None if isna(value) else value.item() if hasattr(value, "item") else value
