# SPDX-License-Identifier: BSD-3-Clause
"""Which hosts a user meant, and where the first processes of a job go."""

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nereus.launch import Host, LaunchError, Share, place, read_hosts
from nereus.launch.hosts import host_list, is_here

LISTS = st.lists(st.integers(1, 5), min_size=1, max_size=5).map(
    lambda slots: [Host(f"n{number}", many) for number, many in enumerate(slots)]
)


def test_hosts_get_their_least_before_others_are_filled() -> None:
    hosts = read_hosts("n1:3,n2:1,n3:2")
    least = {"n1": 1, "n3": 2}
    assert place(hosts, 3, spread=False, oversubscribe=False, least=least) == [Share("n1", 1), Share("n3", 2)]
    assert place(hosts, 5, spread=False, oversubscribe=False, least=least) == [
        Share("n1", 1),
        Share("n3", 2),
        Share("n1", 2),
    ]
    assert place(hosts, 2, spread=False, oversubscribe=False, least={"n1": 2, "n3": 2}) == [
        Share("n1", 1),
        Share("n3", 1),
    ]
    assert place(hosts, 2, spread=True, oversubscribe=False, least=least) == [Share("n1", 1), Share("n3", 1)]


def test_host_without_number_has_one_slot() -> None:
    assert read_hosts("n1:2,n2") == (Host("n1", 2), Host("n2", 1))
    assert read_hosts("") == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n1,n1:2", "n1 is there twice"),
        ("n1,N1.example.org", "N1.example.org is there twice"),
        ("n1,", "an empty name"),
        ("-launcher-exec", "no name of a host"),
        ("n1 rm", "no name of a host"),
        ("n1:0", "n1 has 0 slots; allowed is 1 .. 1048576"),
        ("n1:", "n1 has no slots"),
        ("n1:99999999999999999999", "allowed is 1 .. 1048576"),
        ("n1:²", "allowed is 1 .. 1048576"),
    ],
)
def test_invalid_list_is_reported_with_what_is_allowed(text: str, expected: str) -> None:
    with pytest.raises(LaunchError, match="--hosts = ") as error:
        read_hosts(text)
    assert expected in str(error.value)


def test_addresses_with_a_common_prefix_are_different_hosts() -> None:
    assert len(read_hosts("10.0.0.1,10.0.0.2")) == 2


def test_local_host_is_known_by_its_names() -> None:
    assert all(is_here(name) for name in ("", "localhost", socket.gethostname()))
    assert not is_here("some-other-host")


def test_compact_fills_hosts_in_the_order_of_the_list() -> None:
    assert place(read_hosts("n1:2,n2:2"), 3, spread=False, oversubscribe=False) == [
        Share("n1", 2),
        Share("n2", 1),
    ]


def test_spread_uses_the_emptiest_host() -> None:
    shares = place(read_hosts("n1:3,n2:1,n3:2"), 5, spread=True, oversubscribe=False)
    assert shares == [Share("n1", 1), Share("n2", 1), Share("n3", 1), Share("n1", 1), Share("n3", 1)]


def test_without_list_all_ranks_are_local() -> None:
    assert place([], 3, spread=True, oversubscribe=False) == [Share("", 3)]


def test_more_ranks_than_slots_are_refused_with_the_numbers() -> None:
    with pytest.raises(LaunchError, match=r"-n = 4: the hosts n1:2,n2:1 have 3 slots"):
        place(read_hosts("n1:2,n2"), 4, spread=False, oversubscribe=False)


@given(LISTS, st.integers(1, 40), st.booleans())
def test_every_rank_is_placed_within_the_slots_while_they_last(
    hosts: list[Host], ranks: int, spread: bool
) -> None:
    counts = dict.fromkeys((host.name for host in hosts), 0)
    for share in place(hosts, ranks, spread=spread, oversubscribe=True):
        counts[share.host] += share.ranks
    assert sum(counts.values()) == ranks
    if ranks <= sum(host.slots for host in hosts):
        assert all(counts[host.name] <= host.slots for host in hosts)


@given(LISTS)
def test_written_list_can_be_read_again(hosts: list[Host]) -> None:
    assert list(read_hosts(host_list(hosts))) == hosts
