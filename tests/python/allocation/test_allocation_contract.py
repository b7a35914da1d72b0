# SPDX-License-Identifier: BSD-3-Clause
"""What every adapter to a resource manager promises, tried with each of them."""

from pathlib import Path

import pytest
from a_slurm import until
from a_stand import FIRST, MORE, Stand, stand_of

from nereus.allocation import AllocationError, EventKind, Growth, GrowthState, Wish
from nereus.launch.hosts import Host

REQUESTED, ACCEPTED = GrowthState.REQUESTED, GrowthState.ACCEPTED
USABLE, FAILED = GrowthState.USABLE, GrowthState.FAILED
SLOTS = 2


def grown(stand: Stand, wish: Wish) -> Growth:
    growth = stand.allocation.grow(wish)
    stand.turn_until(USABLE, growth)
    return growth


def is_queued(stand: Stand) -> bool:
    stand.turn()
    return stand.waits_in_queue()


def test_allocation_begins_with_the_hosts_that_there_are(stand: Stand) -> None:
    stand.turn()
    assert stand.allocation.hosts == tuple(Host(name, SLOTS) for name in FIRST)
    assert (stand.events, stand.left()) == ([], [])


@pytest.mark.parametrize(("hosts", "names"), [(0, ()), (-1, ()), (1, ("n3",))])
def test_wish_that_is_neither_a_number_nor_names_is_refused(hosts: int, names: tuple[str, ...]) -> None:
    with pytest.raises(AllocationError, match="a number or names"):
        Wish(hosts, names)


def test_wish_for_hosts_without_slots_is_refused() -> None:
    with pytest.raises(AllocationError, match="0 slots"):
        Wish(1, slots=0)


@pytest.mark.parametrize("final", [USABLE, FAILED])
def test_growth_that_has_ended_stays_as_it_is(final: GrowthState) -> None:
    growth = Growth(Wish(1))
    growth.to(final, "why")
    with pytest.raises(ValueError, match=final.value):
        growth.to(REQUESTED)
    assert (growth.state, growth.reason) == (final, "why")


def test_list_of_hosts_cannot_grow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with stand_of("static", tmp_path, monkeypatch) as stand:
        with pytest.raises(AllocationError, match="no others can be had"):
            stand.allocation.grow(Wish(1))
        assert stand.names == FIRST


def test_growth_goes_forward_through_its_states(growing: Stand) -> None:
    growth = growing.allocation.grow(Wish(2, slots=SLOTS))
    assert growth.state is REQUESTED
    states = growing.turn_until(USABLE, growth)
    assert states in ([REQUESTED, ACCEPTED, USABLE], [REQUESTED, USABLE])
    assert growing.events == []


def test_hosts_that_came_stand_behind_the_first(growing: Stand) -> None:
    growth = grown(growing, Wish(2))
    assert growing.allocation.hosts == (*(Host(name, SLOTS) for name in FIRST), *growth.hosts)
    assert {host.slots for host in growth.hosts} == {SLOTS}
    assert not {host.name for host in growth.hosts} & set(growing.idle())


def test_hosts_can_be_had_by_name(growing: Stand) -> None:
    growth = grown(growing, Wish(names=("n5", "n3")))
    assert {host.name for host in growth.hosts} == {"n3", "n5"}


def test_hosts_are_not_among_ours_before_they_are_usable(growing: Stand) -> None:
    growing.occupy()
    growth = growing.allocation.grow(Wish(1))
    until(lambda: is_queued(growing))
    assert (growing.names, growth.hosts) == (FIRST, ())


def test_growths_that_are_under_way_together_get_different_hosts(growing: Stand) -> None:
    growths = [growing.allocation.grow(Wish(1)) for _ in MORE]
    for growth in growths:
        growing.turn_until(USABLE, growth)
    assert {host.name for growth in growths for host in growth.hosts} == set(MORE)


def test_growth_waits_until_hosts_are_idle(growing: Stand) -> None:
    growing.occupy()
    growth = growing.allocation.grow(Wish(1))
    until(lambda: is_queued(growing))
    growing.leave()
    growing.turn_until(USABLE, growth)


def test_growth_cancelled_at_once_was_never_asked_for(growing: Stand) -> None:
    growth = growing.allocation.grow(Wish(1))
    growing.allocation.cancel(growth)
    growing.turn()
    assert (growth.state, growing.left(), growing.names) == (FAILED, [], FIRST)


def test_growth_cancelled_in_the_queue_leaves_nothing_behind(growing: Stand) -> None:
    growing.occupy()
    growth = growing.allocation.grow(Wish(1))
    until(lambda: is_queued(growing))
    growing.allocation.cancel(growth)
    growing.turn_until_nothing_is_left()
    growing.leave()
    growing.turn()
    assert (growth.state, growing.idle(), growing.names) == (FAILED, list(MORE), FIRST)


def test_growth_cancelled_while_its_hosts_are_tried_leaves_nothing_behind(growing: Stand) -> None:
    growth = growing.allocation.grow(Wish(2))
    growing.turn_until(ACCEPTED, growth)
    growing.allocation.cancel(growth)
    assert growth.state is FAILED
    growing.turn_until_idle(*MORE)
    growing.turn_until_nothing_is_left()
    assert growing.names == FIRST


def test_growth_that_is_usable_cannot_be_cancelled(growing: Stand) -> None:
    growth = grown(growing, Wish(1))
    growing.allocation.cancel(growth)
    growing.turn()
    assert (growth.state, len(growing.names)) == (USABLE, len(FIRST) + 1)


def test_growth_that_lasts_too_long_fails_for_now(growing: Stand) -> None:
    growing.occupy()
    growth = growing.allocation.grow(Wish(1, patience=100.0))
    until(lambda: is_queued(growing))
    growing.clock.ahead = 101.0
    growing.turn_until(FAILED, growth)
    assert ("within 100 s" in growth.reason, growth.never) == (True, False)
    growing.turn_until_nothing_is_left()


def test_host_on_which_nothing_starts_is_given_back(growing: Stand) -> None:
    growing.stop_starting("n4")
    growth = growing.allocation.grow(Wish(names=("n3", "n4")))
    growing.turn_until(FAILED, growth)
    assert ("n4" in growth.reason, growth.never, growing.names) == (True, False, FIRST)
    growing.turn_until_idle(*MORE)
    growing.turn_until_nothing_is_left()


def test_host_that_is_not_known_is_never_granted(growing: Stand) -> None:
    growth = growing.allocation.grow(Wish(names=("n99",)))
    growing.turn_until(FAILED, growth)
    assert (growth.never, growing.names) == (True, FIRST)
    growing.turn_until_nothing_is_left()


def test_more_slots_than_any_host_has_are_never_granted(growing: Stand) -> None:
    growth = growing.allocation.grow(Wish(1, slots=SLOTS + 1))
    growing.turn_until(FAILED, growth)
    assert growth.never
    growing.turn_until_nothing_is_left()


def test_released_hosts_are_idle_again(growing: Stand) -> None:
    growth = grown(growing, Wish(2))
    names = [host.name for host in growth.hosts]
    growing.allocation.check_release(names)
    growing.allocation.release(names)
    assert growing.names == FIRST
    growing.turn_until_idle(*MORE)
    growing.turn_until_nothing_is_left()
    assert growing.events == []


def test_some_hosts_of_a_growth_can_be_released(growing: Stand) -> None:
    growth = grown(growing, Wish(3))
    gone, *kept = [host.name for host in growth.hosts]
    growing.allocation.release([gone])
    growing.turn_until_idle(gone)
    assert growing.names == (*FIRST, *kept)
    assert growing.idle() == [gone]


def test_hosts_released_one_after_the_other_are_all_idle_again(growing: Stand) -> None:
    growth = grown(growing, Wish(3))
    for host in growth.hosts:
        growing.allocation.release([host.name])
    assert growing.names == FIRST
    growing.turn_until_idle(*MORE)
    growing.turn_until_nothing_is_left()


def test_released_hosts_can_be_had_again(growing: Stand) -> None:
    growing.allocation.release([host.name for host in grown(growing, Wish(3)).hosts])
    assert {host.name for host in grown(growing, Wish(3)).hosts} == set(MORE)


def test_hosts_of_different_growths_can_be_released_together(growing: Stand) -> None:
    names = [grown(growing, Wish(1)).hosts[0].name for _ in MORE]
    growing.allocation.release(names[:2])
    growing.turn_until_idle(*names[:2])
    assert growing.names == (*FIRST, names[2])


def test_foreign_host_cannot_be_released(growing: Stand) -> None:
    growth = grown(growing, Wish(1))
    ours = growth.hosts[0].name
    for refused in ([ours, "n99"], ["n99"]):
        with pytest.raises(AllocationError, match="n99"):
            growing.allocation.check_release(refused)
        with pytest.raises(AllocationError, match="n99"):
            growing.allocation.release(refused)
    growing.turn()
    assert growing.names == (*FIRST, ours)


def test_host_cannot_be_released_twice(growing: Stand) -> None:
    name = grown(growing, Wish(1)).hosts[0].name
    growing.allocation.release([name])
    with pytest.raises(AllocationError, match=name):
        growing.allocation.release([name])


def test_last_of_the_first_hosts_can_be_left(stand: Stand) -> None:
    stand.allocation.check_release([FIRST[1]])
    stand.allocation.release([FIRST[1]])
    stand.turn()
    assert FIRST[0] in stand.names


def test_hosts_that_are_taken_away_are_each_told_of_once(growing: Stand) -> None:
    names = {host.name for host in grown(growing, Wish(2)).hosts}
    growing.take_away()

    def are_told() -> bool:
        growing.turn()
        return {name for event in growing.events for name in event.hosts} == names

    until(are_told)
    for _ in range(20):
        growing.turn()
    assert sum(len(event.hosts) for event in growing.events) == len(names)
    assert {event.kind for event in growing.events} == {EventKind.HOST_LOST}
    assert growing.names == FIRST
    growing.turn_until_nothing_is_left()


def test_closed_allocation_has_given_back_all_that_came(stand: Stand) -> None:
    stand.turn()
    stand.allocation.close()
    assert (stand.left(), stand.idle()) == ([], list(MORE))


def test_closed_allocation_has_given_back_hosts_in_every_state(growing: Stand) -> None:
    leaves = grown(growing, Wish(1)).hosts[0].name
    stays = grown(growing, Wish(1)).hosts[0].name
    growing.allocation.release([leaves])
    growing.occupy()
    waits = growing.allocation.grow(Wish(2))
    until(lambda: is_queued(growing))
    growing.allocation.close()
    growing.leave()
    assert (waits.state, growing.left()) == (FAILED, [])
    assert {leaves, stays} <= set(growing.idle())


def test_allocation_closed_at_any_moment_leaves_nothing_behind(growing: Stand) -> None:
    growth = growing.allocation.grow(Wish(3))
    growing.turn_until(ACCEPTED, growth)
    growing.allocation.close()
    assert (growth.state, growing.left(), growing.idle()) == (FAILED, [], list(MORE))


def test_resource_manager_that_does_not_answer_keeps_nobody_waiting(growing: Stand) -> None:
    usable = grown(growing, Wish(1))
    growing.hang()
    growth = growing.allocation.grow(Wish(1))
    growing.allocation.release([host.name for host in usable.hosts])
    for _ in range(200):
        growing.turn()
    assert (growth.state, growing.names) == (REQUESTED, FIRST)
    growing.mend()
    growing.turn_until(USABLE, growth)
