# SPDX-License-Identifier: BSD-3-Clause
"""What counts in a total over kinds: each byte once. All views and `nereus place` ask here."""

from typing import Any

#: Of such totals, in headings.
COLLECTIVES_ONCE = " (collectives once: their messages, where those were seen, else the calls)"


def counted(kinds: Any) -> Any:
    """Which rows count, by their kinds: of collectives their messages, where seen, or else the calls."""
    called = "collective" if "decomposed" not in set(kinds) else "decomposed"
    return kinds.isin(["point_to_point", called, "put", "get"])
