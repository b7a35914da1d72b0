# SPDX-License-Identifier: BSD-3-Clause
"""The table of `nereus simulate --repeat`: medians, and between what 95 % of the values lie."""

from typing import TYPE_CHECKING

from nereus.analysis.report.units import amount_text, change_text, percent_text, range_text, seconds_text
from nereus.simulation.jobs.repeats import Distribution, Distributions, Interval

if TYPE_CHECKING:
    from rich.table import Table

_FIGURES = ("rate", "over the first", "above it", "waits", "over the first", "above it")


def table_of(found: Distributions, repeat: int, vary: float) -> "Table":
    """A row for each policy and number of cores."""
    from nereus.analysis.report.tables import new_table, number  # --json does without

    title = f"simulated {repeat} times, times varied by {100 * vary:g} %: median (95 % of the values)"
    table = new_table(number("cores"), "policy", *map(number, _FIGURES), title=title)
    for cores, policies in found.items():
        for policy, figures in policies.items():
            flops, delay = figures["flops"], figures["delay_seconds"]
            table.add_row(
                *(str(cores), policy, amount_text(flops.values.median, "flop/s"), *_over(flops)),
                *(_seconds(delay.values), *_over(delay)),
            )
    return table


def _seconds(of: Interval) -> str:
    return range_text(seconds_text, of.median, of.low, of.high)


def _over(of: Distribution) -> tuple[str, str]:
    """The gain over the first policy, and how often there is one."""
    if of.over_first is None or of.above is None:
        return "-", "-"
    changes = (each - 1 for each in (of.over_first.median, of.over_first.low, of.over_first.high))
    return range_text(change_text, *changes), percent_text(of.above)
