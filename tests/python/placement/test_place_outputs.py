# SPDX-License-Identifier: BSD-3-Clause
"""With what is written, launchers put every rank where the mapping has it."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from nereus import UserError
from nereus.placement import FORMATS, Asked, Placed, PlaceError, place_ranks, renumbering, written
from nereus.placement.topology import Inside, Topology, of_hosts

FLAT = of_hosts(["a", "b"], [Inside(("slot",), ((3,),))] * 2, [("host", [2])])
DEEP = of_hosts(
    ["a", "b"],
    [Inside(("package", "core"), ((2,), (2, 2)), processors=(0, 4, 2, 6))] * 2,
    [("host", [2])],
)


def placed(topology: Topology, mapping: Sequence[int], current: Sequence[int] | None = None) -> Placed:
    ranks = len(mapping)
    ring = csr_array([[float(j == (i + 1) % ranks) for j in range(ranks)] for i in range(ranks)])
    return Placed(Asked(ring, topology, current=current), list(mapping), 0.0, {}, "treematch", 0.0)


def hosts_of_rank_map(use: str) -> list[int]:
    """As Hydra reads "(vector,(FIRST,NODES,RANKS),...)"."""
    entries = re.findall(r"\((\d+),1,(\d+)\)", use)
    return [int(node) for node, ranks in entries for _ in range(int(ranks))]


def test_hydra_gets_each_host_once_with_processors_in_rank_order() -> None:
    made = written(placed(DEEP, [5, 0, 3, 4]), "hydra", "hosts")
    comment, *lines = made.text.splitlines()
    assert lines == ["b:2 binding=user:4,0", "a:2 binding=user:0,6"]
    assert comment == f"# {made.use}"
    assert made.use == "mpiexec -f hosts -rankmap '(vector,(0,1,1),(1,1,2),(0,1,1))' -n 4 PROGRAM"


def test_hydra_gets_no_processors_if_none_are_known() -> None:
    assert written(placed(FLAT, [0, 3, 1]), "hydra", "f").text.splitlines()[1:] == ["a:2", "b:1"]


def test_open_mpi_gets_a_line_for_each_rank() -> None:
    made = written(placed(DEEP, [5, 0]), "openmpi", "ranks")
    assert made.text == "rank 0=b slot=1\nrank 1=a slot=0\n"
    assert made.use == "mpirun --rankfile ranks -n 2 PROGRAM"


def test_slurm_gets_a_host_per_rank_and_the_cost_of_slots_in_order() -> None:
    one = placed(DEEP, [3, 0, 5])
    made = written(one, "slurm", "hosts")
    assert made.text == "a\na\nb\n"
    assert list(made.mapping) == [0, 3, 5]
    assert made.use == "SLURM_HOSTFILE=hosts srun --distribution=arbitrary -n 3 PROGRAM"


def test_keys_give_every_rank_the_slot_of_the_mapping() -> None:
    made = written(placed(FLAT, [4, 0, 3], current=[0, 3, 4]), "keys", "f")
    assert made.text == "1\n2\n0\n"


def test_keys_cannot_move_processes() -> None:
    for current in (None, [0, 1, 2]):
        with pytest.raises(PlaceError, match="a mapping to the slots that they have now is allowed"):
            written(placed(FLAT, [4, 0, 3], current=current), "keys", "f")


@st.composite
def mappings(draw: st.DrawFn) -> Placed:
    slots = draw(st.permutations(range(8)))
    return placed(DEEP, slots[: draw(st.integers(1, 8))])


@settings(deadline=None)
@given(mappings())
def test_every_format_puts_every_rank_on_its_host(one: Placed) -> None:
    hosts = [DEEP.hosts[DEEP.host_of(slot)] for slot in one.mapping]
    hydra = written(one, "hydra", "f")
    names = [line.partition(":")[0] for line in hydra.text.splitlines()[1:]]
    assert [names[node] for node in hosts_of_rank_map(hydra.use)] == hosts
    assert written(one, "slurm", "f").text.splitlines() == hosts
    rankfile = written(one, "openmpi", "f").text.splitlines()
    assert [re.split(r"[= ]", line)[2] for line in rankfile] == hosts
    for name in ("hydra", "openmpi", "slurm"):
        slots = written(one, name, "f").mapping
        assert len(set(slots)) == len(slots)
        assert [DEEP.hosts[DEEP.host_of(slot)] for slot in slots] == hosts


@settings(deadline=None)
@given(st.permutations(range(6)), st.permutations(range(6)))
def test_rank_by_key_gets_its_slot(now: list[int], mapping: list[int]) -> None:
    keys = [int(line) for line in written(placed(FLAT, mapping, current=now), "keys", "f").text.splitlines()]
    assert sorted(keys) == list(range(6))
    for process, key in enumerate(keys):
        assert mapping[key] == now[process]


def test_too_many_ranks_for_a_command_line_are_refused_with_alternative() -> None:
    hosts = of_hosts(
        [f"n{n}" for n in range(20000)], [Inside(("slot",), ((1,),))] * 20000, [("host", [20000])]
    )
    ring = csr_array((20000, 20000))
    one = Placed(Asked(ring, hosts), list(range(20000)), 0.0, {}, "treematch", 0.0)
    with pytest.raises(PlaceError, match="--format keys renumbers the ranks instead"):
        written(one, "hydra", "f")
    assert set(FORMATS) == {"hydra", "openmpi", "slurm", "keys"}


def asked(ranks: int, **more: object) -> Asked:
    return Asked(csr_array((ranks, ranks)), FLAT, **more)  # type: ignore[arg-type]


BAD = {
    "7 ranks are to be placed, but 6 of the 6 slots are free; --oversubscribe takes more": asked(7),
    "5 ranks are to be placed, but 4 of the 6 slots are free": asked(5, in_use=frozenset({0, 5})),
    "2 ranks are to be placed, but 0 of the 6 slots are free": asked(
        2, in_use=frozenset(range(6)), oversubscribe=True
    ),
    "--fix 4=...: ranks 0 .. 3 are there": asked(4, fixed={4: 1}),
    "--fix: rank 1 in slot 2: the slot is in use": asked(4, fixed={1: 2}, in_use=frozenset({2})),
    "--fix: rank 2 in slot 5: it has 2 ranks: up to 1 are allowed": asked(4, fixed={1: 5, 2: 5}),
    "--current: a mapping of 3 ranks: one of 4 is allowed": asked(4, current=[0, 1, 2]),
    "--current: rank 2 in slot 6: slots 0 .. 5 are there": asked(3, current=[0, 1, 6]),
    "--current: rank 1 in slot -1: slots 0 .. 5 are there": asked(2, current=[0, -1]),
    "--current: rank 0 is in slot 0, but fixed to slot 3": asked(2, current=[0, 1], fixed={0: 3}),
}


@pytest.mark.parametrize("expected", BAD)
def test_impossible_request_is_refused_before_computation(expected: str) -> None:
    for way in (place_ranks, renumbering):
        with pytest.raises(UserError) as told:
            way(BAD[expected])
        assert expected in str(told.value)


def test_renumbering_uses_the_slots_a_launcher_would() -> None:
    one = renumbering(asked(3, in_use=frozenset({1}), fixed={1: 4}))
    assert one.current == [0, 4, 2]
    assert one.in_use == {1, 3, 5}
