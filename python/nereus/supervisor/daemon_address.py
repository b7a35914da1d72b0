# SPDX-License-Identifier: BSD-3-Clause
"""The daemon that jobs are told of: this user's, where it runs, unless the user named another or none."""

import os
from collections.abc import Mapping
from pathlib import Path

from nereus.launch.command import CONTROLLER
from nereus.launch.private_folder import is_private
from nereus.supervisor.control_socket import DAEMON, control_socket_folder


def daemon_line() -> Path:
    return control_socket_folder() / f"{DAEMON}.line"


def daemon_address(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """For the environment of a job whose first process runs on this host."""
    line = daemon_line()
    if CONTROLLER in environment or not (is_private(line.parent) and line.is_socket()):
        return {}
    return {CONTROLLER: f"ipc://{line}"}
