# SPDX-License-Identifier: BSD-3-Clause
"""Sends somebody to a job that would wait in MPI_Comm_accept for ever: only a connection ends that call."""

from dataclasses import replace
from pathlib import Path

from nereus.launch.command import Launch
from nereus.launch.error import LaunchError
from nereus.launch.groups import Groups
from nereus.launch.hosts import Share
from nereus.supervisor.resize_request import Accept, Request

RELEASE_PROGRAM = "nereus-release"
# The program ends by itself after 10 s at most.
_ENDS_WITHIN = 15.0


class Releases:
    """Of one job."""

    def __init__(self, groups: Groups, launch: Launch, server: Path | None) -> None:
        """`server`: where ompi-server is, for Open MPI."""
        self._groups, self._launch, self._server = groups, launch, server

    def send(self, request: Request, accept: Accept, now: float) -> None:
        """Send somebody, or first deal with the newcomers that still run."""
        if self._clear_the_way(request):
            accept.release_later(now)
            return
        accept.released(now)
        try:
            program = self._launch.build.program(RELEASE_PROGRAM)
            launch = replace(self._launch, program=program, arguments=(accept.port,))
            group = self._groups.start(launch.command([Share("", 1)], None, self._server))
        except LaunchError:
            # The next trial may do better: joins are offered only where this program is installed.
            return
        self._groups.end(group, after=_ENDS_WITHIN)

    def _clear_the_way(self, request: Request) -> bool:
        groups = [party.group for party in request.parties.values() if party.group is not None]
        # With Open MPI one that connects after the release has rank 0 wait for ever, in whatever MPI call it
        # is: it asks its launcher for the address of a process that the launcher never hears of (PMIx_Get).
        ends_it = self._launch.build.family == "openmpi"
        deal = self._groups.kill if ends_it else self._groups.continue_stopped
        return any([deal(group) for group in groups])
