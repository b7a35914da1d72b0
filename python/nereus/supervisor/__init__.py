# SPDX-License-Identifier: BSD-3-Clause
"""The process beside a job that makes its newcomers, watches its members, and takes requests from outside.

In:  a command to start, hosts, and what the job says over its link.
Out: a job whose end is told as it was; answers on its control socket.
"""

from nereus.supervisor.client import NoAnswer, ask, control_sockets, find, status
from nereus.supervisor.control_socket import check as check_control_socket
from nereus.supervisor.job import Job, Supervision
from nereus.supervisor.job_names import check_job_name, meant_by, named, shown_name
from nereus.supervisor.messages import CODES, OK, OPTIONS, PENDING, REDUCED, RESIZED, UNCHANGED
from nereus.supervisor.name_claim import NameClaim, claim_name, job_names

__all__ = [
    "CODES",
    "OK",
    "OPTIONS",
    "PENDING",
    "REDUCED",
    "RESIZED",
    "UNCHANGED",
    "Job",
    "NameClaim",
    "NoAnswer",
    "Supervision",
    "ask",
    "check_control_socket",
    "check_job_name",
    "claim_name",
    "control_sockets",
    "find",
    "job_names",
    "meant_by",
    "named",
    "shown_name",
    "status",
]
