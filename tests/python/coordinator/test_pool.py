# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: jobs that share out one allocation, and two of them on one host."""

from collections.abc import Sequence
from typing import Any

import pytest
from a_coordinator import GrowsAndShrinks, Says, commands
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from nereus.coordinator.coordination import Coordinator
from nereus.coordinator.effects import Effect, Start
from nereus.coordinator.known_jobs import About, Command
from nereus.coordinator.pilot import PilotResources
from nereus.coordinator.pool import KEPT_SECONDS, HostPool, NeverGranted, Said
from nereus.coordinator.resources import ResourceError
from nereus.coordinator.site import JobHosts
from nereus.policy.decisions import Policy, Resize
from nereus.policy.policies import Blocking, Fair

SLOTS = 2
HOSTS = ("n1", "n2", "n3", "n4")


def a_pool(**changes: Any) -> HostPool:
    pool = HostPool(dict.fromkeys(HOSTS, SLOTS), **changes)
    pool.advance(0.0)
    return pool


def test_first_hosts_are_taken_in_the_order_of_the_allocation() -> None:
    pool = a_pool()
    assert (pool.take("a", 1), pool.take("b", 2), pool.free) == (["n1"], ["n2", "n3"], ["n4"])
    with pytest.raises(NeverGranted, match="1 are free"):
        pool.take("c", 2)


def test_wish_is_granted_whole_or_not_at_all() -> None:
    pool = a_pool()
    first = pool.take("a", 2)
    pool.take("b", 1)
    assert pool.says("a", Said(first, 2, more=2), 0.0) == first
    assert pool.says("a", Said(first, 2, more=1), 0.0) == [*first, "n4"]


def test_hosts_can_be_wished_for_by_name() -> None:
    pool = a_pool()
    first = pool.take("a", 1)
    assert pool.says("a", Said(first, 1, more=2, more_names=["n4", "n2"]), 0.0) == ["n1", "n4", "n2"]


@pytest.mark.parametrize(
    "said", [Said(["n1"], 1, more=4), Said(["n1"], 1, more_names=["n9"]), Said(["n1"], 1, more_names=["n1"])]
)
def test_wish_that_cannot_come_true_is_refused(said: Said) -> None:
    pool = a_pool()
    pool.take("a", 1)
    with pytest.raises(NeverGranted):
        pool.says("a", said, 0.0)
    assert pool.names_of("a") == ["n1"]


def test_answer_that_was_lost_is_given_again() -> None:
    pool = a_pool()
    first = pool.take("a", 1)
    assert pool.says("a", Said(first, 1, more=2), 0.0) == ["n1", "n2", "n3"]
    assert pool.says("a", Said(first, 1, more=2), 0.0) == ["n1", "n2", "n3"]
    assert pool.free == ["n4"]


def test_hosts_that_are_not_named_any_more_are_free() -> None:
    pool = a_pool()
    first = pool.take("a", 1)
    pool.says("a", Said(first, 1, more=2), 0.0)
    pool.says("a", Said(first, 1), 0.0)
    assert pool.free == ["n2", "n3", "n4"]
    pool.says("a", Said([], 0), 0.0)
    assert (pool.free, pool.jobs) == (list(HOSTS), [])


def test_host_of_another_job_cannot_be_claimed() -> None:
    pool = a_pool()
    pool.take("a", 2)
    assert pool.says("b", Said(["n2", "n3", "n9"], 1), 0.0) == ["n3"]


def test_hosts_of_a_job_of_which_nothing_is_heard_are_free() -> None:
    pool = a_pool()
    pool.take("a", 1)
    pool.take("b", 1)
    pool.says("b", Said(["n2"], 1), KEPT_SECONDS)
    assert pool.expire(KEPT_SECONDS + 1) == ["a"]
    assert pool.free == ["n1", "n3", "n4"]


def test_unfit_host_goes_to_no_other_job() -> None:
    pool = a_pool()
    pool.take("a", 1)
    pool.says("a", Said(["n1", "n2"], 1, unfit=["n2"]), 0.0)
    pool.says("a", Said(["n1"], 1, unfit=["n2"]), 0.0)
    assert (pool.free, pool.size) == (["n3", "n4"], 3)


def test_nothing_is_granted_before_all_jobs_were_heard_after_a_restart() -> None:
    pool = HostPool(dict.fromkeys(HOSTS, SLOTS), quiet_until=5.0)
    assert pool.says("a", Said(["n2"], 1, more=1), 1.0) == ["n2"]
    assert pool.says("a", Said(["n2"], 1, more=1), 5.0) == ["n2", "n1"]


class Pilot:
    """Four hosts of two slots each."""

    def __init__(self, policy: Policy | None = None) -> None:
        self.pool = a_pool()
        self.resources = PilotResources(self.pool)
        self.policy = Says()
        self.coordinator = Coordinator(policy or self.policy, self.resources)
        self.first: dict[str, list[str]] = {}
        self.iterations: dict[str, int] = {}

    def wants(self, job: str, ranks: int, now: float = 0.0) -> list[Effect]:
        return self.coordinator.wants(job, ranks, now)

    def comes(self, job: str, ranks: int, now: float = 0.0) -> list[Effect]:
        """A job that has been told to start."""
        self.first[job] = self.pool.names_of(job)
        self.iterations[job] = 0
        effects = self.coordinator.came(About(job, {self.first[job][0]: ranks}, 1000), now)
        return [*effects, *self.has(job, 0, now)]

    def has(self, job: str, more: int, now: float = 0.0) -> list[Effect]:
        hosts = JobHosts(SLOTS * len(self.first[job]), SLOTS, more)
        return self.coordinator.has_hosts(job, hosts, now)

    def says(self, job: str, names: Sequence[str], more: int = 0, now: float = 0.0) -> list[Effect]:
        self.pool.says(job, Said(names, len(self.first[job]), more), now)
        return self.coordinator.hosts_changed(now)

    def did(self, job: str, command: int, ranks: int, now: float = 0.0) -> list[Effect]:
        self.iterations[job] += 1
        return self.coordinator.resized(job, command, {job: ranks}, self.iterations[job], now)

    def starts(self, job: str, ranks: int, more: int = 0) -> None:
        """A job that runs, on so many further hosts."""
        self.wants(job, ranks)
        self.comes(job, ranks)
        if more:
            self.policy.decided = [Resize(job, ranks + more * SLOTS, "")]
            [grow] = commands(self.coordinator.decide(0.0))
            self.says(job, self.first[job], more)
            self.has(job, more)
            self.did(job, grow.number, ranks + more * SLOTS)


def starts(effects: Sequence[Effect]) -> list[Start]:
    return [each for each in effects if isinstance(each, Start)]


def test_job_starts_on_whole_hosts() -> None:
    pilot = Pilot()
    [start] = starts(pilot.wants("a", 3))
    assert start.places == {"n1": SLOTS, "n2": SLOTS}
    pilot.comes("a", 3)
    assert pilot.coordinator.free == 1 + 2 * SLOTS


@pytest.mark.parametrize("ranks", [0, 9])
def test_job_that_can_never_start_is_refused(ranks: int) -> None:
    with pytest.raises(ResourceError, match="1 to 8 are there"):
        Pilot().wants("a", ranks)


def test_job_waits_while_hosts_are_only_partly_free() -> None:
    pilot = Pilot()
    for job in "abcd":
        pilot.starts(job, 1)
    assert pilot.coordinator.free == 4
    assert starts(pilot.wants("e", 1)) == []
    assert list(pilot.coordinator.waiting_for_cores) == ["e"]


def test_job_that_ended_keeps_its_hosts_until_its_supervisor_lets_them_go() -> None:
    pilot = Pilot()
    pilot.starts("a", 8)
    assert starts(pilot.wants("b", 2)) == []
    assert starts(pilot.coordinator.ended("a", 1.0)) == []
    [start] = starts(pilot.says("a", []))
    assert (start.job, start.places) == ("b", {"n1": SLOTS})


def test_further_hosts_come_back_for_a_job_that_waits() -> None:
    pilot = Pilot()
    pilot.starts("a", 2, more=3)
    [back] = commands(pilot.wants("b", 3))
    assert (back.job, back.ranks) == ("a", 4)
    pilot.did("a", back.number, 4)
    assert starts(pilot.has("a", 1)) == []
    [start] = starts(pilot.says("a", ["n1", "n2"]))
    assert start.places == {"n3": SLOTS, "n4": SLOTS}


def test_first_hosts_do_not_come_back_for_a_job_that_waits() -> None:
    pilot = Pilot()
    pilot.starts("a", 6)
    effects = pilot.wants("b", 4)
    assert (commands(effects), starts(effects)) == ([], [])


def test_promised_hosts_go_to_no_job_that_starts() -> None:
    pilot = Pilot()
    pilot.starts("a", 2)
    pilot.policy.decided = [Resize("a", 6, "")]
    [grow] = commands(pilot.coordinator.decide(0.0))
    assert (grow.ranks, pilot.resources.free_hosts) == (6, 1)
    assert starts(pilot.wants("b", 4)) == []


class AnyPilot(RuleBasedStateMachine):
    """Supervisors that do what they are told, late, or refuse it; answers of the pool that are lost."""

    @initialize(policy=st.sampled_from([GrowsAndShrinks, Fair, Blocking]))
    def begins(self, policy: type[Policy]) -> None:
        self.now = 0.0
        self.pilot = Pilot(policy())
        self.names: dict[str, list[str]] = {}  # that jobs know they have
        self.told: dict[str, list[Command]] = {}
        self.ending: set[str] = set()

    def take(self, effects: Sequence[Effect]) -> None:
        for each in effects:
            if isinstance(each, Start):
                assert set(each.places).isdisjoint(name for names in self.names.values() for name in names)
                self.names[each.job] = list(each.places)
            elif isinstance(each, Command):
                self.told.setdefault(each.job, []).append(each)

    @rule(job=st.sampled_from("abcd"), ranks=st.integers(1, 8))
    def wants(self, job: str, ranks: int) -> None:
        if job not in self.names and job not in self.pilot.coordinator.waiting_for_cores:
            self.ranks = {**getattr(self, "ranks", {}), job: ranks}
            self.take(self.pilot.wants(job, ranks, self.now))

    @rule(data=st.data())
    def comes(self, data: Any) -> None:
        there = self.pilot.coordinator.jobs
        waiting = [job for job in self.names if job not in there and job not in self.ending]
        if waiting:
            job = data.draw(st.sampled_from(sorted(waiting)))
            self.told[job] = []
            self.take(self.pilot.comes(job, self.ranks[job], self.now))

    @rule(data=st.data())
    def obeys(self, data: Any) -> None:
        waiting = sorted(job for job, told in self.told.items() if told)
        if not waiting:
            return
        job = data.draw(st.sampled_from(waiting))
        command = self.told[job].pop(0)
        if command.number not in self.pilot.coordinator.jobs[job].commands:
            return
        known = self.pilot.resources.hosts_of(job)
        assert known is not None
        first = self.pilot.first[job]
        missing = known.needed(command.ranks) - (len(self.names[job]) - len(first))
        if missing > 0:
            self.take(self.pilot.says(job, self.names[job], missing, self.now))
            if data.draw(st.booleans()):
                self.take(self.pilot.says(job, self.names[job], missing, self.now))
            granted = [name for name in self.pilot.pool.names_of(job) if name not in self.names[job]]
            if len(granted) < missing or data.draw(st.booleans()):
                self.take(self.pilot.says(job, self.names[job], 0, self.now))
                self.take(self.pilot.coordinator.refused(job, command.number, "no", self.now))
                return
            self.names[job] += granted
        elif missing < 0:
            self.names[job] = self.names[job][:missing]
        self.take(self.pilot.has(job, len(self.names[job]) - len(first), self.now))
        self.take(self.pilot.did(job, command.number, command.ranks, self.now))
        self.take(self.pilot.says(job, self.names[job], 0, self.now))

    @rule(data=st.data())
    def ends(self, data: Any) -> None:
        there = sorted(self.pilot.coordinator.jobs)
        if there:
            job = data.draw(st.sampled_from(there))
            self.ending.add(job)
            self.told.pop(job, None)
            self.take(self.pilot.coordinator.ended(job, self.now))

    @rule(data=st.data())
    def lets_go(self, data: Any) -> None:
        if self.ending:
            job = data.draw(st.sampled_from(sorted(self.ending)))
            self.ending.remove(job)
            del self.names[job]
            self.take(self.pilot.says(job, [], 0, self.now))

    @rule(seconds=st.floats(0.1, 25.0))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds
        for job in self.pilot.coordinator.jobs:
            self.pilot.coordinator.heard(job, self.now)
        self.take(self.pilot.coordinator.look(self.now))

    @invariant()
    def each_host_is_of_one_job(self) -> None:
        if hasattr(self, "names"):
            held = [name for names in self.names.values() for name in names]
            assert len(held) == len(set(held))
            assert self.pilot.coordinator.free >= 0

    @invariant()
    def job_that_waits_is_not_forgotten(self) -> None:
        """Where all hosts are free, none waits."""
        if hasattr(self, "names") and not self.names:
            assert not self.pilot.coordinator.waiting_for_cores


AnyPilot.TestCase.settings = settings(
    max_examples=100,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestAnyPilot = AnyPilot.TestCase
