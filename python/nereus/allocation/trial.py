# SPDX-License-Identifier: BSD-3-Clause
"""A host is usable where a process can be started in the job's working folder: it is tried."""

import os
import shlex
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path

from nereus.allocation.call import Call, answered, wait_for_all
from nereus.allocation.contract import AllocationError, NotGranted
from nereus.launch.hosts import RemoteShell
from nereus.launch.remote_command import SSH

_WITHIN = 30.0
# Of a host on which processes of a job have run before.
_ANSWERED_WITHIN = 5.0
# What the command on the host ends with, unlike anything that starts it.
_NO_FOLDER = 97


def tried(
    names: Sequence[str],
    shell: RemoteShell,
    environment: Mapping[str, str],
    goes_away: Callable[[str], bool] = lambda complaints: False,
) -> Generator[None, None, None]:
    """All at the same time; NotGranted names one on which nothing starts, or that has no such folder.

    `goes_away`: whether a failure with these complaints is worth another try.
    """
    folder = _working_folder()
    calls = _calls(names, shell, environment, folder, goes_away)
    try:
        for name, call in calls.items():
            answer = yield from answered(call)
            if answer.code == _NO_FOLDER:
                raise NotGranted(f"{name} was granted, but {_missing(folder)}")
            if not answer.is_good:
                raise NotGranted(f"{name} was granted, but no process starts there: {answer.reason}")
    finally:
        for call in calls.values():
            call.give_up("given up")


def check_working_folder(names: Sequence[str], shell: RemoteShell, environment: Mapping[str, str]) -> None:
    """AllocationError names a host that has no such folder; other failures are the launcher's to tell."""
    folder = _working_folder()
    calls = _calls(names, shell, environment, folder)
    wait_for_all([*calls.values()], _WITHIN)
    for name, call in calls.items():
        answer = call.answer()
        if answer is not None and answer.code == _NO_FOLDER:
            raise AllocationError(f"{name}: {_missing(folder)}: start the job in a folder of all its hosts")


def silent_hosts(names: Sequence[str], shell: RemoteShell | None) -> list[str]:
    """Those on which no process starts; all are tried at the same time, by `shell` or by ssh."""
    words = [shell.command] if shell is not None else SSH
    environment = shell.complete_environment() if shell is not None else os.environ
    calls = {name: Call([*words, name, "true"], _ANSWERED_WITHIN, environment) for name in names}
    wait_for_all([*calls.values()], _ANSWERED_WITHIN)
    return [name for name, call in calls.items() if (answer := call.answer()) is None or not answer.is_good]


def _calls(
    names: Sequence[str],
    shell: RemoteShell,
    environment: Mapping[str, str],
    folder: str,
    goes_away: Callable[[str], bool] = lambda complaints: False,
) -> dict[str, Call]:
    complete = {**shell.complete_environment(), **environment}
    command = f"test -d {shlex.quote(folder)} || exit {_NO_FOLDER}"
    return {
        name: Call([shell.command, name, command], _WITHIN, complete, goes_away=goes_away) for name in names
    }


def _working_folder() -> str:
    try:
        return str(Path.cwd())
    except OSError:  # somebody has removed it: it is of no use here either
        return "/"


def _missing(folder: str) -> str:
    return f"the working folder {folder} is not there"
