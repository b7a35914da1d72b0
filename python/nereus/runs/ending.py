# SPDX-License-Identifier: BSD-3-Clause
"""How the job of a program ended."""

from collections.abc import Sequence
from dataclasses import dataclass

from nereus.launch import Outcome

#: Exit code of a job that saved an epoch and ended in order to be continued: EX_TEMPFAIL of sysexits.h.
TO_BE_CONTINUED = 75


@dataclass(frozen=True)
class Ending:
    """The end of one job."""

    #: None: it was ended by a signal to us.
    outcome: Outcome | None
    #: Whether it stopped after an epoch, from which another job is to continue.
    stopped: bool = False
    #: Whether its program had opened the job.
    was_opened: bool = False
    #: At last.
    ranks: int = 0
    #: Hosts that it needed, and were lost.
    lost_hosts: Sequence[str] = ()
    #: Of each rank at last, as far as the job has told.
    hosts: Sequence[str] = ()
    #: Number of the newest epoch in its folder when it began; 0: there was none.
    newest_before: int = 0

    @property
    def failed(self) -> bool:
        """Whether it ended by a fault, its own or of one of its processes."""
        return self.outcome is not None and not self.outcome.good
