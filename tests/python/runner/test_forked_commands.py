# SPDX-License-Identifier: BSD-3-Clause
"""Commands that are forked for tests end as started ones do, whatever becomes of the test."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest
from forked_commands import ForkedCommands

Run = Callable[..., "subprocess.CompletedProcess[str]"]


class Interrupted(Exception):
    pass


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise Interrupted


@pytest.fixture
def run(tmp_path: Path, forked_commands: ForkedCommands) -> Iterator[Run]:
    with tempfile.TemporaryDirectory(prefix="nst-") as runtime:  # names of sockets are short
        environment = {**os.environ, "XDG_RUNTIME_DIR": runtime}
        yield lambda *arguments, limit=60.0: forked_commands.run(arguments, tmp_path, environment, limit)
        assert list(Path(runtime).glob("nereus/*")) == [], "a daemon was left"


def test_output_and_exit_code_are_those_of_the_command(run: Run) -> None:
    version = run("--version")
    assert (version.returncode, version.stderr) == (0, "")
    assert version.stdout.startswith("nereus ")
    refused = run("resize", "no-job", "many")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr != ""


def test_command_that_exceeds_its_limit_is_ended_and_the_next_one_is_another(run: Run) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        run("daemon", "--policy", "none", "--store", "store", limit=3.0)
    assert run("--version").stdout.startswith("nereus ")


def test_command_is_ended_where_its_test_is_interrupted(run: Run) -> None:
    before = signal.signal(signal.SIGALRM, _interrupt)
    signal.setitimer(signal.ITIMER_REAL, 3.0)
    try:
        with pytest.raises(Interrupted):
            run("daemon", "--policy", "none", "--store", "store")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert run("--version").stdout.startswith("nereus ")
