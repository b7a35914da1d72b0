# SPDX-License-Identifier: BSD-3-Clause
"""Folders in memory on hosts, which are there as long as somebody keeps them."""

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from nereus.launch import LaunchError, RemoteShell
from nereus.supervisor import host_keepers
from nereus.supervisor.host_keepers import HostKeepers

LIMIT = 30.0
# In the place of ssh: the command runs here, under the host's name, and as on another host it is not killed
# with who reached it. Where there is a file `short`, the connection ends at once.
SHELL = """\
#!/bin/bash
export host=$1 PATH="${0%/*}/bin:$PATH"; shift
case $host in
  silent) exec sleep 60 ;;
  refusing) echo "refusing: Permission denied" >&2; exit 255 ;;
esac
if [ -e "${0%/*}/short" ]; then
  setsid bash -c "$1" </dev/null & sleep 0.3
else
  exec setsid -w bash -c "$1"
fi
"""


@pytest.fixture
def shell(tmp_path: Path) -> RemoteShell:
    path = tmp_path / "shell"
    path.write_text(SHELL)
    path.chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "uname").write_text('#!/bin/sh\necho "$host"\n')
    (tmp_path / "bin" / "uname").chmod(0o755)
    return RemoteShell(str(path))


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.01)


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_hosts_have_folders_until_they_are_closed(tmp_path: Path, shell: RemoteShell) -> None:
    folder = tmp_path / "it's epochs"
    with closing(HostKeepers(folder, shell)) as keepers:
        assert keepers.keep(["n1", "n2"]) == {}
        assert names_in(folder) == {"n1", "n2"}
        assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE((folder / "n1").stat().st_mode) == 0o700
        (folder / "n1" / "file").write_text("an epoch")
        assert keepers.own_names == {"n1": "n1", "n2": "n2"}
    assert not folder.exists()


def test_folder_of_a_host_that_is_not_needed_any_more_goes(tmp_path: Path, shell: RemoteShell) -> None:
    folder = tmp_path / "epochs"
    with closing(HostKeepers(folder, shell)) as keepers:
        keepers.keep(["n1", "n2"])
        (folder / "n2" / "file").write_text("an epoch")
        keepers.keep(["n2", "n3"])
        wait_until(lambda: names_in(folder) == {"n2", "n3"})
        assert (folder / "n2" / "file").exists()


def test_keeper_that_has_ended_is_followed_by_another_one(
    tmp_path: Path, shell: RemoteShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder stays as long as another keeper may come, and is not removed by the former one then."""
    folder = tmp_path / "epochs"
    (tmp_path / "short").touch()
    monkeypatch.setattr("nereus.supervisor.host_keepers._AGAIN_AFTER", 0.1)
    with closing(HostKeepers(folder, shell, patience=5)) as keepers:
        keepers.keep(["n1"])
        (folder / "n1" / "file").write_text("an epoch")
        (tmp_path / "short").unlink()
        told: list[str] = []
        wait_until(lambda: told.extend(keepers.look()) or told == ["n1"])  # type: ignore[func-returns-value]
        time.sleep(6)
        assert keepers.look() == []
        assert (folder / "n1" / "file").exists()
    assert not folder.exists()


def test_command_is_one_line_as_every_shell_takes_it() -> None:
    assert "\n" not in host_keepers._COMMAND


def test_lines_that_a_shell_says_at_its_start_are_passed_over(tmp_path: Path, shell: RemoteShell) -> None:
    path = Path(shell.command)
    path.write_text(path.read_text().replace("case $host", "echo Welcome; echo news >&2; case $host"))
    with closing(HostKeepers(tmp_path / "epochs", shell)) as keepers:
        assert keepers.keep(["n1"]) == {}


def test_folder_goes_whose_keeper_has_lost_the_connection(tmp_path: Path, shell: RemoteShell) -> None:
    folder = tmp_path / "epochs"
    (tmp_path / "short").touch()
    with closing(HostKeepers(folder, shell, patience=0.2)) as keepers:
        keepers.keep(["n1"])
        wait_until(lambda: not folder.exists())


def test_hosts_without_a_folder_are_named(tmp_path: Path, shell: RemoteShell) -> None:
    with closing(HostKeepers(tmp_path / "epochs", shell)) as keepers:
        assert keepers.keep(["n1", "refusing"]) == {"refusing": "refusing: Permission denied"}
        assert keepers.keep(["n1", "refusing"]) == {"refusing": "refusing: Permission denied"}


def test_folder_that_somebody_else_prepared_is_refused(tmp_path: Path, shell: RemoteShell) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "epochs").symlink_to(tmp_path / "elsewhere")
    with closing(HostKeepers(tmp_path / "epochs", shell)) as keepers:
        (problem,) = keepers.keep(["n1"]).values()
    assert "/epochs/n1: cannot be made, or belongs to another user" in problem
    assert names_in(tmp_path / "elsewhere") == set()


def test_host_that_does_not_answer_is_named(
    tmp_path: Path, shell: RemoteShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nereus.supervisor.host_keepers._READY_WITHIN", 0.3)
    with closing(HostKeepers(tmp_path / "epochs", shell)) as keepers:
        assert keepers.keep(["silent"]) == {"silent": "it did not answer within 0.3 s"}


def test_nobody_waits_for_hosts_once_stopped(tmp_path: Path, shell: RemoteShell) -> None:
    with closing(HostKeepers(tmp_path / "epochs", shell)) as keepers:
        assert keepers.keep(["silent"], lambda: True) == {"silent": "stopped"}


def test_shell_that_is_not_there_is_named(tmp_path: Path) -> None:
    with (
        closing(HostKeepers(tmp_path / "epochs", RemoteShell(str(tmp_path / "none")))) as keepers,
        pytest.raises(LaunchError, match="none: cannot be started"),
    ):
        keepers.keep(["n1"])


def test_folders_go_when_who_asked_for_them_is_killed(tmp_path: Path, shell: RemoteShell) -> None:
    folder = tmp_path / "epochs"
    program = f"""
import time
from pathlib import Path
from nereus.launch import RemoteShell
from nereus.supervisor.host_keepers import HostKeepers
keepers = HostKeepers(Path({str(folder)!r}), RemoteShell({shell.command!r}), patience=0.2)
keepers.keep(["n1"])
print("kept", flush=True)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "kept\n"
        assert (folder / "n1").is_dir()
        os.kill(process.pid, signal.SIGKILL)
    wait_until(lambda: not folder.exists())
