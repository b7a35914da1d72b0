# SPDX-License-Identifier: BSD-3-Clause
"""Which scenarios are live. What reads them takes longer to import than many commands run."""

from pathlib import Path

from nereus import UserError
from nereus.config.text import text_of
from nereus.config.toml_reader import read_tables

#: The name of the table that makes a scenario live.
TABLE = "live"


def is_live(path: Path) -> bool:
    """Whether the file has that table. False for a file that cannot be read: who reads it says why."""
    try:
        return isinstance(read_tables(text_of(path), str(path)).tree.get(TABLE), dict)
    except UserError:
        return False
