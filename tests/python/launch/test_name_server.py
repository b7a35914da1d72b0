# SPDX-License-Identifier: BSD-3-Clause
"""The start of Open MPI's name server, with programs that take its place."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from nereus.launch import name_server
from nereus.launch.error import LaunchError
from nereus.launch.name_server import NameServer

STARTS_AT_THE_SECOND_TIME = """
if [ -e begun ]; then echo address > "$3"; fi
touch begun; exec sleep 600
"""


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Where servers are looked for; they work in the same folder."""
    monkeypatch.chdir(tmp_path)
    return SimpleNamespace(mpiexec=tmp_path / "mpiexec")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The temporary folder of a job."""
    path = tmp_path / "of-the-job"
    path.mkdir()
    return path


def install(build: Any, text: str) -> None:
    program = build.mpiexec.with_name("ompi-server")
    program.write_text(f"#!/bin/sh\n{text}")
    program.chmod(0o755)


def test_server_that_does_not_get_ready_is_started_anew(
    build: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(build, STARTS_AT_THE_SECOND_TIME)
    monkeypatch.setattr(name_server, "_READY_WITHIN", 5.0)
    server = NameServer(build, folder, {})
    try:
        assert server.file.read_text() == "address\n"
    finally:
        server.end()


def test_server_that_never_gets_ready_is_an_error(
    build: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(build, "exec sleep 600")
    monkeypatch.setattr(name_server, "_READY_WITHIN", 0.2)
    with pytest.raises(LaunchError, match=r"started 3 times, and not ready within 0\.2 s each"):
        NameServer(build, folder, {})


def test_server_that_ends_at_its_start_is_not_started_again(build: Any, folder: Path, tmp_path: Path) -> None:
    install(build, "echo >> starts; exit 3")
    with pytest.raises(LaunchError, match="ended with exit code 3 at its start"):
        NameServer(build, folder, {})
    assert (tmp_path / "starts").read_text().count("\n") == 1
