# SPDX-License-Identifier: BSD-3-Clause
"""What counts of what ranks send each other."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Selection:
    """What of a file counts. `generation`, `phase`: of records of the monitor; None: the latest, and all."""

    what: str = "bytes"  # or "messages"
    generation: int | None = None
    phase: str | None = None
    ranks: int | None = None  # with ranks at the end that send nothing

    @property
    def is_of_records(self) -> bool:
        """Whether something is chosen that matrices do not tell."""
        return self.generation is not None or self.phase is not None
