# SPDX-License-Identifier: BSD-3-Clause
"""What a process and its workers say to one another."""

from dataclasses import dataclass

from nereus.simulation.workload.figures import Figures
from nereus.simulation.workload.model import Workload


@dataclass(frozen=True)
class Task:
    """The first message to a worker; cases follow."""

    workload: Workload
    skip_bad: bool


@dataclass(frozen=True)
class Ended:
    """So many more jobs of the case have."""

    jobs: int


@dataclass(frozen=True)
class Failed:
    """The worker is over. `is_told`: the text is a sentence for users."""

    text: str
    is_told: bool


#: What a worker sends; figures are the end of a case.
Message = Ended | Figures | Failed
