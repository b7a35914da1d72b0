# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: jobs with hosts of their own that get more than the budget, or never give back."""

from collections.abc import Sequence
from typing import Any

import pytest
from a_coordinator import GrowsAndShrinks, Says, commands
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from nereus.coordinator.budget import Budget
from nereus.coordinator.coordination import Coordinator
from nereus.coordinator.effects import Cancel, Effect, Note
from nereus.coordinator.known_jobs import About, Command
from nereus.coordinator.resources import ResourceError
from nereus.coordinator.site import JobHosts, SiteResources
from nereus.policy.decisions import Policy, Resize
from nereus.policy.parameters import Parameters
from nereus.policy.policies import Blocking, Fair

SLOTS = 4


class Site:
    """Jobs with one host of four slots each."""

    def __init__(self, hosts: int = 2, seconds: float = float("inf"), policy: Policy | None = None) -> None:
        self.budget = Budget(hosts, seconds)
        self.resources = SiteResources(self.budget)
        self.policy = Says()
        self.coordinator = Coordinator(policy or self.policy, self.resources)
        self.iterations: dict[str, int] = {}

    def comes(self, job: str, ranks: int = SLOTS, now: float = 0.0) -> list[Effect]:
        self.coordinator.came(About(job, {job: ranks}, 1000), now)
        return self.has(job, 0, now)

    def has(self, job: str, more: int, now: float = 0.0, slots: int = SLOTS) -> list[Effect]:
        return self.coordinator.has_hosts(job, JobHosts(SLOTS, slots, more), now)

    def decides(self, *wants: Resize, now: float = 0.0) -> list[Effect]:
        self.policy.decided = list(wants)
        return self.coordinator.decide(now)

    def did(self, job: str, command: int, ranks: int, now: float = 0.0) -> list[Effect]:
        self.iterations[job] = self.iterations.get(job, 0) + 1
        return self.coordinator.resized(job, command, {job: ranks}, self.iterations[job], now)

    def look(self, now: float) -> list[Effect]:
        """No job is silent."""
        for job in self.coordinator.jobs:
            self.coordinator.heard(job, now)
        return self.coordinator.look(now)


def notes(effects: Sequence[Effect]) -> str:
    return " | ".join(each.text for each in effects if isinstance(each, Note))


def test_cores_of_whole_hosts_within_the_budget_are_free() -> None:
    site = Site(hosts=2)
    site.comes("a")
    assert site.coordinator.free == 2 * SLOTS
    site.decides(Resize("a", SLOTS + 1, ""))
    # The rest of the host that it was given is its own.
    assert (site.coordinator.free, site.resources.free_for("a")) == (2 * SLOTS - 1, 2 * SLOTS - 1)
    site.comes("b")
    assert site.resources.free_for("b") == SLOTS
    assert site.policy.state.jobs[1].most == 2 * SLOTS


def test_two_jobs_do_not_share_a_host() -> None:
    site = Site(hosts=1)
    site.comes("a")
    site.comes("b")
    effects = site.decides(Resize("a", SLOTS + 1, ""), Resize("b", SLOTS + 1, ""))
    assert [(each.job, each.ranks) for each in commands(effects)] == [("a", SLOTS + 1)]
    assert "b: 1 more cores: its hosts and the budget have room for 0" in notes(effects)


def test_job_fills_its_own_hosts_without_the_budget() -> None:
    site = Site(hosts=1)
    site.comes("a")
    site.has("a", 1)
    site.comes("b", ranks=1)
    assert site.resources.free_for("b") == SLOTS - 1
    assert commands(site.decides(Resize("b", SLOTS, "")))


def test_job_whose_hosts_are_not_known_or_stay_gets_none() -> None:
    site = Site()
    site.coordinator.came(About("a", {"a": SLOTS}, 1000), 0.0)
    assert not commands(site.decides(Resize("a", SLOTS + 1, "")))
    site.has("a", 0, slots=0)
    assert not commands(site.decides(Resize("a", SLOTS + 1, "")))


def test_hosts_that_are_not_given_back_yet_are_not_free() -> None:
    site = Site(hosts=1)
    site.comes("a")
    site.comes("b")
    [grow] = commands(site.decides(Resize("a", 2 * SLOTS, "")))
    site.has("a", 1)
    site.did("a", grow.number, 2 * SLOTS)
    [shrink] = commands(site.decides(Resize("a", SLOTS, "")))
    site.did("a", shrink.number, SLOTS)
    assert site.resources.free_for("b") == 0
    site.has("a", 0)
    assert site.resources.free_for("b") == SLOTS


def test_hosts_of_a_refused_growth_are_free_again() -> None:
    site = Site(hosts=1)
    site.comes("a")
    [grow] = commands(site.decides(Resize("a", 2 * SLOTS, "")))
    assert site.coordinator.free == 0
    site.coordinator.refused("a", grow.number, "Slurm granted no hosts", 0.0)
    assert site.coordinator.free == SLOTS


def test_hosts_of_a_job_that_ended_are_free_again() -> None:
    site = Site(hosts=1)
    site.comes("a")
    site.decides(Resize("a", 2 * SLOTS, ""))
    site.has("a", 1)
    site.coordinator.ended("a", 5.0)
    site.comes("b")
    assert (site.resources.free_for("b"), site.budget.host_seconds) == (SLOTS, 5.0)


def test_hosts_that_a_user_asked_for_count() -> None:
    site = Site(hosts=1)
    site.comes("a")
    site.comes("b")
    site.has("a", 3)
    assert (site.resources.free_hosts, site.resources.free_for("b")) == (0, 0)


def test_growth_from_before_a_restart_is_promised() -> None:
    site = Site(hosts=1)
    before = Command(7, "a", 2 * SLOTS, None, "")
    site.coordinator.resume([], [before], {})
    site.comes("a")
    site.comes("b")
    assert site.resources.free_for("b") == 0


def test_all_hosts_come_back_when_their_time_is_used_up() -> None:
    site = Site(hosts=2, seconds=3600.0)
    site.comes("a")
    [grow] = commands(site.decides(Resize("a", 3 * SLOTS, "")))
    site.has("a", 2)
    site.did("a", grow.number, 3 * SLOTS)
    due = site.budget.due
    assert due == 1800.0 - 30.0
    assert not commands(site.look(due - 30.0 + 29.0))
    [back] = commands(site.look(due))
    assert (back.ranks, back.by) == (SLOTS, "resource manager")
    assert back.why == "the budget of node hours is used up"
    assert not site.look(due + 1)
    site.did("a", back.number, SLOTS, due + 2)
    site.has("a", 0, due + 3)
    assert site.budget.host_seconds <= 3600.0
    assert (site.coordinator.free, commands(site.look(due + 4))) == (0, [])


def test_growth_that_waits_is_cancelled_when_the_time_is_used_up() -> None:
    site = Site(hosts=2, seconds=3600.0)
    site.comes("a")
    site.comes("b")
    [grow] = commands(site.decides(Resize("a", 2 * SLOTS, "")))
    site.has("b", 1)
    effects = site.look(3600.0)
    assert [each.number for each in effects if isinstance(each, Cancel)] == [grow.number]
    assert [(each.job, each.ranks) for each in commands(effects)] == [("a", SLOTS), ("b", SLOTS)]


def test_job_that_does_not_give_back_is_asked_again_later() -> None:
    site = Site(hosts=1, seconds=3600.0)
    site.comes("a")
    site.has("a", 1)
    [back] = commands(site.look(3600.0))
    site.coordinator.refused("a", back.number, "not now", 3601.0)
    assert not commands(site.look(3602.0))
    assert commands(site.look(3601.0 + Parameters().cool_down_seconds))


def test_loan_ends_when_the_time_is_used_up() -> None:
    site = Site(hosts=1, seconds=3600.0)
    site.comes("a")
    lend, _ = commands(site.decides(Resize("a", 2 * SLOTS, "", at=1, until=9)))
    site.has("a", 1)
    site.did("a", lend.number, 2 * SLOTS)
    effects = site.look(3600.0)
    [back] = commands(effects)
    assert back.ranks == SLOTS
    site.did("a", back.number, SLOTS)
    assert site.resources.loans == []


def test_jobs_get_their_first_hosts_elsewhere() -> None:
    with pytest.raises(ResourceError, match="first hosts"):
        Site().coordinator.wants("a", 1, 0.0)


class AnySite(RuleBasedStateMachine):
    """Supervisors that do what they are told, late, or refuse it; the resource manager counts the hosts."""

    @initialize(hosts=st.integers(1, 4), policy=st.sampled_from([GrowsAndShrinks, Fair, Blocking]))
    def begins(self, hosts: int, policy: type[Policy]) -> None:
        self.now = 0.0
        self.site = Site(hosts, policy=policy())
        self.most = hosts
        self.hosts: dict[str, int] = {}
        self.ranks: dict[str, int] = {}
        self.told: dict[str, list[Command]] = {}

    def take(self, effects: Sequence[Effect]) -> None:
        for each in effects:
            if isinstance(each, Command):
                self.told[each.job].append(each)
            elif isinstance(each, Cancel):
                self.told[each.job] = [known for known in self.told[each.job] if known.number != each.number]

    @rule(job=st.sampled_from("abc"))
    def comes(self, job: str) -> None:
        if job in self.hosts:
            return
        self.hosts[job], self.ranks[job], self.told[job] = 0, SLOTS, []
        self.site.iterations[job] = 0
        self.take(self.site.comes(job, now=self.now))

    @rule(data=st.data())
    def obeys(self, data: Any) -> None:
        waiting = [job for job, told in self.told.items() if told]
        if not waiting:
            return
        job = data.draw(st.sampled_from(waiting))
        command = self.told[job].pop(0)
        known = self.site.resources.hosts_of(job)
        assert known is not None
        if data.draw(st.booleans()):
            self.take(self.site.coordinator.refused(job, command.number, "no", self.now))
            return
        self.hosts[job], self.ranks[job] = known.needed(command.ranks), command.ranks
        words = [
            lambda: self.site.has(job, self.hosts[job], self.now),
            lambda: self.site.did(job, command.number, command.ranks, self.now),
        ]
        for say in data.draw(st.permutations(words)):
            self.take(say())

    @rule(job=st.sampled_from("abc"))
    def ends(self, job: str) -> None:
        if self.hosts.pop(job, None) is not None:
            del self.told[job], self.ranks[job]
            self.take(self.site.coordinator.ended(job, self.now))

    @rule(seconds=st.floats(0.1, 25.0))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds
        self.take(self.site.look(self.now))

    @invariant()
    def hosts_are_within_the_budget(self) -> None:
        if hasattr(self, "hosts"):
            assert sum(self.hosts.values()) <= self.most
            assert self.site.resources.free_hosts <= self.most - sum(self.hosts.values())
            assert self.site.coordinator.free >= 0


AnySite.TestCase.settings = settings(
    max_examples=100,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestAnySite = AnySite.TestCase
