# SPDX-License-Identifier: BSD-3-Clause
"""A file of hosts and switches means what its author wrote, or is refused with the line that is wrong."""

from pathlib import Path

import pytest
from scipy.sparse import csr_array

from nereus import UserError
from nereus.placement import PlaceError, Topology, cost_of, read_topology

TWO_SWITCHES = """\
[costs]
switch = 4
host = 2
slot = 0.5
[[switches]]
name = "s1"
below = ["n3", "n1"]
[[switches]]
name = "s2"
below = ["n2"]
[[hosts]]
name = "n[1-2]"
slots = 2
[[hosts]]
name = "n3"
slots = 3
"""


def read(folder: Path, text: str) -> Topology:
    (folder / "hosts.toml").write_text(text)
    return read_topology(str(folder / "hosts.toml"))


def test_hosts_are_ordered_by_their_switches(tmp_path: Path) -> None:
    topology = read(tmp_path, TWO_SWITCHES)
    assert topology.hosts == ("n3", "n1", "n2")
    assert topology.levels == ("switch", "host", "slot")
    assert topology.children == ((2,), (2, 1), (3, 2, 2))
    assert topology.costs == (4, 2, 0.5)
    assert [topology.host_of(slot) for slot in range(7)] == [0, 0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("other", "links"), [(0, 0), (1, 2 * 0.5), (3, 2 * (0.5 + 2)), (5, 2 * (0.5 + 2 + 4))]
)
def test_byte_costs_the_links_on_its_way(tmp_path: Path, other: int, links: float) -> None:
    topology = read(tmp_path, TWO_SWITCHES)
    assert cost_of(topology, csr_array([[0.0, 10], [3, 0]]), [0, other]) == 13 * links


def test_hosts_alone_need_no_switch(tmp_path: Path) -> None:
    several = read(tmp_path, '[[hosts]]\nname = "n[08-10,12]"\nslots = 4\n')
    assert several.hosts == ("n08", "n09", "n10", "n12")
    assert (several.levels, several.turns_level) == (("host", "slot"), 1)
    one = read(tmp_path, '[[hosts]]\nname = "n"\nslots = 4\n')
    assert (one.levels, one.above_hosts, one.slots) == (("slot",), 0, 4)


def test_levels_of_switches_have_their_own_costs(tmp_path: Path) -> None:
    text = """\
[costs]
pod = 7
[[switches]]
name = "p[1-2]"
level = "pod"
below = ["ignored"]
"""
    with pytest.raises(UserError, match="ignored is neither a host nor a switch"):
        read(tmp_path, text + '[[hosts]]\nname = "n"\nslots = 1\n')
    text = """\
costs = { pod = 7, leaf = 3 }
[[hosts]]
name = "n[1-4]"
slots = 1
"""
    for name, level, below in (
        ("p1", "pod", '"l1"'),
        ("p2", "pod", '"l2"'),
        ("l1", "leaf", '"n[1-2]"'),
        ("l2", "leaf", '"n[3-4]"'),
    ):
        text += f'[[switches]]\nname = "{name}"\nlevel = "{level}"\nbelow = [{below}]\n'
    topology = read(tmp_path, text)
    assert topology.levels == ("pod", "leaf", "host", "slot")
    assert topology.costs == (7, 3, 1, 1)


def test_bandwidths_give_costs_in_seconds(tmp_path: Path) -> None:
    topology = read(tmp_path, '[bandwidths]\nhost = 4\nslot = 8\n[[hosts]]\nname = "n[1-2]"\nslots = 1\n')
    assert topology.unit == "seconds of links"
    assert cost_of(topology, csr_array([[0.0, 16], [0, 0]]), [0, 1]) == 2 * (16 / 4 + 16 / 8)


BAD = {
    "hosts.toml:1: hosts: is missing: [[hosts]] tables": "costs = {}\n",
    "hosts.toml:3: hosts[0].slotz": '[[hosts]]\nname = "n"\nslotz = 2\n',
    "hosts.toml:3: hosts[0].slots = 0: a whole number from 1": '[[hosts]]\nname = "n"\nslots = 0\n',
    "hosts.toml:1: hosts[0] = a table: one of slots, inside and xml": '[[hosts]]\nname = "n"\n',
    "one of slots, inside and xml": '[[hosts]]\nname = "n"\nslots = 2\ninside = "core:2"\n',
    "hosts.toml:3: hosts[0].xml": '[[hosts]]\nname = "n"\nxml = "none.xml"\n',
    "hosts.toml:2: hosts[0].name": '[[hosts]]\nname = "n[1-"\nslots = 2\n',
    'hosts[0].name = "-x"': '[[hosts]]\nname = "-x"\nslots = 2\n',
    "n2 is there twice": '[[hosts]]\nname = "n[1-2]"\nslots = 2\n[[hosts]]\nname = "n2"\nslots = 1\n',
    "up to 16777216 slots": '[[hosts]]\nname = "n[1-1000]"\nslots = 20000\n',
    "costs.socket": '[costs]\nsocket = 1\n[[hosts]]\nname = "n"\nslots = 2\n',
    "costs.slot = -1": '[costs]\nslot = -1\n[[hosts]]\nname = "n"\nslots = 2\n',
    "bandwidths.slot = 0": '[bandwidths]\nslot = 0\n[[hosts]]\nname = "n"\nslots = 2\n',
    "bandwidths = a table: is missing: host": (
        '[bandwidths]\nslot = 1\n[[hosts]]\nname = "n[1-2]"\nslots = 2\n'
    ),
    "is allowed without costs only": (
        '[bandwidths]\nslot = 1\n[costs]\nslot = 1\n[[hosts]]\nname = "n"\nslots = 2\n'
    ),
    "hosts.toml:4: switches[0] = a table: x is neither": (
        '[[hosts]]\nname = "n"\nslots = 2\n[[switches]]\nname = "s"\nbelow = ["x"]\n'
    ),
    "n is below s already": (
        '[[hosts]]\nname = "n"\nslots = 2\n'
        '[[switches]]\nname = "s"\nbelow = ["n"]\n[[switches]]\nname = "t"\nbelow = ["n"]\n'
    ),
    "in a ring": (
        '[[hosts]]\nname = "n"\nslots = 2\n'
        '[[switches]]\nname = "s"\nbelow = ["t"]\n[[switches]]\nname = "t"\nbelow = ["s"]\n'
    ),
    "hosts must all be below as many switches": (
        '[[hosts]]\nname = "n[1-3]"\nslots = 2\n[[switches]]\nname = "s"\nbelow = ["n[1-2]"]\n'
    ),
    "a level of switches is not called host": (
        '[[hosts]]\nname = "n"\nslots = 2\n[[switches]]\nname = "s"\nlevel = "host"\nbelow = ["n"]\n'
    ),
    "TOML syntax": "[[hosts\n",
}


@pytest.mark.parametrize("expected", BAD)
def test_errors_of_a_file_are_reported_with_line(tmp_path: Path, expected: str) -> None:
    with pytest.raises(UserError) as told:
        read(tmp_path, BAD[expected])
    assert expected in str(told.value) and "\n" not in str(told.value)


@pytest.mark.parametrize("text", ["", "hosts.txt", "host:0 core:2", "switch:2 core:4", "host:8, core:2"])
def test_invalid_topology_is_refused(text: str) -> None:
    with pytest.raises(PlaceError, match="--topology"):
        read_topology(text)


def test_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        read_topology(str(tmp_path / "none.xml"))
    with pytest.raises(UserError, match=r"none\.toml"):
        read_topology(str(tmp_path / "none.toml"))


def test_slots_are_named_by_number_or_host(tmp_path: Path) -> None:
    topology = read(tmp_path, TWO_SWITCHES)
    assert topology.read_slots("0-1,6", "--in-use") == [0, 1, 6]
    assert topology.read_slots("n1:0-1, n2:1", "--in-use") == [3, 4, 6]


@pytest.mark.parametrize("text", ["7", "n1:2", "n9:0", "2-1", "a", "", "n1:", "-1", "1,,2"])
def test_unknown_slots_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(PlaceError, match="--in-use"):
        read(tmp_path, TWO_SWITCHES).read_slots(text, "--in-use")
