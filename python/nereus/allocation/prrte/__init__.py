# SPDX-License-Identifier: BSD-3-Clause
"""PRRTE's DVM: the hosts on which its daemons run. It has no others to give (decision 0028).

In:  variables that PRRTE gives a job, what `prun` tells of the DVM.
Out: hosts with slots.
"""

import os
import shutil
from collections.abc import Mapping

from nereus.allocation.call import Call, wait
from nereus.allocation.contract import AllocationError, ResourceManager
from nereus.allocation.prrte.hosts import read_hosts_of_dvm
from nereus.allocation.static import StaticAllocation
from nereus.launch.hosts import Reach

__all__ = ["prrte"]

_WITHIN = 10.0
_WHY = "PRRTE has no other hosts than those that its DVM began with"
# Nothing is run but a command that ends at once; root has to say that it means it.
_ASKED = ["prun", "--allow-run-as-root", "--display", "allocation:parseable", "-n", "1", "true"]


def prrte(environment: Mapping[str, str] = os.environ) -> ResourceManager | None:
    """PRRTE, for a job of its DVM; None outside, and where `prun` is missing, as in wheels of Open MPI.

    AllocationError where the DVM does not tell of its hosts.
    """
    if environment.get("PRTE_LAUNCHED") != "1" or shutil.which("prun") is None:
        return None
    answer = wait(Call(_ASKED, _WITHIN, environment), _WITHIN)
    if not answer.is_good:
        raise AllocationError(f"PRRTE does not tell of the hosts of its DVM: {answer.reason}")
    reach = Reach(read_hosts_of_dvm(answer.out))
    return ResourceManager("prrte", reach, lambda key, folder: StaticAllocation(reach.hosts, _WHY))
