# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a job that waits, and starts on the cores that a strategy has others give."""

from collections.abc import Sequence
from typing import Any

from a_coordinator import about, commands, with_jobs

from nereus.coordinator.coordination import Coordinator, Effect, Start
from nereus.coordinator.known_jobs import POLICY, RESOURCE_MANAGER
from nereus.policy.decisions import Policy, Resize, State
from nereus.policy.parameters import Parameters
from nereus.policy.policies import BY_NAME


def two_jobs(strategy: str, **parameters: Any) -> Coordinator:
    """One with six ranks came first, then one with two; they have all cores, and it is known that they do."""
    jobs = with_jobs(policy=BY_NAME[f"strategy-{strategy}"](), **parameters)
    jobs.came(about("a", 6, most=6), 0.0)
    jobs.came(about("b", 2, most=2), 0.0)
    return jobs


def told(effects: Sequence[Effect]) -> dict[str, int]:
    return {each.job: each.ranks for each in commands(effects)}


def starts(effects: Sequence[Effect]) -> list[str]:
    return [each.job for each in effects if isinstance(each, Start)]


def test_job_that_waits_starts_on_cores_that_the_strategy_takes_from_those_with_most() -> None:
    jobs = two_jobs("fair")
    effects = jobs.wants("c", 3, 1.0)
    assert told(effects) == {"a": 3}
    (command,) = commands(effects)
    assert command.by == POLICY and "gives cores to a job that waits" in command.why
    assert jobs.look(2.0) == [], "it is told once"
    assert starts(jobs.resized("a", command.number, {"h1": 3}, 10, 3.0)) == ["c"]


def test_what_is_on_its_way_is_not_asked_for_again_and_what_is_refused_is_asked_of_others() -> None:
    jobs = two_jobs("fair")
    (command,) = commands(jobs.wants("c", 1, 1.0))
    assert (command.job, command.ranks) == ("a", 5)
    assert told(jobs.heard("b", 1.5, 20)) == {}
    assert told(jobs.refused("a", command.number, "busy", 2.0)) == {"b": 1}


def test_nobody_gives_where_all_together_could_not_give_enough() -> None:
    jobs = two_jobs("fair")
    assert jobs.wants("c", 5, 1.0) == []
    assert told(two_jobs("fair", least_factor=0.25).wants("c", 5, 1.0)) == {"a": 2, "b": 1}


def test_jobs_that_keep_what_they_prefer_give_nothing_of_it() -> None:
    assert two_jobs("keep-preferred").wants("c", 1, 1.0) == []
    assert told(two_jobs("keep-least").wants("c", 1, 1.0)) == {"b": 1}


def test_without_a_word_of_the_policy_cores_come_back_that_jobs_got_beyond_their_start() -> None:
    jobs = with_jobs("a", policy=BY_NAME["fair"]())
    (more,) = jobs.jobs["a"].commands.values()
    jobs.resized("a", more.number, {"h1": more.ranks}, 5, 1.0)
    (back,) = commands(jobs.wants("b", 4, 2.0))
    assert (back.job, back.by) == ("a", RESOURCE_MANAGER)


class Grows(Policy):
    """Says that somebody grows for the sake of one that waits."""

    def make_room(self, state: State, cores: int, parameters: Parameters) -> Sequence[Resize]:
        return [Resize(job.name, job.ranks + 1, "") for job in state.jobs] + [Resize("nobody", 1, "")]


def test_policy_that_grows_jobs_to_make_room_is_not_followed() -> None:
    assert with_jobs("a", "b", policy=Grows()).wants("c", 8, 1.0) == []
