# SPDX-License-Identifier: BSD-3-Clause
"""A user would not learn how the command ended, or could not stop it."""

import os
import signal
from pathlib import Path

import pytest

from nereus.launch import Build, LaunchError, Stopping
from nereus.launch.foreign import run_foreign

BUILD = Build("mpich", Path("/nowhere"), Path("/nowhere/mpiexec"), "MPICH Version: 9.9")


@pytest.mark.parametrize(("act", "code"), [("exit 3", 3), ("kill -KILL $$", 137)])
def test_exit_code_is_as_in_a_shell(act: str, code: int) -> None:
    with Stopping() as stopping:
        assert run_foreign(["sh", "-c", act], BUILD, dict(os.environ), stopping) == code


def test_command_ends_when_we_are_stopped(tmp_path: Path) -> None:
    out = tmp_path / "out"
    act = f"trap 'echo ended; exit 0' TERM; kill -TERM {os.getpid()}; while :; do sleep 0.05; done"
    with Stopping() as stopping, out.open("w") as stdout:
        assert (
            run_foreign(["sh", "-c", act], BUILD, dict(os.environ), stopping, stdout) == 128 + signal.SIGTERM
        )
    assert out.read_text() == "ended\n"


def test_list_of_variables_is_left_out_where_the_command_forwards_its_own(tmp_path: Path) -> None:
    """Open MPI refuses to have both."""
    out = tmp_path / "out"
    environment = {**os.environ, "OMPI_MCA_mca_base_env_list": "NEREUS_JOB"}
    act = 'echo "[$OMPI_MCA_mca_base_env_list]"'
    with Stopping() as stopping, out.open("w") as stdout:
        for words in ([], ["-x"]):
            run_foreign(["sh", "-c", act, *words], BUILD, environment, stopping, stdout)
    assert out.read_text().split() == ["[NEREUS_JOB]", "[]"]


def test_command_that_cannot_be_started_is_refused() -> None:
    with Stopping() as stopping, pytest.raises(LaunchError, match="nowhere-to-be-found: cannot be started"):
        run_foreign(["nowhere-to-be-found"], BUILD, dict(os.environ), stopping)
