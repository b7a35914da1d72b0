# SPDX-License-Identifier: BSD-3-Clause
"""Where this user's daemon is reached, by jobs and by questions."""

import os
from collections.abc import Mapping
from pathlib import Path

from nereus.launch.command import CONTROLLER
from nereus.launch.private_folder import is_private
from nereus.supervisor.control_socket import DAEMON, control_socket_folder, control_socket_of
from nereus.supervisor.site_record import CONTROLLER_KEYS, address_in_record, answers, record_path


def daemon_line(environment: Mapping[str, str] = os.environ) -> Path:
    """The socket of jobs, of the daemon in that environment."""
    return control_socket_folder(environment) / f"{DAEMON}.line"


def daemon_control_socket(environment: Mapping[str, str] = os.environ) -> Path:
    """The socket of questions."""
    return control_socket_of(DAEMON, control_socket_folder(environment))


def daemon_address(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """For the environment of a job whose first process runs on this host: the daemon of this host, or in a
    job of Slurm that for all hosts.

    Nothing where no daemon runs, or the user named another or none.
    """
    line = daemon_line(environment)
    if CONTROLLER in environment:
        return {}
    if is_private(line.parent) and line.is_socket():
        return {CONTROLLER: f"ipc://{line}"}
    found = address_in_record(environment) if environment.get("SLURM_JOB_ID") else None
    if found is None or not answers(found):
        return {}
    return {CONTROLLER: found, CONTROLLER_KEYS: str(record_path(environment))}
