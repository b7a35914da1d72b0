# SPDX-License-Identifier: BSD-3-Clause
"""Requests for hosts in any order, whatever the job and the resource manager do meanwhile, come to an end."""

import pytest
from an_allocation import ROLLED_BACK, World
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from nereus.allocation import EventKind
from nereus.launch.groups import Group
from nereus.supervisor.frames import RESIZED, UNCHANGED

_FOUNDERS_ON = "n0"
_MOST_TURNS = 200


class HostChangesMachine(RuleBasedStateMachine):
    """A job with one group on each host; the hosts with its processes are known here, too."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.groups: dict[str, Group] = {_FOUNDERS_ON: self.world.groups.running[0]}
        self.there = [_FOUNDERS_ON]
        #: Those of the job's list, processes or not.
        self.hosts = [_FOUNDERS_ON]
        self.settled = 0
        self.tickets: list[int] = []

    @rule(count=st.integers(1, 3), ranks=st.sampled_from([None, 1, 40]))
    def ask_for_hosts(self, count: int, ranks: int | None) -> None:
        self.tickets.append(self.world.ask("grow", count, ranks=ranks))

    @rule(count=st.integers(1, 3), wait=st.booleans())
    def ask_to_release_the_latest(self, count: int, wait: bool) -> None:
        self.tickets.append(self.world.ask("release", count, wait=wait))

    @rule(number=st.integers(0, 6))
    def ask_to_release_a_host(self, number: int) -> None:
        self.tickets.append(self.world.ask("release", 0, f"n{number}"))

    @precondition(lambda self: self.world.allocation.growing)
    @rule(data=st.data(), granted=st.booleans(), never=st.booleans())
    def decide_a_growth(self, data: st.DataObject, granted: bool, never: bool) -> None:
        growth = data.draw(st.sampled_from(self.world.allocation.growing))
        if granted:
            self.world.allocation.grant(growth)
        else:
            self.world.allocation.fail(growth, "busy", never)

    @rule(kind=st.sampled_from([EventKind.HOST_DRAINS, EventKind.HOST_LOST]), number=st.integers(0, 6))
    def do_something_to_a_host(self, kind: EventKind, number: int) -> None:
        """A lost host with processes would end the job: it has none here."""
        name = f"n{number}"
        if name in self.world.names and not (kind is EventKind.HOST_LOST and name in self.groups):
            self.world.allocation.tell(kind, name)

    @rule()
    def turn(self) -> None:
        self.world.changes.turn()

    @precondition(lambda self: self.is_asked)
    @rule(code=st.sampled_from([RESIZED, RESIZED, UNCHANGED, ROLLED_BACK]), refused=st.booleans())
    def settle(self, code: int, refused: bool) -> None:
        self.follow(code)
        self.settled += 1
        if refused and code != RESIZED:
            self.world.answer(code, request=0)
        else:
            self.world.settle(self.world.answer(0), code)

    @precondition(lambda self: self.leaving)
    @rule(data=st.data(), good=st.booleans())
    def end_a_group(self, data: st.DataObject, good: bool) -> None:
        name = data.draw(st.sampled_from(self.leaving))
        self.world.end(self.groups.pop(name), good)

    @property
    def is_asked(self) -> bool:
        """Whether the job has been asked for a size that it has not settled."""
        return len(self.world.server.asked) > self.settled

    @property
    def leaving(self) -> list[str]:
        """Hosts whose processes are not part of the job any more."""
        return [name for name in self.groups if name not in self.there]

    def follow(self, code: int) -> None:
        """What the job makes of the size that it was asked for."""
        _, _, options = self.world.server.asked[-1]
        coming = [text.split(":")[0] for text in options.get("hosts", "").split(",") if text]
        going = options.get("release-hosts", "").split(",")
        if code == RESIZED:
            self.there = [name for name in (*self.there, *coming) if name not in going]
            self.groups |= {name: self.world.start(name) for name in coming}
            self.world.server.hosts_of_ranks = list(self.there)
            self.world.changes.follow(self.there)
        if code != ROLLED_BACK:
            self.hosts = [name for name in (*self.hosts, *coming) if name not in going]

    @invariant()
    def the_job_is_resized_for_one_request_at_a_time(self) -> None:
        assert len(self.world.server.asked) - self.settled in (0, 1)

    @invariant()
    def no_host_is_given_back_that_has_processes(self) -> None:
        assert set(self.groups) <= set(self.world.names)

    def teardown(self) -> None:
        """When everybody answers, nothing is left to do, every request is answered, unused hosts are gone."""
        world = self.world
        for _ in range(_MOST_TURNS):
            for growth in list(world.allocation.growing):
                world.allocation.fail(growth, "busy")
            for name in self.leaving:
                world.end(self.groups.pop(name))
            world.changes.turn()
            if self.is_asked:
                self.settle(RESIZED, refused=False)
            elif world.changes.due is None:
                break
        assert world.changes.due is None
        assert set(world.names) == set(self.hosts)
        told = {ticket for ticket, *_ in (*world.server.refused, *world.server.asked)}
        assert told.issuperset(self.tickets)


def test_requests_for_hosts_in_any_order_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nereus.supervisor.host_changes._AGAIN_AFTER", 0.0)
    machine = HostChangesMachine.TestCase
    machine.settings = settings(max_examples=200, stateful_step_count=30, deadline=None)
    machine("runTest").runTest()
