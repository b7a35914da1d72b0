# SPDX-License-Identifier: BSD-3-Clause
"""`--at HOST`: what the command says, and how it ends, is as on the other host; nothing asks or hangs."""

import json
import os
import shlex
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from a_far_supervisor import far_supervisor

from nereus.launch import LaunchError, Stopping
from nereus.launch.remote_command import NoEnd, run_there

A = "a" * 16
LIMIT = 60.0
# Tells the test what it was called with, and is the other host itself.
RSH = """\
#!{python}
import json, os, sys
with open({noted!r}, "a") as file:
    print(json.dumps(sys.argv[1:]), file=file)
os.execvp("sh", ["sh", "-c", sys.argv[-1]])
"""


class RemoteShell:
    """A program in the place of ssh."""

    def __init__(self, folder: Path, name: str = "rsh") -> None:
        folder.mkdir(exist_ok=True)
        self.program = folder / name
        self._noted = folder / "noted"
        self.write(RSH.format(python=sys.executable, noted=str(self._noted)))

    def write(self, text: str) -> None:
        self.program.write_text(text)
        self.program.chmod(0o755)

    @property
    def called(self) -> list[list[str]]:
        """Its arguments, each time."""
        lines = self._noted.read_text().splitlines() if self._noted.exists() else []
        return [json.loads(line) for line in lines]


@pytest.fixture
def rsh(tmp_path: Path) -> RemoteShell:
    return RemoteShell(tmp_path / "programs")


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.02)


def at(rsh: RemoteShell, *more: str) -> list[str]:
    return ["--at", "n9", "--rsh", str(rsh.program), *more]


def test_jobs_of_the_other_host_are_listed(shell: Any, rsh: RemoteShell) -> None:
    with far_supervisor(Path(shell.environment["NEREUS_KEY_FOLDER"]), A):
        here = shell.nereus("jobs", "--json")
        there = shell.nereus("jobs", *at(rsh, "--json"))
    assert (there.returncode, there.stderr) == (0, "")
    assert json.loads(there.stdout) == json.loads(here.stdout)
    ((host, command),) = rsh.called
    assert host == "n9"
    assert shlex.split(command)[-3:] == ["jobs", "--json", "--"]


@pytest.mark.parametrize("job", ['it\'s a "job"; $(touch broken) `touch broken`', "-x", "*"])
def test_arguments_arrive_as_they_were_given(shell: Any, rsh: RemoteShell, job: str) -> None:
    words = ["--no-wait", "--timeout", "7", "--survivors", "first", "--allow-fewer", "--", job, "3"]
    refused = shell.nereus("resize", *at(rsh), *words)
    assert refused.returncode == 2
    assert refused.stderr == f"nereus: JOB = {job}: no such job of yours is known here; running: none\n"
    ((_, command),) = rsh.called
    given = set(shlex.split(command)[shlex.split(command).index("resize") :])
    assert given == {
        "resize",
        "--no-wait",
        "--timeout=7.0",
        "--survivors=first",
        "--allow-fewer",
        "--",
        job,
        "3",
    }
    assert shell.files() == []


def test_resize_and_top_are_carried_out_there_too(shell: Any, rsh: RemoteShell) -> None:
    with far_supervisor(Path(shell.environment["NEREUS_KEY_FOLDER"]), A) as far:
        done = shell.nereus("resize", *at(rsh, "far-1", "4"))
        looked = shell.nereus("top", *at(rsh, "--samples", "1", "--json"))
    assert done.stdout.startswith("resized 2 → 4 ranks")
    assert far.asked[0]["ranks"] == 4
    assert json.loads(looked.stdout)["supervised"][0]["job"] == A
    assert len(rsh.called) == 2


def test_ssh_is_called_so_that_it_asks_for_nothing(shell: Any, tmp_path: Path) -> None:
    ssh = RemoteShell(tmp_path / "programs", "ssh")
    path = f"{ssh.program.parent}{os.pathsep}{shell.environment['PATH']}"
    assert shell.nereus("jobs", "--at", "n9", PATH=path).stderr == "no jobs\n"
    (words,) = ssh.called
    assert words[:4] == ["-o", "BatchMode=yes", "-o", "ConnectTimeout=10"]
    assert words[-2] == "n9" and "-t" not in words


def test_host_that_cannot_be_reached_is_one_line(shell: Any, rsh: RemoteShell) -> None:
    rsh.write("#!/bin/sh\nexit 255\n")
    refused = shell.nereus("jobs", *at(rsh))
    assert refused.returncode == 2
    told = f"nereus: {rsh.program} n9: the command could not be run there (exit code 255)\n"
    assert (refused.stdout, refused.stderr) == ("", told)


def test_exit_code_and_outputs_are_those_of_the_other_host(shell: Any, rsh: RemoteShell) -> None:
    rsh.write("#!/bin/sh\necho out; echo err >&2; exit 77\n")
    ended = shell.nereus("jobs", *at(rsh))
    assert (ended.returncode, ended.stdout, ended.stderr) == (77, "out\n", "err\n")
    rsh.write("#!/bin/sh\nkill -KILL $$\n")
    assert shell.nereus("jobs", *at(rsh)).returncode == 128 + signal.SIGKILL


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["jobs", "--at", "-oProxyCommand=touch broken"], "is no name of a host"),
        (["jobs", "--at", "n9;touch broken"], "--at = n9;touch broken: is no name of a host"),
        (["jobs", "--at", ""], "--at = (empty): is no name of a host"),
        (["jobs", "--rsh", "ssh"], "--rsh = ssh: only with --at"),
        (["jobs", "--at", "n9", "--rsh", "./missing"], "./missing: cannot be started: No such file"),
        (["resize", "--at", "n9", "--rsh", "./missing", "cg-1", "0"], "RANKS = 0: allowed is 1"),
        (["resize", "--at", "n9", "--rsh", "./missing", "cg-1", "3", "--timeout", "x"], "a number"),
    ],
)
def test_wrong_words_are_one_line_and_nothing_is_begun(shell: Any, words: list[str], expected: str) -> None:
    refused = shell.nereus(*words)
    assert refused.returncode == 2
    (line,) = refused.stderr.splitlines()
    assert line.startswith("nereus: ") and expected in line
    assert shell.files() == []


def test_remote_shell_ends_with_the_command(shell: Any, rsh: RemoteShell, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    rsh.write(f"#!/bin/sh\necho $$ > {begun}.new\nmv {begun}.new {begun}\nexec sleep 600\n")
    with shell.start("top", *at(rsh)) as process:
        wait_until(lambda: begun.exists() or process.poll() is not None)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LIMIT)
    assert process.returncode == 128 + signal.SIGTERM
    assert not Path("/proc", begun.read_text().strip()).exists()


def test_command_without_end_is_given_up(rsh: RemoteShell) -> None:
    rsh.write("#!/bin/sh\nexec sleep 600\n")
    with Stopping() as stopping, pytest.raises(NoEnd, match="no end within 0 s"):
        run_there("n9", ["true"], stopping, str(rsh.program), limit=0.2)


def test_terminal_is_asked_of_ssh_for_what_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ssh = RemoteShell(tmp_path / "programs", "ssh")
    monkeypatch.setenv("PATH", f"{ssh.program.parent}{os.pathsep}{os.environ['PATH']}")
    with Stopping() as stopping:
        assert run_there("n9", ["true"], stopping, terminal=True) == 0
        assert "-t" in ssh.called[0]
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(LaunchError, match="ssh: cannot be started: No such file"):
            run_there("n9", ["true"], stopping)
