# SPDX-License-Identifier: BSD-3-Clause
"""A job gets hosts before it is resized, and gives them back when nothing of it runs there any more."""

import pytest
from an_allocation import ROLLED_BACK, World

from nereus.allocation import Event, EventKind
from nereus.launch.hosts import Host
from nereus.supervisor.frames import OK, RESIZED, UNCHANGED


@pytest.fixture
def world() -> World:
    """A job on n0, with two slots."""
    return World()


@pytest.fixture
def grown() -> World:
    """A job on n0 to n2, a group of its own on each."""
    world = World()
    for name in ("n1", "n2"):
        world.grow(1)
        world.start(name)
        world.resized(*world.names)
    world.server.asked.clear()
    return world


def test_new_hosts_are_filled_by_a_resize(world: World) -> None:
    ticket = world.ask("grow", 2)
    world.changes.turn()
    assert world.server.asked == []
    world.allocation.grant(world.allocation.growing[0])
    world.changes.turn()
    assert world.server.asked == [(ticket, 6, {"hosts": "n1:2,n2:2"})]


def test_size_and_options_of_the_request_are_kept(world: World) -> None:
    ticket = world.grow(1, ranks=3, options={"placement": "spread"})
    assert world.server.asked == [(ticket, 3, {"placement": "spread", "hosts": "n1:2"})]


def test_hosts_are_wished_with_slots_and_patience(world: World) -> None:
    world.ask("grow", 0, "n8", "n9", patience=5.0)
    wish = world.allocation.growing[0].wish
    assert (wish.names, wish.slots, wish.patience) == (("n8", "n9"), 2, 5.0)


def test_job_with_more_processes_than_slots_does_not_shrink_when_it_grows(world: World) -> None:
    world.server.hosts_of_ranks = ["n0"] * 9
    world.grow(1)
    assert world.server.asked[0][1] == 9


def test_refused_growth_is_told_at_once(world: World) -> None:
    world.allocation.refuses = "no others can be had"
    ticket = world.ask("grow", 1)
    assert world.server.refused == [(ticket, "no others can be had", True)]


@pytest.mark.parametrize("never", [True, False])
def test_failed_growth_is_told_with_its_reason(world: World, never: bool) -> None:
    ticket = world.ask("grow", 1)
    world.allocation.fail(world.allocation.growing[0], "busy", never)
    world.changes.turn()
    assert world.server.refused == [(ticket, "busy", never)]
    assert (world.server.asked, world.changes.due) == ([], None)


@pytest.mark.parametrize("answered", [True, False])
def test_hosts_of_a_resize_that_failed_are_given_back(world: World, answered: bool) -> None:
    world.grow(1)
    if answered:
        world.settle(world.answer(OK), ROLLED_BACK)
    else:
        world.answer(ROLLED_BACK, request=0)
    world.changes.turn()
    assert (world.allocation.released, world.changes.due) == (["n1"], None)


@pytest.mark.parametrize("answered", [True, False])
def test_hosts_of_a_job_that_has_its_size_already_stay_with_it(world: World, answered: bool) -> None:
    world.grow(1, ranks=2)
    if answered:
        world.settle(world.answer(OK), UNCHANGED)
    else:
        world.answer(UNCHANGED, request=0)
    world.changes.turn()
    assert (world.allocation.released, world.names) == ([], ["n0", "n1"])


def test_hosts_of_newcomers_that_still_run_are_not_given_back(world: World) -> None:
    world.grow(1)
    newcomers = world.start("n1")
    world.settle(world.answer(OK), ROLLED_BACK)
    world.changes.turn()
    assert (world.allocation.released, world.changes.due is not None) == ([], True)
    world.end(newcomers)
    world.changes.turn()
    assert world.allocation.released == ["n1"]


def test_processes_on_released_hosts_leave(grown: World) -> None:
    ticket = grown.ask("release", 0, "n1")
    grown.changes.turn()
    assert grown.server.asked == [(ticket, 4, {"release-hosts": "n1"})]


def test_hosts_that_came_last_are_released_first(grown: World) -> None:
    ticket = grown.ask("release", 1, ranks=3)
    grown.changes.turn()
    assert grown.server.asked == [(ticket, 3, {"release-hosts": "n2"})]


def test_names_of_hosts_are_known_with_and_without_domain(grown: World) -> None:
    grown.ask("release", 0, "N1.example.org")
    grown.changes.turn()
    assert grown.server.asked[0][2] == {"release-hosts": "n1"}


def test_host_is_given_back_when_no_group_has_it_any_more(grown: World) -> None:
    grown.ask("release", 1)
    grown.changes.turn()
    grown.resized("n0", "n1")
    assert grown.allocation.released == []
    grown.end(grown.groups.running[2])
    grown.changes.turn()
    assert (grown.allocation.released, grown.names) == (["n2"], ["n0", "n1"])


@pytest.mark.parametrize(("good", "unclean"), [(True, []), (False, ["n2"])])
def test_host_is_clean_where_all_groups_came_to_their_own_end(
    grown: World, good: bool, unclean: list[str]
) -> None:
    grown.ask("release", 1)
    grown.changes.turn()
    grown.resized("n0", "n1")
    grown.end(grown.groups.running[2], good)
    grown.changes.turn()
    assert (grown.allocation.released, grown.allocation.unclean) == (["n2"], unclean)


def test_host_that_comes_again_is_clean_again(grown: World) -> None:
    for good in (False, True):
        grown.ask("release", 1)
        grown.changes.turn()
        grown.resized("n0", "n1")
        grown.end(grown.groups.running[2], good)
        grown.changes.turn()
        grown.allocation.next_name = "n2"
        grown.grow(1)
        grown.start("n2")
        grown.resized("n0", "n1", "n2")
    assert (grown.allocation.released, grown.allocation.unclean) == (["n2", "n2"], ["n2"])


def test_hosts_stay_when_the_job_does_not_leave_them(grown: World) -> None:
    grown.ask("release", 1)
    grown.changes.turn()
    grown.settle(grown.answer(OK), ROLLED_BACK)
    grown.end(grown.groups.running[2])
    grown.changes.turn()
    assert (grown.allocation.released, grown.names) == ([], ["n0", "n1", "n2"])


@pytest.mark.parametrize("answered", [True, False])
def test_hosts_without_processes_are_given_back_though_the_size_stays(grown: World, answered: bool) -> None:
    grown.end(grown.groups.running[2])
    grown.ask("release", 1, ranks=6)
    grown.changes.turn()
    if answered:
        grown.settle(grown.answer(OK), UNCHANGED)
    else:
        grown.answer(UNCHANGED, request=0)
    grown.changes.turn()
    assert grown.allocation.released == ["n2"]


@pytest.mark.parametrize(
    ("count", "names", "why"),
    [
        (0, ["n9"], "n9 is no host of this job, which has n0, n1, n2"),
        (3, [], "of 3 hosts at most 2 can be released"),
        (9, [], "of 3 hosts at most 2 can be released"),
        (0, ["n0", "n1", "n2"], "of 3 hosts at most 2 can be released"),
        (0, ["n0"], "n0 cannot be given back"),
    ],
)
def test_hosts_that_cannot_be_released_are_refused_by_name(
    grown: World, count: int, names: list[str], why: str
) -> None:
    ticket = grown.ask("release", count, *names)
    grown.changes.turn()
    assert grown.server.refused == [(ticket, why, True)]
    assert (grown.server.asked, grown.changes.due) == ([], None)


def test_host_with_spawned_processes_is_not_released(world: World) -> None:
    world.grow(1)
    world.resized("n0", "n1")
    ticket = world.ask("release", 1)
    world.changes.turn()
    [(refused, why, never)] = world.server.refused
    assert (refused, "n1: processes there were spawned" in why, never) == (ticket, True, True)


def test_job_is_resized_for_one_request_after_the_other(world: World) -> None:
    first, second = world.ask("grow", 1), world.ask("grow", 1)
    for growth in list(world.allocation.growing):
        world.allocation.grant(growth)
    world.changes.turn()
    world.changes.turn()
    assert world.server.asked == [(first, 4, {"hosts": "n1:2"})]
    world.start("n1")
    world.resized("n0", "n1")
    assert world.server.asked[1:] == [(second, 6, {"hosts": "n2:2"})]


def test_hosts_that_are_left_have_no_room_for_newcomers(grown: World) -> None:
    grown.ask("release", 1)
    grown.changes.turn()
    grown.resized("n0", "n1")
    assert grown.names == ["n0", "n1", "n2"]
    ticket = grown.grow(1)
    assert grown.server.asked[1:] == [(ticket, 6, {"hosts": "n3:2"})]


def test_hosts_that_the_job_has_not_yet_are_not_released(grown: World) -> None:
    grown.ask("release", 0, "n1")
    grown.changes.turn()
    grown.ask("grow", 1)
    grown.ask("release", 1)
    grown.allocation.grant(grown.allocation.growing[0])
    grown.changes.turn()
    grown.end(grown.groups.running[1])
    grown.resized("n0", "n2")
    assert [options for _, _, options in grown.server.asked] == [
        {"release-hosts": "n1"},
        {"release-hosts": "n2"},
    ]


def test_request_can_be_released_while_another_waits_in_the_queue(grown: World) -> None:
    grown.ask("grow", 1)
    grown.ask("release", 1)
    grown.changes.turn()
    assert grown.server.asked[0][2] == {"release-hosts": "n2"}


def test_answers_to_other_requests_change_nothing(world: World) -> None:
    ticket = world.grow(1)
    world.server.asked.append((ticket + 1, 1, {}))
    world.answer(ROLLED_BACK, request=0)
    world.settle(77, ROLLED_BACK)
    world.changes.turn()
    assert (world.allocation.released, len(world.server.asked)) == ([], 2)


def test_drained_host_is_left_without_being_asked_for(grown: World) -> None:
    grown.allocation.tell(EventKind.HOST_DRAINS, "n1")
    grown.changes.turn()
    [(ticket, ranks, options)] = grown.server.asked
    assert (ticket in grown.server.clients, ranks, options) == (False, 4, {"release-hosts": "n1"})
    assert "n1" in grown.said[0]


def test_drained_host_that_cannot_be_left_is_told(grown: World) -> None:
    grown.allocation.tell(EventKind.HOST_DRAINS, "n0")
    grown.changes.turn()
    assert (grown.server.asked, "n0 cannot be given back" in grown.said[-1]) == ([], True)


def test_lost_host_is_told_and_not_given_back(grown: World) -> None:
    grown.ask("release", 2)
    grown.changes.turn()
    grown.resized("n0")
    grown.allocation.tell(EventKind.HOST_LOST, "n1")
    grown.changes.turn()
    for group in grown.groups.running[1:]:
        grown.end(group)
    grown.changes.turn()
    assert (grown.allocation.released, len(grown.said), "n1: lost" in grown.said[0]) == (["n2"], 1, True)


def test_job_fails_with_a_lost_host_that_ranks_are_on(grown: World) -> None:
    grown.allocation.tell(EventKind.HOST_LOST, "n1")
    grown.changes.turn()
    assert grown.changes.lost == ["n1"]
    assert grown.changes.failure is not None
    assert grown.changes.failure.text.startswith("host n1 was lost: ")
    assert (grown.changes.failure.good, grown.changes.failure.code) == (False, 1)
    assert grown.server.asked == []


def test_job_fails_with_a_lost_host_that_its_launcher_needs(world: World) -> None:
    """Open MPI's has a daemon on each host, and waits for all of them."""
    world.grow(1)
    world.settle(world.answer(OK), UNCHANGED)
    world.groups.running[0].hosts = {"n0": 2, "n1": 0}
    world.allocation.tell(EventKind.HOST_LOST, "n1")
    world.changes.turn()
    assert world.changes.lost == ["n1"]


def test_job_fails_with_a_host_that_was_lost_before_it_was_open(grown: World) -> None:
    grown.server.hosts_of_ranks, grown.server.is_open = [], False
    grown.allocation.tell(EventKind.HOST_LOST, "n2")
    grown.changes.turn()
    assert (grown.changes.lost, grown.server.asked) == (["n2"], [])


def test_lost_host_is_left_once_the_job_is_open(grown: World) -> None:
    grown.ask("release", 2)
    grown.changes.turn()
    grown.resized("n0")
    grown.server.asked.clear()
    grown.groups.running[:] = grown.groups.running[:1]
    grown.changes._hosts.append(Host("n5", 2))
    grown.server.is_open = False
    grown.allocation.tell(EventKind.HOST_LOST, "n5")
    grown.changes.turn()
    assert grown.server.asked == []
    grown.server.is_open = True
    grown.changes.turn()
    assert [options for _, _, options in grown.server.asked] == [{"release-hosts": "n5"}]


def test_lost_host_without_ranks_is_no_failure(grown: World) -> None:
    grown.ask("release", 2)
    grown.changes.turn()
    grown.resized("n0")
    grown.allocation.tell(EventKind.HOST_LOST, "n1")
    grown.changes.turn()
    assert (grown.changes.lost, grown.changes.failure) == ([], None)


def test_host_lost_while_the_job_grows_does_not_keep_the_others(world: World) -> None:
    world.grow(2)
    world.allocation.tell(EventKind.HOST_LOST, "n1")
    world.changes.turn()
    world.settle(world.answer(OK), ROLLED_BACK)
    world.changes.turn()
    assert (world.allocation.released, world.names, world.changes.due) == (["n2"], ["n0"], None)


def test_others_of_a_growth_that_lost_a_host_while_it_waited_are_given_back(grown: World) -> None:
    grown.ask("release", 0, "n1")
    grown.changes.turn()
    ticket = grown.grow(2)
    grown.allocation.tell(EventKind.HOST_LOST, "n3")
    grown.end(grown.groups.running[1])
    grown.resized("n0", "n2")
    grown.changes.turn()
    assert grown.server.refused == [(ticket, "n3: came, and was lost again", True)]
    assert (grown.allocation.released, grown.names) == (["n1", "n4"], ["n0", "n2"])


def test_request_does_not_wait_for_a_drained_host_that_could_not_be_left(grown: World) -> None:
    grown.allocation.tell(EventKind.HOST_DRAINS, "n1")
    grown.changes.turn()
    grown.settle(grown.answer(OK), ROLLED_BACK)
    grown.ask("release", 0, "n2")
    grown.changes.turn()
    assert [options for _, _, options in grown.server.asked] == [
        {"release-hosts": "n1"},
        {"release-hosts": "n2"},
    ]


def test_drained_host_that_somebody_released_meanwhile_is_not_left_again(
    grown: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nereus.supervisor.host_changes._AGAIN_AFTER", 0.0)
    grown.ask("release", 0, "n1")
    grown.changes.turn()
    grown.allocation.tell(EventKind.HOST_DRAINS, "n1")
    grown.changes.turn()
    grown.end(grown.groups.running[1])
    grown.resized("n0", "n2")
    grown.changes.turn()
    assert (len(grown.server.asked), grown.server.refused, grown.changes.due) == (1, [], None)


def test_resizes_that_had_nothing_to_do_with_hosts_are_none_of_ours(world: World) -> None:
    world.settle(1, RESIZED)
    world.settle(2, ROLLED_BACK)
    world.changes.turn()
    assert (world.allocation.released, world.server.refused, world.said) == ([], [], [])


def test_cause_of_a_failure_is_awaited_and_told(grown: World, monkeypatch: pytest.MonkeyPatch) -> None:
    grown.end(grown.groups.running[2], good=False)
    looks, turn = [], grown.allocation.turn

    def later() -> list[Event]:
        looks.append(1)
        if len(looks) == 3:
            grown.allocation.tell(EventKind.HOST_LOST, "n2")
        return turn()

    monkeypatch.setattr(grown.allocation, "turn", later)
    grown.changes.wait_for_loss()
    assert (len(looks), grown.said) == (3, ["n2: lost: Slurm says so"])


@pytest.mark.parametrize(("group", "good"), [(0, False), (2, True)])
def test_failure_of_no_host_that_came_later_is_told_at_once(
    grown: World, monkeypatch: pytest.MonkeyPatch, group: int, good: bool
) -> None:
    grown.end(grown.groups.running[group], good)
    monkeypatch.delattr(grown.allocation.__class__, "turn")
    grown.changes.wait_for_loss()
    assert grown.said == []


def test_cause_that_was_told_before_is_not_awaited(grown: World, monkeypatch: pytest.MonkeyPatch) -> None:
    grown.end(grown.groups.running[2], good=False)
    grown.allocation.tell(EventKind.HOST_LOST, "n2")
    grown.changes.turn()
    monkeypatch.delattr(grown.allocation.__class__, "turn")
    grown.changes.wait_for_loss()
    assert grown.said == ["n2: lost: Slurm says so"]
