# SPDX-License-Identifier: BSD-3-Clause
"""The command before it knows what it is to do."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

START = [sys.executable, "-c", "from nereus.cli.start import main; main()", "--version"]


def interrupted(folder: Path, handler: signal.Handlers) -> "subprocess.CompletedProcess[str]":
    """Its end after a Ctrl-C that comes while it imports what it needs."""
    (folder / "typer.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    return subprocess.run(
        START,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: signal.signal(signal.SIGINT, handler),
        check=False,
    )


def test_ctrl_c_during_start_ends_the_command_silently(tmp_path: Path) -> None:
    done = interrupted(tmp_path, signal.SIG_DFL)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_ctrl_c_ignored_at_start_stays_ignored(tmp_path: Path) -> None:
    done = interrupted(tmp_path, signal.SIG_IGN)
    assert done.returncode not in (-signal.SIGINT, 130), "it goes on, with a typer that is empty"


@pytest.mark.parametrize("code", [7, 135])
def test_full_shared_memory_is_a_possible_cause_for_an_exit_code(code: int) -> None:
    from nereus.launch.outcome import judge

    killed = f"a rank ended with exit code {code}, or was killed by signal 7 (SIGBUS)"
    assert f"{killed}; if it was killed, shared memory may be full" in judge(code, None).text


def test_full_shared_memory_is_reported_with_remedy_after_a_signal() -> None:
    from nereus.launch.outcome import judge

    killed = "mpiexec noticed that process rank 0 with PID 0 on node vm exited on signal 7 (Bus error).\n"
    assert "killed by signal 7 (SIGBUS): shared memory may be full (df /dev/shm)" in judge(135, killed).text
    assert "shared memory" not in judge(7, "  Exit code:    7\n").text
