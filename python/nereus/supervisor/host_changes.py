# SPDX-License-Identifier: BSD-3-Clause
"""Resizes for which the job gets hosts first, or gives some back afterwards (docs/reference/allocations.md).

In:  requests for hosts, what the resource manager does, what the job says to the resizes that come of both.
Out: requests for a size; hosts asked for and released at the resource manager.
Hosts are asked for at the same time; the job is resized for one request after the other.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nereus.allocation import (
    Allocation,
    AllocationError,
    Event,
    EventKind,
    Growth,
    GrowthState,
    NotGranted,
    Wish,
)
from nereus.launch.groups import Group, Groups
from nereus.launch.hosts import Host, host_list, names_of, short_name
from nereus.launch.outcome import Outcome
from nereus.methods import RESTART
from nereus.supervisor import messages
from nereus.supervisor.frames import OK, UNCHANGED
from nereus.supervisor.request_server import RequestServer

# While something of the resource manager's is awaited.
_LOOK_EVERY = 0.02
# Between two trials to leave hosts that nobody asked to leave.
_AGAIN_AFTER = 1.0
# A resource manager tells that it took a host once all is dead there: a little after the job has noticed.
_LOSS_TOLD_WITHIN = 3.0


@dataclass
class _Change:
    """One request. `hosts`: those that came, or that are to be left, once it is known which."""

    #: Of one of our own: once the job is asked for it.
    ticket: int
    asked: messages.AskHosts
    growth: Growth | None = None
    hosts: tuple[str, ...] = ()
    request: int = 0
    #: Of the resource manager's: it is tried again until it succeeds.
    own: bool = False
    not_before: float = 0.0


class HostChanges:
    """All requests of one job that concern its hosts."""

    def __init__(
        self,
        allocation: Allocation,
        groups: Groups,
        server: Callable[[], RequestServer],
        say: Callable[[str], None],
        usual_method: str = "",
    ) -> None:
        """`server`: who hands sizes on to the job and answers; `say`: tells what nobody asked for.

        `usual_method`: by which process method the job is resized where a request names none.
        """
        self._allocation, self._groups, self._server, self._say = allocation, groups, server, say
        self._usual_method = usual_method
        #: The job's list, as its root has it: not those that are just coming.
        self._hosts = list(allocation.hosts)
        self._first = set(map(short_name, names_of(allocation.hosts)))
        self._growing: list[_Change] = []
        self._ready: deque[_Change] = deque()
        self._resizing: _Change | None = None
        #: By requests: those of one go back together, since they may be one job of the resource manager.
        self._leaving: list[set[str]] = []
        #: Hosts that a launcher holds until the job ends, because it spawned processes there.
        self._held: set[str] = set()
        #: Hosts of groups that did not come to their own end.
        self._unclean: set[str] = set()
        #: Lost hosts that the job needed.
        self.lost: list[str] = []
        #: That the job cannot go on for that reason.
        self.failure: Outcome | None = None

    @property
    def due(self) -> float | None:
        """When to look again."""
        waits = self._growing or self._leaving or (self._ready and self._resizing is None)
        return time.monotonic() + _LOOK_EVERY if waits else None

    @property
    def listed(self) -> Sequence[Host]:
        """The job's list."""
        return tuple(self._hosts)

    @property
    def granted(self) -> Sequence[Host]:
        """All hosts that the resource manager has given and not got back."""
        coming = [change.growth for change in self._growing if change.growth is not None]
        accepted = (growth for growth in coming if growth.state is GrowthState.ACCEPTED)
        return (*self._allocation.hosts, *(host for growth in accepted for host in growth.hosts))

    @property
    def asked_of_job(self) -> messages.AskHosts | None:
        """What the job is being asked: until that is over, nobody knows which hosts it has."""
        return self._resizing.asked if self._resizing is not None else None

    @property
    def job_has_taken_it(self) -> bool:
        """Whether the job has said that it will do what it is being asked."""
        return self._resizing is not None and self._resizing.request > 0

    def cancel(self, ticket: int) -> None:
        """Hosts that this request waits for are not wanted any more; too late, nothing changes."""
        for change in self._growing:
            if change.ticket == ticket and change.growth is not None and not change.growth.state.is_final:
                self._allocation.cancel(change.growth)

    def begin(self, ticket: int, asked: messages.AskHosts) -> None:
        """Take a request; the answer comes later, by the server."""
        change = _Change(ticket, asked)
        if asked.change == "release":
            self._ready.append(change)
            return
        slots = min((host.slots for host in self._hosts), default=1)
        try:
            wish = Wish(asked.count, tuple(asked.names), slots, asked.patience)
            change.growth = self._allocation.grow(wish)
        except (AllocationError, NotGranted) as problem:
            self._refuse(change, str(problem), never=isinstance(problem, AllocationError))
        else:
            self._growing.append(change)

    def turn(self) -> None:
        """Go on with what can go on, without waiting."""
        for event in self._allocation.turn():
            self._take_event(event)
        self._growing = [change for change in self._growing if not self._has_grown(change)]
        self._resize_next()
        self._release_unused()

    def follow(self, hosts: Sequence[str]) -> None:
        """The job's processes are on these hosts now, in the order of their ranks."""
        started: Counter[str] = Counter()
        for group in self._groups.running:
            started.update(group.hosts)
        there = Counter(map(short_name, hosts))
        self._held |= {host for host, ranks in there.items() if ranks > started[host]}

    def restarted(self) -> None:
        """All launchers of before have ended."""
        self._held.clear()

    def group_ended(self, group: Group) -> None:
        """What a group leaves on its hosts depends on how it ended."""
        if group.outcome is None or not group.outcome.good:
            self._unclean |= group.hosts.keys()

    def wait_for_loss(self) -> None:
        """After a failure on hosts that came later: say which of them were lost, if that was its cause."""
        deadline = time.monotonic() + _LOSS_TOLD_WITHIN
        came_later = set(map(short_name, names_of(self._allocation.hosts))) - self._first
        lost = self._unclean.isdisjoint(came_later)
        while not lost and time.monotonic() < deadline:
            events = self._allocation.turn()
            for event in events:
                self._tell(event)
            lost = any(event.kind is EventKind.HOST_LOST for event in events)
            time.sleep(_LOOK_EVERY)

    def answered(self, answer: messages.Answer) -> None:
        """The job's root has said what it makes of a request."""
        change = self._resizing
        if change is None or change.ticket != answer.ticket:
            return
        change.request = answer.request
        if answer.request == 0:
            self._ended(change, answer.code == UNCHANGED)

    def settled(self, message: messages.Settled) -> None:
        """A resize has ended."""
        change = self._resizing
        if change is not None and change.request == message.request > 0:
            self._ended(change, message.code >= OK)  # below it, the job has rolled back its list too

    def _refuse(self, change: _Change, reason: str, never: bool = False) -> None:
        if not self._server().refuse(change.ticket, reason, never):
            self._say(f"hosts were not changed: {reason}")

    def _has_grown(self, change: _Change) -> bool:
        """Whether its hosts have come, or never will."""
        growth = change.growth
        assert growth is not None
        if growth.state is GrowthState.FAILED:
            self._refuse(change, growth.reason, growth.never)
        elif growth.state is GrowthState.USABLE:
            change.hosts = tuple(names_of(growth.hosts))
            self._ready.append(change)
        return growth.state.is_final

    def _resize_next(self) -> None:
        """The first that may; none waits for one that is tried again later."""
        now = time.monotonic()
        is_open = self._server().is_open
        ready = (change for change in self._ready if change.not_before <= now and (is_open or not change.own))
        change = next(ready, None)
        if change is not None and self._resizing is None:
            self._ready.remove(change)
            self._resize(change)

    def _resize(self, change: _Change) -> None:
        if change.own:
            there = names_of(self._hosts)
            change.hosts = tuple(name for name in change.hosts if name in there)
            if not change.hosts:  # somebody's request has left them meanwhile
                return
            change.ticket = self._server().new_ticket()
        try:
            ranks, hosts = self._grown(change.growth) if change.growth else self._shrunk(change)
        except AllocationError as problem:
            self._refuse(change, str(problem), never=True)
            return
        self._resizing = change
        self._server().hand_on(change.ticket, change.asked.ranks or ranks, {**change.asked.options, **hosts})

    def _grown(self, growth: Growth) -> tuple[int, dict[str, str]]:
        """All slots of the hosts that the job has then, and what it is to be told of hosts."""
        lost = [host.name for host in growth.hosts if host not in self._allocation.hosts]
        if lost:
            self._leaving.append(set(names_of(growth.hosts)) - set(lost))
            raise AllocationError(f"{lost[0]}: came, and was lost again")
        slots = sum(host.slots for host in (*self._hosts, *growth.hosts))
        return max(slots, len(self._server().hosts_of_ranks)), {"hosts": host_list(growth.hosts)}

    def _shrunk(self, change: _Change) -> tuple[int, dict[str, str]]:
        change.hosts = change.hosts or self._to_release(change.asked)
        going = set(map(short_name, change.hosts))
        staying = sum(short_name(host) not in going for host in self._server().hosts_of_ranks)
        return max(1, staying), {"release-hosts": ",".join(change.hosts)}

    def _to_release(self, asked: messages.AskHosts) -> tuple[str, ...]:
        """The hosts that were named, or those that came last; AllocationError where they cannot go."""
        there = names_of(self._hosts)
        if asked.names:
            known = {short_name(name): name for name in there}
            chosen = [known.get(short_name(name), name) for name in asked.names]
            unknown = [name for name in chosen if name not in there]
            if unknown:
                raise AllocationError(f"{unknown[0]} is no host of this job, which has {', '.join(there)}")
        else:
            chosen = there[max(0, len(there) - asked.count) :]
        if max(asked.count, len(chosen)) >= len(there):
            raise AllocationError(f"of {len(there)} hosts at most {max(0, len(there) - 1)} can be released")
        self._allocation.check_release(chosen)
        self._check_held(chosen, asked.options.get("process-method", self._usual_method))
        return tuple(chosen)

    def _check_held(self, names: Sequence[str], method: str) -> None:
        """But for a restart, after which all are new: a launcher that ends has all its ranks end, and does
        so when all that it started has.
        """
        if method == RESTART:
            return
        founders = {host for group in self._groups.running if group.founders for host in group.hosts}
        for name in names:
            if short_name(name) in founders:
                raise AllocationError(f"{name}: processes that the job began with stay there until it ends")
            if short_name(name) in self._held:
                raise AllocationError(
                    f"{name}: processes there were spawned, and their launcher holds it until the job ends; "
                    "hosts with processes by the strategy join can be released"
                )

    def _ended(self, change: _Change, good: bool) -> None:
        """Hosts that came for nothing go, and those that the job has left."""
        self._resizing = None
        if change.growth is not None:
            if good:
                self._hosts += change.growth.hosts
            else:
                self._leaving.append(set(change.hosts))
        elif good:
            self._hosts = [host for host in self._hosts if host.name not in change.hosts]
            self._leaving.append(set(change.hosts) & set(names_of(self._allocation.hosts)))
        elif change.own:
            self._leave(change.hosts, time.monotonic() + _AGAIN_AFTER)

    def _leave(self, hosts: tuple[str, ...], not_before: float = 0.0) -> None:
        """Have the job leave these, although nobody asked for it."""
        asked = messages.AskHosts(kind="hosts", change="release", names=list(hosts))
        self._ready.append(_Change(0, asked, hosts=hosts, own=True, not_before=not_before))

    def _release_unused(self) -> None:
        """Hosts are given back when nothing of the job runs there any more."""
        used = {host for group in self._groups.running for host in group.hosts} | self._held
        unused = [hosts for hosts in self._leaving if used.isdisjoint(map(short_name, hosts))]
        for hosts in unused:
            self._leaving.remove(hosts)
            clean = self._unclean.isdisjoint(map(short_name, hosts))
            self._unclean -= set(map(short_name, hosts))
            try:
                self._allocation.release(sorted(hosts.intersection(names_of(self._allocation.hosts))), clean)
            except AllocationError as problem:
                self._say(str(problem))

    def _take_event(self, event: Event) -> None:
        self._tell(event)
        known = tuple(name for name in event.hosts if name in names_of(self._hosts))
        if event.kind is EventKind.HOST_LOST:
            self._unclean -= set(map(short_name, event.hosts))
            for hosts in self._leaving:
                hosts -= set(event.hosts)
            needed = self._needed()
            unused = tuple(name for name in known if short_name(name) not in needed)
            if unused:
                self._leave(unused)
            self.lost += [name for name in known if name not in unused]
            if self.lost and self.failure is None:  # its launcher may not notice
                self.failure = Outcome(False, f"host {self.lost[0]} was lost: {event.reason}", 1)
        elif event.kind is EventKind.HOST_DRAINS and known:
            self._leave_drained(known)

    def _needed(self) -> set[str]:
        """Without which it cannot end well: where ranks are, and where their launchers have processes."""
        ranks = set(map(short_name, self._server().hosts_of_ranks))
        launchers = [group.hosts.keys() for group in self._groups.running]
        # Before the job is open it is not known where its ranks are.
        needed = (hosts for hosts in launchers if not ranks or not ranks.isdisjoint(hosts))
        return ranks.union(self._held, *needed)

    def _tell(self, event: Event) -> None:
        self._say(f"{', '.join(event.hosts)}: {event.kind.sentence}: {event.reason}")

    def _leave_drained(self, hosts: tuple[str, ...]) -> None:
        try:
            self._allocation.check_release(hosts)
            self._check_held(hosts, self._usual_method)
        except AllocationError as problem:
            self._say(f"the job stays: {problem}")
        else:
            self._leave(hosts)
