# SPDX-License-Identifier: BSD-3-Clause
"""The process beside a job that makes its newcomers, watches its members, and takes requests from outside.

In:  a command to start, hosts, and what the job says over its link.
Out: a job whose end is told as it was; answers on its control socket.
"""

from nereus.supervisor.client import NoAnswer, ask, control_sockets, find, status
from nereus.supervisor.control_socket import check as check_control_socket
from nereus.supervisor.job import Job, Supervision, new_name
from nereus.supervisor.messages import CODES, OK, OPTIONS, PENDING, REDUCED, RESIZED, UNCHANGED

__all__ = [
    "CODES",
    "OK",
    "OPTIONS",
    "PENDING",
    "REDUCED",
    "RESIZED",
    "UNCHANGED",
    "Job",
    "NoAnswer",
    "Supervision",
    "ask",
    "check_control_socket",
    "control_sockets",
    "find",
    "new_name",
    "status",
]
