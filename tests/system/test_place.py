# SPDX-License-Identifier: BSD-3-Clause
"""`nereus place` with the real program: mappings are cheap, allowed, and those that launchers then make."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from a_monitored_run import launched
from scipy.sparse import coo_array, csr_array, save_npz

from nereus.launch import choose
from nereus.placement import Asked, cost_of, place_ranks, read_topology

# A host of 2 packages of 2 cores, as lstopo writes it.
_CORE = """<object type="Core" os_index="{n}" cpuset="{m:#x}" complete_cpuset="{m:#x}" nodeset="0x1"
 complete_nodeset="0x1"><object type="PU" os_index="{n}" cpuset="{m:#x}" complete_cpuset="{m:#x}"
 nodeset="0x1" complete_nodeset="0x1"/></object>"""
_PACKAGE = """<object type="Package" os_index="{n}" cpuset="{m:#x}" complete_cpuset="{m:#x}" nodeset="0x1"
 complete_nodeset="0x1">{cores}</object>"""
XML = """<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE topology SYSTEM "hwloc2.dtd"><topology version="2.0">
<object type="Machine" os_index="0" cpuset="0xf" complete_cpuset="0xf" allowed_cpuset="0xf" nodeset="0x1"
 complete_nodeset="0x1" allowed_nodeset="0x1"><object type="NUMANode" os_index="0" cpuset="0xf"
 complete_cpuset="0xf" nodeset="0x1" complete_nodeset="0x1" local_memory="1024"/>{packages}</object>
</topology>
"""


def xml() -> str:
    cores = [_CORE.format(n=number, m=1 << number) for number in range(4)]
    packages = [_PACKAGE.format(n=n, m=3 << 2 * n, cores="".join(cores[2 * n : 2 * n + 2])) for n in range(2)]
    return XML.format(packages="".join(packages))


def stencil(rows: int, columns: int) -> csr_array:
    """Each with its four neighbours, ranks in an order that has nothing to do with it."""
    ranks = np.random.default_rng(7).permutation(rows * columns).reshape(rows, columns)
    pairs = [(ranks[:, 1:], ranks[:, :-1]), (ranks[1:], ranks[:-1])]
    one, other = (np.concatenate([pair[side].ravel() for pair in pairs]) for side in (0, 1))
    return csr_array(
        coo_array(
            (np.full(2 * len(one), 1000.0), (np.r_[one, other], np.r_[other, one])), shape=(ranks.size,) * 2
        )
    )


@pytest.fixture
def placing(site: Any) -> Any:
    """The document for the stencil, or another matrix of the folder."""
    save_npz(site.folder / "stencil.npz", stencil(16, 10))

    def document(*options: str, matrix: str = "stencil.npz", topology: str = "host:8 core:20") -> Any:
        done = site.nereus("place", "--matrix", matrix, "--topology", topology, "--json", *options)
        assert done.code == 0, done.err
        return done.document

    return document


def test_shuffled_stencil_costs_no_more_than_with_scotch(placing: Any) -> None:
    for topology in ("host:8 core:20", "node:8 package:2 core:10", "switch:4 host:2 package:2 core:10"):
        found = placing(topology=topology)
        costs = found["costs"]
        assert sorted(found["mapping"]) == list(range(160))
        assert found["cost"] == pytest.approx(
            cost_of(read_topology(topology), stencil(16, 10), found["mapping"])
        )
        assert found["cost"] <= min(cost for cost in costs.values() if cost is not None)
        assert found["cost"] < 0.7 * min(costs["packed"], costs["round_robin"], costs["random"])


def test_fixed_ranks_and_slots_in_use_are_respected(placing: Any) -> None:
    options = ("--fix", "3=host2:1", "--fix", "0=0", "--in-use", "host1:0-9,host3:4")
    found = placing(*options, topology="host:10 core:20")
    assert found["mapping"][3] == 41 and found["mapping"][0] == 0
    assert not set(found["mapping"]) & {*range(20, 30), 64}
    assert len(set(found["mapping"])) == 160


def test_slots_have_several_ranks_with_oversubscribe(placing: Any) -> None:
    found = placing("--oversubscribe", "--fix", "5=3", "--fix", "6=3", topology="host:4 core:20")
    counts = np.bincount(found["mapping"], minlength=80)
    assert counts.max() == 2 and counts.sum() == 160
    assert found["mapping"][5] == found["mapping"][6] == 3


def test_mapping_is_kept_unless_a_cheaper_one_exists(placing: Any, site: Any) -> None:
    first = placing()
    site.write("first.json", json.dumps(first))
    again = placing("--current", "first.json")
    assert again["cost"] <= first["cost"] == pytest.approx(again["costs"]["current"])
    site.write("best.json", json.dumps(again["mapping"]))
    assert placing("--current", "best.json")["cost"] <= again["cost"]
    site.write("silent.txt", "0 0\n0 0\n")
    site.write("two.json", "[1, 0]")
    kept = placing("--current", "two.json", matrix="silent.txt", topology="host:2 core:1")
    assert (kept["mapping"], kept["from"]) == ([1, 0], "current")


def test_hwloc_file_and_topology_naming_it_are_equivalent(placing: Any, site: Any) -> None:
    site.write("n1.xml", xml())
    site.write("hosts.toml", '[[hosts]]\nname = "n[1-2]"\nxml = "n1.xml"\n')
    site.write("words.toml", '[[hosts]]\nname = "n[1-2]"\ninside = "package:2 core:2"\n')
    site.write("m.txt", "0 1 9 1\n1 0 1 9\n9 1 0 1\n1 9 1 0\n")
    one = placing(matrix="m.txt", topology="n1.xml")
    # 9 bytes twice in two packages, and 1 byte in both directions between four pairs.
    assert one["slots"] == 4 and one["cost"] == 4 * 9 * 2 + 8 * 4
    assert set(one["hosts"]) == {"n1"}
    two, words = (placing(matrix="m.txt", topology=name) for name in ("hosts.toml", "words.toml"))
    assert two["slots"] == 8 and two["cost"] == one["cost"] == words["cost"]


def test_local_host_is_a_topology(placing: Any, site: Any) -> None:
    site.write("m.txt", "0 1\n1 0\n")
    found = placing("--oversubscribe", matrix="m.txt", topology="here")
    assert 1 <= found["slots"] <= (os.cpu_count() or 1)


def test_link_costs_are_read_from_the_command_line(placing: Any) -> None:
    hops, dear = placing(), placing("--cost", "host=9", "--cost", "core=0")
    assert dear["costs"]["packed"] > hops["costs"]["packed"]
    topology = read_topology("host:8 core:20").with_costs({"host": 9.0, "core": 0.0}, "--cost")
    assert dear["cost"] == pytest.approx(cost_of(topology, stencil(16, 10), dear["mapping"]))


def test_renumbering_equal_hosts_does_not_change_the_cost() -> None:
    traffic = stencil(6, 4)
    topology = read_topology("host:4 core:6")
    mapping = place_ranks(Asked(traffic, topology)).mapping
    turned = [(slot + 6) % 24 for slot in mapping]
    assert cost_of(topology, traffic, turned) == cost_of(topology, traffic, mapping)


@pytest.mark.parametrize(("form", "lines"), [("hydra", 9), ("openmpi", 160), ("slurm", 160), ("keys", 160)])
def test_every_format_is_written_to_file_or_stdout(placing: Any, site: Any, form: str, lines: int) -> None:
    document = placing("--format", form, "--output", "file")
    text = (site.folder / "file").read_text()
    assert text.count("\n") == lines and document["ranks"] == 160
    options = ("--matrix", "stencil.npz", "--topology", "host:8 core:20")
    printed = site.nereus("place", *options, "--format", form)
    assert printed.code == 0 and printed.err.startswith("use: ")
    assert printed.out.replace("FILE", "file") == text


BAD = {
    "--topology host:2 core:0: allowed are here": ("--topology", "host:2 core:0"),
    "cabbage:2 pu:1: is no synthetic topology of hwloc": ("--topology", "host:2 cabbage:2"),
    "slots: allowed are up to 16777216": ("--topology", "host:99999 core:999"),
    "160 ranks are to be placed, but 159 of the 160 slots are free": ("--in-use", "7"),
    "--current: a mapping of 2 ranks: one of 160 is allowed": ("--current", "two.json"),
    "a document of `nereus place --json`, or a list of slots, is allowed": ("--current", "stencil.npz"),
    "--fix 0=1,2: one slot for each rank": ("--fix", "0=1,2"),
    "--fix x=1: RANK=SLOT is allowed": ("--fix", "x=1"),
    "--fix 900: 900: the topology has the slots 0 .. 159": ("--fix", "0=900"),
    "--cost socket: unknown key": ("--cost", "socket=1"),
    "--cost core=-1: LEVEL=COST is allowed": ("--cost", "core=-1"),
    "--ranks 100": ("--ranks", "100"),
    "--output: allowed with --format only": ("--output", "x"),
    "--json: with --format, --output is required": ("--format", "slurm", "--json"),
    "--format keys: allowed without --oversubscribe only": ("--format", "keys", "--oversubscribe"),
    "--output nowhere/x: No such file or directory": ("--format", "slurm", "--output", "nowhere/x"),
}


@pytest.mark.parametrize("expected", BAD)
def test_impossible_request_gives_one_line_and_exit_code_2(placing: Any, site: Any, expected: str) -> None:
    site.write("two.json", '{"mapping": [0, 1]}')
    topology = () if BAD[expected][0] == "--topology" else ("--topology", "host:8 core:20")
    done = site.nereus("place", "--matrix", "stencil.npz", *topology, *BAD[expected])
    assert (done.code, done.out) == (2, "")
    assert expected in done.err and done.err.startswith("nereus: ") and done.err.count("\n") == 1


def test_monitored_program_is_placed(placing: Any, site: Any, mpich: str) -> None:
    build = choose(mpich)
    talks = site.program(mpich, "talks")
    command = launched(build, 4, talks, "p2p", site.folder)
    done = site.nereus("monitor", "-o", "record.jsonl", "--mpi", mpich, "--", *command)
    assert done.code == 0, done.err
    found = placing(matrix="record.jsonl", topology="host:2 core:2")
    assert found["ranks"] == 4 and 0 < found["cost"] <= found["costs"]["packed"]


def test_open_mpi_binds_ranks_to_the_cores_of_the_mapping(placing: Any, site: Any, openmpi: str) -> None:
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2 or cores[:2] != [0, 1]:
        pytest.skip("this host has no two cores that may be used")
    site.write("m.txt", "0 1\n1 0\n")
    options = ("--fix", "0=1", "--fix", "1=0", "--format", "openmpi", "--output", "ranks")
    placing(*options, matrix="m.txt", topology="here")
    rank, core = "os.environ['OMPI_COMM_WORLD_RANK']", "*os.sched_getaffinity(0)"
    show = f"import os; os.write(1, '{{}} {{}}\\n'.format({rank}, {core}).encode())"
    program = [str(choose(openmpi).mpiexec), "--allow-run-as-root", "--rankfile", "ranks", "-n", "2"]
    folder = Path(site.folder)
    out = subprocess.run(
        [*program, "python3", "-c", show],
        cwd=folder,
        env=site.environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert sorted(out.stdout.splitlines()) == ["0 1", "1 0"], out.stderr
