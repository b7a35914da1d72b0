# SPDX-License-Identifier: BSD-3-Clause
"""The table of `nereus simulate --repeat`: medians, and between what 95 % of the values lie."""

from typing import TYPE_CHECKING

from nereus.simulation.jobs.repeats import Distribution, Distributions, Interval

if TYPE_CHECKING:
    from rich.table import Table

_HEADINGS = ("policy", "flop/s", "over the first", "above it", "waits", "over the first", "above it")


def table_of(found: Distributions, repeat: int, vary: float) -> "Table":
    """A row for each policy and number of cores."""
    from rich.table import Table  # --json does without

    title = f"simulated {repeat} times, times varied by {100 * vary:g} %: median (95 % of the values)"
    table = Table(title=title, title_justify="left")
    table.add_column("cores", justify="right")
    for heading in _HEADINGS:
        table.add_column(heading, justify="left" if heading == "policy" else "right")
    for cores, policies in found.items():
        for policy, figures in policies.items():
            flops, delay = figures["flops"], figures["delay_seconds"]
            table.add_row(
                *(str(cores), policy, f"{flops.values.median:.3g}", *_over(flops)),
                *(_seconds(delay.values), *_over(delay)),
            )
        table.add_section()
    return table


def _seconds(of: Interval) -> str:
    return f"{of.median:.0f} s ({of.low:.0f} to {of.high:.0f})"


def _over(of: Distribution) -> tuple[str, str]:
    """The gain over the first policy, and how often there is one."""
    if of.over_first is None or of.above is None:
        return "-", "-"
    median, low, high = (
        100 * (each - 1) for each in (of.over_first.median, of.over_first.low, of.over_first.high)
    )
    return f"{median:+.1f} % ({low:+.1f} to {high:+.1f})", f"{100 * of.above:.0f} %"
