# SPDX-License-Identifier: BSD-3-Clause
"""What counts in a total over kinds: each byte once. All views and `nereus place` ask here."""

from collections.abc import Sequence
from typing import Any

#: Of such totals, in headings.
COLLECTIVES_ONCE = " (collectives once: their messages in worlds where those were seen, otherwise the calls)"


def mark(worlds: Sequence[str], pairs: Any, sizes: Any) -> None:
    """Add the column `counted` to what processes of these worlds moved; `pairs` decides for both.

    It is decided for a whole world, so that a part of its rows, as those of one phase, adds up to the same.
    """
    callers = pairs["source"][pairs["kind"] == "decomposed"]
    seen_in = {worlds[caller] for caller in callers}
    seen = {place for place, world in enumerate(worlds) if world in seen_in}
    for rows in (pairs, sizes):
        rows["counted"] = (rows["kind"] != "collective") | ~rows["source"].isin(seen)


def counted(table: Any) -> Any:
    """Which rows of a table with kinds count; where it does not say it, it is of one world."""
    if "counted" in table:
        return table["counted"].isin([True, 1])
    return ~((table["kind"] == "collective") & (table["kind"] == "decomposed").any())
