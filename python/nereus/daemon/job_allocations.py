# SPDX-License-Identifier: BSD-3-Clause
"""What supervisors say of the hosts of their jobs, and of commands that concern hosts.

They say it again and again: what is known already changes nothing.
"""

from nereus.coordinator.site import JobHosts
from nereus.daemon import messages
from nereus.daemon.executor import CommandExecutor, Out
from nereus.daemon.sessions import Address, Session
from nereus.daemon.state import DaemonState


class JobAllocations:
    def __init__(self, state: DaemonState, executor: CommandExecutor) -> None:
        self._state, self._executor = state, executor

    def receive(
        self, sender: Address, message: messages.Allocation, session: Session, now: float
    ) -> list[Out]:
        if not self._state.gives_hosts:
            return []  # hosts are nobody's concern here
        session.supervisor = sender
        session.heard_by_supervisor(message.heard)
        outs = self._has(session, message, now)
        for outcome in message.outcomes:
            outs += self._came_of(outcome, session, now)
        return [*outs, *self._executor.due(session, now)]

    def _has(self, session: Session, message: messages.Allocation, now: float) -> list[Out]:
        before = self._state.coordinator.hosts_of(session.name)
        hosts = JobHosts(message.first_slots, message.host_slots, message.more_hosts)
        effects = self._state.coordinator.has_hosts(session.name, hosts, now)
        if hosts.more != (before.more if before is not None else 0):
            about = {"before": before.more if before is not None else 0, "more_hosts": hosts.more}
            self._state.events.add(now, session.name, "hosts", **about)
        return self._executor.carry_out(effects, now)

    def _came_of(self, outcome: messages.Outcome, session: Session, now: float) -> list[Out]:
        told = session.telling.get(outcome.command)
        if told is None or told.for_root:
            return []
        if told.message["kind"] == "cancel":
            session.heard(outcome.command)
            self._state.journal.is_over(outcome.command)
            return []
        if outcome.code < 0:
            return self._executor.refused(session, outcome.command, outcome.code, outcome.message, now)
        ranks = len(session.hosts)
        if outcome.ranks not in (0, ranks):
            return []  # rank 0 will say on which hosts they are
        return self._executor.resized(session, outcome.command, ranks, session.iteration, None, now)
