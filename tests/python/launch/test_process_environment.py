# SPDX-License-Identifier: BSD-3-Clause
"""What is read of the environments of other processes."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from nereus.launch.process_environment import entries_of

LOOKS = 30_000


def test_process_that_executes_programs_is_never_without_its_variables(tmp_path: Path) -> None:
    """Of looks that do not ask again, one in a thousand sees an empty environment."""
    script = tmp_path / "executes-itself"
    script.write_text("exec sh $0\n")
    with subprocess.Popen(["sh", script], env={"MARKED": "yes"}) as process:
        try:
            assert all(b"MARKED=yes" in entries_of(process.pid) for _ in range(LOOKS))
        finally:
            process.kill()


def test_program_without_variables_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    program = [sys.executable, "-c", "print(flush=True); input()"]
    with subprocess.Popen(program, env={}, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()  # until then it may be being loaded
        waits: list[float] = []
        monkeypatch.setattr("time.sleep", waits.append)
        assert entries_of(process.pid) == [b""]
        assert waits == []
        process.kill()


def test_ended_process_has_no_variables() -> None:
    process = subprocess.Popen(["true"])
    while Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)
    assert entries_of(process.pid) in ([], [b""])
    process.wait()
    assert entries_of(process.pid) == []
