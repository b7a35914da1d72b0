# SPDX-License-Identifier: BSD-3-Clause
"""How a run went on after failures: what was done again, and how long nothing was done."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nereus.analysis.report.events import Failure, Resumed
from nereus.analysis.report.units import ranks_text


@dataclass(frozen=True)
class Recovery:
    """A failure, and what came of it."""

    #: None: it was none of the experiment's.
    failure: Failure | None
    #: None: the run ended with it.
    resumed: Resumed | None
    #: Iterations that had been done, and are done again; None where the run ended.
    repeated: int | None
    #: From the deaths to the end of the first iteration after them, without calibration; None: not known.
    seconds: float | None

    @property
    def lost_calibration(self) -> float:
        """Seconds of calibration that the job which continues knows nothing of."""
        if self.failure is None or self.resumed is None:
            return 0.0
        return max(0.0, self.failure.calibration_seconds - self.resumed.calibration_seconds)

    @property
    def text(self) -> str:
        """Who died."""
        return died_text(self.failure) if self.failure is not None else "not planned"

    def document(self) -> dict[str, Any]:
        failure, resumed = self.failure, self.resumed
        return {
            "iteration": failure.iteration if failure else None,
            "what": failure.what if failure else None,
            "rank": failure.rank if failure else None,
            "died": failure.died if failure else None,
            "resumed_iteration": resumed.iteration if resumed else None,
            "ranks": resumed.ranks if resumed else None,
            "repeated_iterations": self.repeated,
            "recovery_seconds": self.seconds,
        }


def died_text(failure: Failure) -> str:
    """Who died in it."""
    if failure.what == "rank":
        return f"rank {failure.rank} died"
    return f"the host of rank {failure.rank} died with its {ranks_text(failure.died)}"


def lost_calibration(recoveries: Sequence[Recovery]) -> float:
    """Of all, in seconds."""
    return sum(recovery.lost_calibration for recovery in recoveries)
