# SPDX-License-Identifier: BSD-3-Clause
"""The process beside a job that makes its newcomers, watches its members, and takes requests from outside.

In:  a command to start, hosts, and what the job says over its link.
Out: a job whose end is told as it was; answers on its control socket.
"""

from typing import TYPE_CHECKING

from nereus import names_from
from nereus.supervisor.asking import NoAnswer, ask
from nereus.supervisor.client import FoundJob, control_sockets, find, found_jobs, statuses
from nereus.supervisor.control_socket import check as check_control_socket
from nereus.supervisor.frames import CODES, OK, PENDING, REDUCED, RESIZED, UNCHANGED
from nereus.supervisor.job_names import check_job_name, meant_by, named, shown_name
from nereus.supervisor.name_claim import NameClaim, claim_name, job_names

if TYPE_CHECKING:
    from nereus.supervisor.host_epochs import HostEpochs
    from nereus.supervisor.job import Job
    from nereus.supervisor.memory_epochs import MemoryEpochs
    from nereus.supervisor.supervision import Supervision
else:
    # What starts jobs takes long to import, and most commands only ask them.
    __getattr__ = names_from(
        __name__,
        {
            "host_epochs": ["HostEpochs"],
            "job": ["Job"],
            "memory_epochs": ["MemoryEpochs"],
            "supervision": ["Supervision"],
        },
    )

__all__ = [
    "CODES",
    "OK",
    "PENDING",
    "REDUCED",
    "RESIZED",
    "UNCHANGED",
    "FoundJob",
    "HostEpochs",
    "Job",
    "MemoryEpochs",
    "NameClaim",
    "NoAnswer",
    "Supervision",
    "ask",
    "check_control_socket",
    "check_job_name",
    "claim_name",
    "control_sockets",
    "find",
    "found_jobs",
    "job_names",
    "meant_by",
    "named",
    "shown_name",
    "statuses",
]
