# SPDX-License-Identifier: BSD-3-Clause
"""Hosts are tried before they are used: something starts there, in the job's working folder."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from a_slurm import WITHIN

from nereus.allocation import AllocationError, NotGranted, check_working_folder
from nereus.allocation.trial import tried
from nereus.launch.hosts import RemoteShell

# Each host sees its own folder below `hosts`, and none where it has none.
_SHELL = """\
#!/bin/sh
host=$1
shift
cd {hosts}/"$host" 2>/dev/null || {{ echo "$host: no route" >&2; exit 255; }}
exec sh -c "$(echo "$*" | sed "s: /[^ ]*/work: $PWD/work:")"
"""


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RemoteShell:
    """We are in the folder `work`, which the hosts n1 and n2 have and n3 has not; n4 cannot be reached."""
    for folder in ("work", "hosts/n1/work", "hosts/n2/work", "hosts/n3"):
        (tmp_path / folder).mkdir(parents=True)
    file = tmp_path / "shell"
    file.write_text(_SHELL.format(hosts=tmp_path / "hosts"))
    file.chmod(0o755)
    monkeypatch.chdir(tmp_path / "work")
    return RemoteShell(str(file))


def _try(shell: RemoteShell, *names: str) -> None:
    deadline = time.monotonic() + WITHIN
    for _ in tried(names, shell, {}):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _check(shell: RemoteShell, *names: str) -> None:
    check_working_folder(names, shell, {})


@pytest.mark.parametrize("look", [_try, _check])
def test_hosts_with_the_working_folder_are_taken(shell: RemoteShell, look: Callable[..., None]) -> None:
    look(shell, "n1", "n2")


def test_granted_host_without_the_working_folder_is_refused(shell: RemoteShell, tmp_path: Path) -> None:
    with pytest.raises(NotGranted) as refused:
        _try(shell, "n1", "n3")
    assert str(refused.value) == f"n3 was granted, but the working folder {tmp_path}/work is not there"


def test_granted_host_that_starts_nothing_is_refused_with_the_reason(shell: RemoteShell) -> None:
    with pytest.raises(NotGranted, match="n4 was granted, but no process starts there: n4: no route"):
        _try(shell, "n1", "n4")


def test_first_host_without_the_working_folder_is_refused(shell: RemoteShell) -> None:
    with pytest.raises(AllocationError, match=r"n3: the working folder .*/work is not there: start"):
        _check(shell, "n1", "n3")


def test_first_host_that_starts_nothing_is_left_to_the_launcher(shell: RemoteShell) -> None:
    _check(shell, "n1", "n4")
