# SPDX-License-Identifier: BSD-3-Clause
"""By which process method jobs are resized where nobody says another."""

import os
from collections.abc import Callable

from nereus.launch import PROCESS_METHOD, Build
from nereus.methods import RESTART
from nereus.probe import Joining, probe

_MERGE = "merge"


def usual_method(build: Build, joining: Joining, stopped: Callable[[], bool]) -> str:
    """The method of the environment, or Merge, or restart where MPI can neither join nor spawn processes.

    What MPI can do is known from earlier trials, or is tried now.
    """
    if said := os.environ.get(PROCESS_METHOD):
        return said
    if joining.works or probe(build, stopped=stopped).obstacle is None:
        return _MERGE
    return RESTART
