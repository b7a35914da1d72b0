# SPDX-License-Identifier: BSD-3-Clause
"""Jobs find the daemon of the environment that they are started in."""

import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from nereus.supervisor.daemon_address import daemon_address, daemon_control_socket, daemon_line


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """Not that of the test itself."""
    with tempfile.TemporaryDirectory(prefix="nst-") as runtime:  # names of sockets are short
        yield {"XDG_RUNTIME_DIR": runtime}


def test_daemon_is_found_in_the_given_environment(environment: dict[str, str]) -> None:
    assert daemon_address(environment) == {}
    folder = Path(environment["XDG_RUNTIME_DIR"]) / "nereus"
    assert daemon_line(environment) == folder / "daemon.line"
    assert daemon_control_socket(environment) == folder / "daemon.control"
    folder.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as line:
        line.bind(str(folder / "daemon.line"))
        assert daemon_address(environment) == {"NEREUS_CONTROLLER": f"ipc://{folder}/daemon.line"}
        for chosen in ("ipc:///elsewhere", ""):
            assert daemon_address(environment | {"NEREUS_CONTROLLER": chosen}) == {}
