# SPDX-License-Identifier: BSD-3-Clause
"""The types of an emulated application's stages, from the emulator's table (tools/emulator/stages.toml).

In:  nothing.
Out: the words, those of each kind, and what each row says of its word.
"""

import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

_ROWS: list[dict[str, Any]] = tomllib.loads((files(__name__) / "stages.toml").read_text("utf-8"))["stages"]

STAGES = tuple(str(row["word"]) for row in _ROWS)

if TYPE_CHECKING:  # a type checker cannot read the table
    StageType = str
else:
    StageType = Literal[STAGES]


def of_kind(*kinds: str) -> tuple[str, ...]:
    """The words of some kinds, in order."""
    return tuple(str(row["word"]) for row in _ROWS if row["kind"] in kinds)


COMPUTE = of_kind("compute")
FILES = of_kind("file")
#: Those of which one operation ends with the stage.
MESSAGES = of_kind("message")
#: An id belongs to these, and tells which of the one kind ends which of the other.
BY_ID = of_kind("begin", "wait")


def column(name: str) -> dict[str, int]:
    """From words to what their rows have in a column; rows without it are left out."""
    return {str(row["word"]): int(row[name]) for row in _ROWS if name in row}
