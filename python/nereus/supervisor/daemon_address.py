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


def daemon_address(environment: Mapping[str, str] = os.environ, here: bool = True) -> dict[str, str]:
    """For the environment of a job: in a job of Slurm the daemon for this one; else the daemon of this host,
    or in a job of Slurm that for all hosts. `here`: whether its first process runs on this host.

    Nothing where no daemon runs, or the user named another or none.
    """
    line, of_job = daemon_line(environment), environment.get("SLURM_JOB_ID", "")
    if CONTROLLER in environment:
        return {}
    if of_job.isdigit() and (found := _recorded(environment, of_job)):
        return found
    if here and is_private(line.parent) and line.is_socket():
        return {CONTROLLER: f"ipc://{line}"}
    return _recorded(environment) if of_job else {}


def _recorded(environment: Mapping[str, str], of_job: str = "") -> dict[str, str]:
    address = address_in_record(environment, of_job)
    if address is None or not answers(address):
        return {}
    return {CONTROLLER: address, CONTROLLER_KEYS: str(record_path(environment, of_job))}
