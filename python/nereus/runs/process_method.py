# SPDX-License-Identifier: BSD-3-Clause
"""By which process method jobs are resized where nobody says another."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field

from nereus.launch import PROCESS_METHOD, Build, Reach
from nereus.methods import RESTART
from nereus.probe import Joining, joining, probe

_MERGE = "merge"


@dataclass
class ProcessMeans:
    """How one job gets processes: found out before it starts, and not again before it continues."""

    build: Build
    stopped: Callable[[], bool]
    _found: tuple[Joining, str] | None = field(default=None, init=False)

    def found(self, reach: Reach) -> tuple[Joining, str]:
        """Whether newcomers can join, and the usual method.

        Later, `reach` has no hosts but those of before.
        """
        if self._found is None:
            joins = joining(self.build, reach, stopped=self.stopped)
            self._found = joins, usual_method(self.build, joins, self.stopped)
        return self._found


def usual_method(build: Build, joining: Joining, stopped: Callable[[], bool]) -> str:
    """The method of the environment, or Merge, or restart where MPI can neither join nor spawn processes.

    What MPI can do is known from earlier trials, or is tried now.
    """
    if said := os.environ.get(PROCESS_METHOD):
        return said
    if joining.works or probe(build, stopped=stopped).obstacle is None:
        return _MERGE
    return RESTART
