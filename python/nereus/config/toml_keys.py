# SPDX-License-Identifier: BSD-3-Clause
"""How many parts the keys of a TOML text have, before tomllib reads it: it takes the square of them."""

from __future__ import annotations

import re

MOST_PARTS = 32

# Each alternative takes what it begins with in any case, so that a text of any kind is passed once.
_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5})?'
    r"|'''(?:[^']|'(?!''))*+(?:'{3,5})?"
    r'|"(?:[^"\\\n]|\\[^\n])*+"?'
    r"|'[^'\n]*+'?"
    r"|\#[^\n]*+"
    r"|(?P<mark>[\[\]{},=\n])"
    r"|(?P<bare>[^\[\]{},=\n\#\"']+)",
    re.DOTALL,
)


def line_of_longest_key(text: str) -> int | None:
    """The line of the first key of more than MOST_PARTS parts; None where there is none.

    What stands between two marks is taken for a key: no value has as many dots outside of quotes.
    """
    dots = 0
    for match in _TOKEN.finditer(text):
        if match["mark"] is not None:
            dots = 0
        elif match["bare"] is not None:
            dots += match["bare"].count(".")
            if dots >= MOST_PARTS:
                return text.count("\n", 0, match.start()) + 1
    return None
