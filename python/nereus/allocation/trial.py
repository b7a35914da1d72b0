# SPDX-License-Identifier: BSD-3-Clause
"""A host is usable where a process can be started: it is tried."""

from collections.abc import Callable, Generator, Mapping, Sequence

from nereus.allocation.call import Call, answered
from nereus.allocation.contract import NotGranted
from nereus.launch.hosts import RemoteShell

_WITHIN = 30.0


def tried(
    names: Sequence[str],
    shell: RemoteShell,
    environment: Mapping[str, str],
    goes_away: Callable[[str], bool] = lambda complaints: False,
) -> Generator[None, None, None]:
    """All at the same time; NotGranted names one on which nothing starts.

    `goes_away`: whether a failure with these complaints is worth another try.
    """
    complete = {**shell.complete_environment(), **environment}
    calls = {
        name: Call([shell.command, name, "true"], _WITHIN, complete, goes_away=goes_away) for name in names
    }
    try:
        for name, call in calls.items():
            answer = yield from answered(call)
            if not answer.is_good:
                raise NotGranted(f"{name} was granted, but no process starts there: {answer.reason}")
    finally:
        for call in calls.values():
            call.give_up("given up")
