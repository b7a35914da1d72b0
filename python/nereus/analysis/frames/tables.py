# SPDX-License-Identifier: BSD-3-Clause
"""What a kind of file is made into before it becomes data frames: rows by the name of their table."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

from nereus.analysis.frames.columns import COLUMNS, Column
from nereus.analysis.frames.error import FramesError

if TYPE_CHECKING:
    from pandas import DataFrame

Row = Mapping[str, Any]
Rows = Union[Sequence[Row], "DataFrame"]


@dataclass(frozen=True)
class Tables:
    """`kind`: of `COLUMNS`, with which the rows are typed. `notes`: what is not in them, and why."""

    kind: str
    rows: Mapping[str, Rows]
    notes: Sequence[str] = ()

    def frames(self) -> Mapping[str, "DataFrame"]:
        """All that the kind has, also those without a row."""
        return {name: _frame(columns, self.rows[name]) for name, columns in COLUMNS[self.kind].items()}


def _frame(columns: Sequence[Column], rows: Rows) -> "DataFrame":
    from pandas import DataFrame

    # Whole numbers with gaps beside them would become rounded ones on the way.
    frame = rows if isinstance(rows, DataFrame) else DataFrame(list(rows), dtype=object)
    found = {column.name: column for column in _with_stages(columns, frame.columns)}
    typed = DataFrame(
        {name: _typed(frame.get(name), len(frame), column.dtype) for name, column in found.items()}
    )
    typed.attrs["units"] = {name: column.unit for name, column in found.items() if column.unit}
    return typed


def _with_stages(columns: Sequence[Column], there: Iterable[str]) -> list[Column]:
    """As many columns of stages as the rows have, each of them in place of that of the definition."""
    numbers = sorted({int(found[1]) for name in there if (found := re.match(r"stage_(\d+)_", name))})
    one = [column for column in columns if not column.name.startswith("stage_N_")]
    each = [column for column in columns if column.name.startswith("stage_N_")]
    return one + [
        Column(column.name.replace("_N_", f"_{number}_"), column.dtype, column.unit)
        for number in numbers
        for column in each
    ]


def _typed(values: Any, length: int, dtype: str) -> Any:
    from pandas import Series

    found = Series([None] * length, dtype=object) if values is None else values.reset_index(drop=True)
    try:
        # Of numbers that are not whole, int64 would leave out what is behind the point.
        return (found.astype("Int64") if dtype == "int64" else found).astype(dtype)
    except OverflowError:
        return found  # sums of what programs sent may be greater than any column of whole numbers has
    except (TypeError, ValueError) as problem:
        raise FramesError(f"{found.name}: {problem}") from None
