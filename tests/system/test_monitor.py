# SPDX-License-Identifier: BSD-3-Clause
"""What the monitor says a program sent is what it sent. The program is programs/talks.c."""

import json
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from faulty_application import wait_until

from conftest import COMMAND
from nereus.launch import Build, builds, choose
from nereus.launch.preloading import COMPONENTS

Pairs = dict[tuple[int, int], tuple[int, int]]  # source, destination: messages, bytes


def launched(build: Build, ranks: int, *program: str | Path) -> list[str]:
    options = ["--oversubscribe", "--allow-run-as-root"] if build.kind == "openmpi" else []
    return [str(build.mpiexec), *options, "-n", str(ranks), *map(str, program)]


@pytest.fixture
def build(sampled_mpi: str) -> Build:
    return choose(sampled_mpi)


def record_of(
    site: Any,
    build: Build,
    kind: str,
    ranks: int,
    program: str = "talks",
    sensor: str = "wrappers",
    **environment: str,
) -> Any:
    """The document of a run that was monitored."""
    talks = site.program(build.name, program)
    command = launched(build, ranks, talks, kind, site.folder)
    options = ("-o", "record.jsonl", "--mpi", build.name, "--sensor", sensor)
    done = site.nereus("monitor", *options, "--", *command, **environment)
    assert done.code == 0, done.err
    return site.nereus("report", "record.jsonl", "--json").document


Recorded = Callable[[str, int], Any]


@pytest.fixture
def recorded(site: Any, build: Build) -> Recorded:
    """That of talks."""
    return lambda kind, ranks: record_of(site, build, kind, ranks)


def pairs_of(document: Any, kind: str) -> Pairs:
    return {
        (pair["source"], pair["destination"]): (pair["messages"], pair["bytes"])
        for pair in document["pairs"]
        if pair["kind"] == kind
    }


def added(parts: Iterator[tuple[int, int, int, int]]) -> Pairs:
    """Of source, destination, messages, bytes."""
    messages: Counter[tuple[int, int]] = Counter()
    moved: Counter[tuple[int, int]] = Counter()
    for source, destination, number, size in parts:
        messages[source, destination] += number
        moved[source, destination] += size
    return {pair: (messages[pair], moved[pair]) for pair in messages}


def point_to_point(n: int) -> Iterator[tuple[int, int, int, int]]:
    for rank in range(n):
        yield rank, (rank + 1) % n, 3, 300 * (rank + 1)
        yield rank, (rank - 1) % n, 2, 16
        yield rank, (rank + 1) % n, 1, 0


def in_a_part(n: int) -> Iterator[tuple[int, int, int, int]]:
    """Ranks of a half are in reverse order, and each sends to the one before it: the next in the world."""
    for rank in range(n):
        half = [other for other in range(n) if other % 2 == rank % 2]
        yield rank, half[(half.index(rank) + 1) % len(half)], 1, 16


def collectives(n: int) -> Iterator[tuple[int, int, int, int]]:
    for rank in range(n):
        for other in range(n):
            if other == rank:
                continue
            yield rank, other, 3, 16  # two allreduce of 8 bytes, a barrier
            if rank == 0:
                yield rank, other, 2, 1000 + 4 * (other + 1)  # bcast, scatterv
            if other == n - 1:
                yield rank, other, 1, 40  # reduce
            if other > rank:
                yield rank, other, 1, 12  # scan


def neighbours(n: int) -> Iterator[tuple[int, int, int, int]]:
    for rank in range(n):
        for other in (rank - 1, rank + 1):
            if 0 <= other < n:
                yield rank, other, 1, 4
        if n > 1:
            yield rank, (rank + 1) % n, 1, 6


@pytest.mark.parametrize("ranks", [1, 3, 8])
def test_each_message_is_counted_between_the_processes_that_it_went_between(
    recorded: Recorded, ranks: int
) -> None:
    document = recorded("p2p", ranks)
    assert pairs_of(document, "point_to_point") == added(point_to_point(ranks))
    assert {pair["kind"] for pair in document["pairs"]} == {"point_to_point"}


def test_sizes_are_told_by_powers_of_two(recorded: Recorded) -> None:
    document = recorded("p2p", 4)
    to_next = next(p for p in document["pairs"] if (p["source"], p["destination"]) == (2, 3))
    assert to_next["histogram"] == {"0": 1, "9": 3}, "one of 0 bytes, three of 300: 256 to 511"


def test_a_split_communicator_changes_nothing_of_who_is_who(recorded: Recorded) -> None:
    assert pairs_of(recorded("split", 5), "point_to_point") == added(in_a_part(5))


@pytest.mark.parametrize("ranks", [1, 8])
def test_a_collective_is_what_it_means(recorded: Recorded, ranks: int) -> None:
    assert pairs_of(recorded("collective", ranks), "collective") == added(collectives(ranks))


def test_neighbours_on_a_grid_and_on_a_graph_are_those_that_are_sent_to(recorded: Recorded) -> None:
    assert pairs_of(recorded("neighbours", 4), "collective") == added(neighbours(4))


def test_a_collective_is_seen_as_the_messages_that_open_mpi_makes_of_it(site: Any, openmpi: str) -> None:
    """A reduce by the binary tree on eight ranks has seven messages (Bosilca et al. 2017, section 6.3)."""
    tree = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_reduce_algorithm": "4"}
    document = record_of(site, choose(openmpi), "reduce", 8, **tree)
    if document["worlds"][0]["decomposed"] is None:
        pytest.skip("this build cannot see what Open MPI sends: its inner headers were not there")
    seen = {pair: moved for pair, moved in pairs_of(document, "decomposed").items() if moved[1] >= 4_000_000}
    edges = [(1, 0), (2, 0), (3, 1), (4, 2), (5, 1), (6, 2), (7, 3)]
    assert {pair: size for pair, (_, size) in seen.items()} == dict.fromkeys(edges, 4_000_000)
    assert set(pairs_of(document, "collective")) == {(rank, 0) for rank in range(1, 8)}


def by_open_mpi(site: Any, build: Build, kind: str, ranks: int) -> Any:
    """The document of a run under Open MPI's own monitoring."""
    for file in site.folder.glob("theirs.*.prof"):
        file.unlink()
    names = {"enable": "2", "enable_output": "3", "filename": str(site.folder / "theirs")}
    own = {f"OMPI_MCA_pml_monitoring_{name}": value for name, value in names.items()}
    talks = site.program(build.name, "talks")
    command = launched(build, ranks, talks, kind, site.folder)
    subprocess.run(command, env=site.environment | own, cwd=site.folder, check=True, timeout=60)
    return site.nereus("report", "theirs.0.prof", "--json").document


def without(pairs: Pairs, fewer: Pairs) -> Pairs:
    """What MPI_Init, MPI_Finalize and a monitor's own work cost is in a run that does nothing, too."""
    left = {
        pair: (messages - fewer.get(pair, (0, 0))[0], size - fewer.get(pair, (0, 0))[1])
        for pair, (messages, size) in pairs.items()
    }
    return {pair: counted for pair, counted in left.items() if counted != (0, 0)}


@pytest.mark.parametrize("kind", ["p2p", "split", "reduce", "collective", "onesided"])
def test_it_agrees_with_the_monitoring_of_open_mpi_pair_by_pair(site: Any, openmpi: str, kind: str) -> None:
    """On all that this sees: persistent requests it does not, and it counts a get as an empty put too."""
    build, ranks = choose(openmpi), 4
    ours, theirs = record_of(site, build, kind, ranks), by_open_mpi(site, build, kind, ranks)
    idle, their_idle = record_of(site, build, "nothing", ranks), by_open_mpi(site, build, "nothing", ranks)
    if ours["worlds"][0]["decomposed"] is None:
        pytest.skip("this build cannot see what Open MPI sends: its inner headers were not there")
    persistent = {(r, (r - 1) % ranks): (2, 16) for r in range(ranks)} if kind == "p2p" else {}
    assert without(pairs_of(ours, "point_to_point"), persistent) == pairs_of(theirs, "point_to_point")
    made, their_made = (pairs_of(document, "decomposed") for document in (ours, theirs))
    before, their_before = (pairs_of(document, "decomposed") for document in (idle, their_idle))
    assert without(made, before) == without(their_made, their_before)
    assert without(made, before) or kind == "p2p"
    empty = pairs_of(ours, "get")
    puts = {
        pair: (messages + (1 if empty else 0), size)
        for pair, (messages, size) in pairs_of(ours, "put").items()
    }
    assert puts == pairs_of(theirs, "put")
    assert empty == pairs_of(theirs, "get")


@pytest.fixture
def with_components(openmpi: str) -> Build:
    build = choose(openmpi)
    if not (build.prefix / COMPONENTS).exists():
        pytest.skip("there are no components: the inner headers of Open MPI were not there")
    return build


def test_components_see_of_the_program_what_wrappers_see(site: Any, with_components: Build) -> None:
    """But for files. Collectives of Open MPI's own, and messages of its files, are not the program's."""
    seen, wrapped = (
        record_of(site, with_components, "all", 4, sensor=sensor) for sensor in ("components", "wrappers")
    )
    assert seen["worlds"][0]["sensor"] == "components of Open MPI"
    for kind in ("point_to_point", "put", "get"):
        assert pairs_of(seen, kind) == pairs_of(wrapped, kind) != {}
    assert pairs_of(seen, "collective") == added(iter([*collectives(4), *neighbours(4)]))
    assert set(pairs_of(seen, "decomposed")) == set(pairs_of(wrapped, "decomposed"))
    assert any("files" in row["what"] for row in seen["unseen"])


def test_components_see_calls_of_fortran_once(site: Any, with_components: Build) -> None:
    document = record_of(site, with_components, "", 3, "talks_f08", "components")
    assert pairs_of(document, "point_to_point") == {(r, (r + 1) % 3): (3, 56) for r in range(3)}
    assert pairs_of(document, "collective") == {(a, b): (2, 32) for a in range(3) for b in range(3) if a != b}


def test_components_leave_the_calls_to_another_tool(site: Any, with_components: Build) -> None:
    tool = site.program(with_components.name, "libcounts_sends.so")
    talks = site.program(with_components.name, "talks")
    launch = launched(with_components, 2, talks, "p2p")
    launch[1:1] = ["-x", f"LD_PRELOAD={tool}"]
    options = ("-o", "record.jsonl", "--mpi", with_components.name, "--sensor", "components")
    done = site.nereus("monitor", *options, "--", *launch)
    assert done.code == 0, done.err
    assert done.err.count("calls of MPI_Isend: 3") == 2
    assert "forwards variables by -x" in done.err
    document = site.nereus("report", "record.jsonl", "--json").document
    assert pairs_of(document, "point_to_point") == added(point_to_point(2))


def test_an_mpi_without_components_is_told_so(site: Any, mpich: str) -> None:
    launch = launched(choose(mpich), 2, "true")
    done = site.nereus("monitor", "-o", "r.jsonl", "--mpi", mpich, "--sensor", "components", "--", *launch)
    assert done.code == 2
    assert "no components of the monitor" in done.err
    assert not (site.folder / "r.jsonl").exists()


def test_where_nobody_sees_what_collectives_are_made_of_a_model_tells_it_and_says_so(
    site: Any, mpich: str
) -> None:
    assert record_of(site, choose(mpich), "collective", 5)["worlds"][0]["decomposed"] is None
    document = record_of(site, choose(mpich), "collective", 5, NEREUS_MONITOR_MODEL="on")
    assert "model" in document["worlds"][0]["decomposed"]
    made = pairs_of(document, "decomposed")
    assert made[0, 4] == (5, 1000 + 40 + 20 + 12), "of bcast, reduce, scatterv, scan, barrier"
    assert made[0, 1] == (6, 1000 + 2 * 8 + 8 + 12), "of bcast, two allreduce, scatterv, scan, barrier"


@pytest.mark.parametrize(("kind", "ranks"), [("collective", 3), ("collective", 8), ("reduce", 5)])
def test_the_model_tells_what_mpich_hands_to_ucx(site: Any, mpich: str, kind: str, ranks: int) -> None:
    """Message by message, where MPICH is told to know of no hosts, so that all of them go that way."""
    build = choose(mpich)
    seen = record_of(site, build, kind, ranks, MPIR_CVAR_NOLOCAL="1")
    if seen["worlds"][0]["decomposed"] is None:
        (why,) = [row["why"] for row in seen["unseen"] if "decomposed" in row["what"]]
        pytest.skip(f"messages of this MPICH are not seen: {why}")
    told = record_of(site, build, kind, ranks, NEREUS_MONITOR_MODEL="on")
    assert "UCX" in seen["worlds"][0]["decomposed"]
    assert "model" in told["worlds"][0]["decomposed"]
    assert pairs_of(seen, "decomposed") == pairs_of(told, "decomposed") != {}


@pytest.mark.parametrize("module", ["f90", "f08"])
def test_calls_of_fortran_are_counted_once(site: Any, openmpi: str, module: str) -> None:
    document = record_of(site, choose(openmpi), "", 3, f"talks_{module}")
    assert pairs_of(document, "point_to_point") == {(r, (r + 1) % 3): (3, 56) for r in range(3)}
    assert pairs_of(document, "collective") == {(a, b): (2, 32) for a in range(3) for b in range(3) if a != b}


def test_puts_go_out_and_gets_come_in(recorded: Recorded) -> None:
    document = recorded("onesided", 3)
    assert pairs_of(document, "put") == {(rank, (rank + 1) % 3): (1, 64) for rank in range(3)}
    assert pairs_of(document, "get") == {((rank + 1) % 3, rank): (1, 32) for rank in range(3)}


def test_messages_between_worlds_stand_with_those_that_they_went_between(site: Any, mpi: str) -> None:
    """Three processes spawn two, talk to them, and make one communicator of all."""
    document = record_of(site, choose(mpi), "", 3, "spawns")
    sizes = {world["world"]: world["ranks"] for world in document["worlds"]}
    assert sorted(sizes.values()) == [2, 3]
    everyone = range(5)
    parent, *_ = [at for at in everyone if sizes[document["processes"][at]["world"]] == 3]
    children = [at for at in everyone if sizes[document["processes"][at]["world"]] == 2]
    sent = {(parent, child): (5, 200) for child in children} | {(child, parent): (1, 8) for child in children}
    assert pairs_of(document, "point_to_point") == sent
    assert pairs_of(document, "collective") == {(a, b): (1, 8) for a in everyone for b in everyone if a != b}


def test_a_resized_job_is_told_by_generations_whoever_left_and_came(site: Any, mpich: str) -> None:
    program = choose(mpich).prefix / "bin" / "nereus-cg"
    resizes = ("--resize", "20:3", "--resize", "40:1")
    options = ("--poisson", "8", "--iterations", "60", "--tolerance", "0", *resizes)
    command = [*COMMAND, "run", "--mpi", mpich, "-n", "2", "--", str(program), *options]
    site.environment["NEREUS_PROCESS_STRATEGIES"] = "none"  # iterations wait for newcomers
    done = site.nereus("monitor", "-o", "record.jsonl", "--mpi", mpich, "--", *command)
    assert done.code == 0, done.err
    document = site.nereus("report", "record.jsonl", "--json").document
    assert sorted(world["ranks"] for world in document["worlds"]) == [1, 2]
    ranks = {
        (generation, rank)
        for process in document["processes"]
        for generation, rank in process["generations"].items()
    }
    assert ranks == {("0", 0), ("0", 1), ("1", 0), ("1", 1), ("1", 2), ("2", 0)}
    gathered = {
        (pair["source"], pair["destination"]): pair["messages"]
        for pair in document["pairs"]
        if pair["generation"] == 1 and pair["kind"] == "collective"
    }
    assert len(gathered) == 6, "each of three to each other"
    assert not [row for row in document["unseen"] if "world" in row["what"]]
    shown = site.nereus("report", "record.jsonl")
    assert "In generations of the job" in shown.out
    assert "that no record names" not in shown.out


def test_two_tools_at_once_are_told_of_and_the_program_runs(site: Any, build: Build) -> None:
    """Who comes first in LD_PRELOAD gets the calls: the monitor, where it is started last."""
    tool = site.program(build.name, "libcounts_sends.so")
    site.environment["LD_PRELOAD"] = str(tool)
    document = record_of(site, build, "p2p", 2)
    (why,) = [row["why"] for row in document["unseen"] if row["what"] == "another tool"]
    assert "libcounts_sends.so" in why
    assert pairs_of(document, "point_to_point") == added(point_to_point(2))


def test_a_program_that_initialises_mpi_twice_keeps_its_record(site: Any, build: Build) -> None:
    talks = site.program(build.name, "talks")
    launch = launched(build, 2, talks, "twice")
    site.nereus("monitor", "-o", "record.jsonl", "--mpi", build.name, "--", *launch)
    document = site.nereus("report", "record.jsonl", "--json").document
    assert [world["ranks"] for world in document["worlds"]] == [2]
    assert len([row for row in document["processes"] if row["host"]]) == 2


def test_what_a_file_got_is_told_for_each_process_from_open_to_close(recorded: Recorded) -> None:
    files = recorded("io", 2)["files"]
    assert [(f["rank"], f["write_bytes"], f["write_messages"], f["read_bytes"]) for f in files] == [
        (0, 20, 2, 5),
        (1, 20, 2, 5),
    ]
    assert all(f["file"].endswith("talks.dat") for f in files)
    assert all(f["opened_unix"] <= f["closed_unix"] for f in files)


def test_kinds_are_the_same_alone_and_together_with_either_mpi(site: Any, mpi: str) -> None:
    document = record_of(site, choose(mpi), "all", 4)
    together = added(iter([*point_to_point(4), *in_a_part(4)]))
    assert pairs_of(document, "point_to_point") == together
    assert pairs_of(document, "collective") == added(iter([*collectives(4), *neighbours(4)]))


def test_a_record_in_cbor_says_the_same(site: Any, build: Build) -> None:
    talks = site.program(build.name, "talks")
    for name in ("json", "cbor"):
        command = launched(build, 3, talks, "all", site.folder)
        options = ("-o", f"record.{name}", "--format", name, "--mpi", build.name)
        done = site.nereus("monitor", *options, "--", *command)
        assert done.code == 0, done.err
    ours, theirs = (site.nereus("report", f"record.{name}", "--json").document for name in ("json", "cbor"))
    assert pairs_of(ours, "collective") == pairs_of(theirs, "collective") != {}
    assert theirs["worlds"][0]["ranks"] == 3 and theirs["exit_code"] == 0


@pytest.mark.parametrize("how", ["aborts", "dies"])
def test_what_was_sent_before_a_bad_end_is_kept(site: Any, build: Build, how: str) -> None:
    talks = site.program(build.name, "talks")
    done = site.nereus(
        "monitor", "-o", "record.jsonl", "--mpi", build.name, "--", *launched(build, 3, talks, how)
    )
    assert done.code != 0
    document = site.nereus("report", "record.jsonl", "--json").document
    assert pairs_of(document, "point_to_point") == added(point_to_point(3))
    assert document["exit_code"] == done.code
    assert "ended before MPI_Finalize" in done.err


def test_one_line_of_environment_is_enough(site: Any, build: Build) -> None:
    library = build.prefix / "lib" / "libnereus-monitor.so"
    name = "LD_PRELOAD"
    environment = {**site.environment, name: str(library), "OMPI_MCA_mca_base_env_list": name}
    talks = site.program(build.name, "talks")
    subprocess.run(launched(build, 2, talks, "p2p"), env=environment, cwd=site.folder, check=True, timeout=60)
    (record,) = site.folder.glob("nereus-monitor-*")
    document = site.nereus("report", record.name, "--json").document
    assert pairs_of(document, "point_to_point") == added(point_to_point(2))


def test_a_full_disk_costs_the_file_and_says_so(site: Any, build: Build) -> None:
    library = build.prefix / "lib" / "libnereus-monitor.so"
    environment = {
        **site.environment,
        "LD_PRELOAD": str(library),
        "NEREUS_MONITOR_FILE": "/dev/full",
        "NEREUS_MONITOR_PARTS": str(site.folder / "parts"),
    }
    talks = site.program(build.name, "talks")
    done = subprocess.run(
        launched(build, 2, talks, "p2p"),
        env=environment,
        cwd=site.folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert "No space left on device" in done.stderr
    parts = sorted((site.folder / "parts").iterdir())
    assert len(parts) == 2
    lines = subprocess.run(
        [build.program("nereus-parts"), *parts], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert sum(json.loads(line)["event"] == "process" for line in lines) == 2


def test_a_cut_file_is_read_up_to_the_cut(site: Any, recorded: Recorded) -> None:
    recorded("p2p", 4)
    whole = (site.folder / "record.jsonl").read_bytes()
    (site.folder / "cut.jsonl").write_bytes(whole[: len(whole) * 2 // 3])
    document = site.nereus("report", "cut.jsonl", "--json").document
    assert "cut.jsonl:" in document["broken_off"]
    assert document["pairs"], "what stands before the cut"


def test_a_command_without_mpi_is_told_that_nothing_was_recorded(site: Any) -> None:
    done = site.nereus("monitor", "-o", "record.jsonl", "--mpi", builds()[0].name, "--", "true")
    assert done.code == 0
    assert "nothing is recorded" in done.err


def test_the_exit_code_is_that_of_the_command(site: Any) -> None:
    done = site.nereus("monitor", "-o", "r.jsonl", "--mpi", builds()[0].name, "--", "sh", "-c", "exit 7")
    assert done.code == 7


def test_a_launcher_that_is_not_known_is_refused(site: Any) -> None:
    done = site.nereus("monitor", "--", "env")
    assert done.code == 2
    assert "--mpi" in done.err
    assert not list(site.folder.glob("nereus-monitor-*")), "nothing was started"


def test_a_setting_that_is_not_allowed_is_told_and_the_run_goes_on(site: Any, recorded: Recorded) -> None:
    site.environment["NEREUS_MONITOR_WINDOWS"] = "few"
    document = recorded("p2p", 2)
    assert any("NEREUS_MONITOR_WINDOWS=few" in row["why"] for row in document["unseen"])


def test_top_shows_what_is_sent_while_the_program_runs(site: Any, build: Build) -> None:
    talks = site.program(build.name, "talks")
    command = launched(build, 2, talks, "busy", "3")
    with site.started("monitor", "-o", "record.jsonl", "--mpi", build.name, "--", *command) as process:
        header = site.folder / "record.jsonl"
        wait_until(lambda: header.exists() and header.stat().st_size > 0)
        run = json.loads(header.read_text().splitlines()[0])["run"]
        wait_until(lambda: bool(list(Path("/dev/shm").glob(f"nereus-{run}-monitor-*/*.part"))))
        shown = site.nereus("top", run, "--json", "--samples", "2", "--interval", "0.3")
        assert shown.code == 0, shown.err
        assert process.wait(30) == 0
    looks = [json.loads(line) for line in shown.out.splitlines()]
    assert len(looks) == 2
    for process_shown in looks[-1]["processes"]:
        assert process_shown["point_to_point"]["messages_per_second"] > 100
        assert process_shown["peer"] == 1 - process_shown["rank"]


def test_top_without_a_run_says_how_to_begin_one(site: Any) -> None:
    done = site.nereus("top", "nobodys-run")
    assert done.code == 2
    assert "nereus monitor" in done.err


def test_what_a_call_costs_is_told_with_the_sensor_and_without(site: Any, build: Build) -> None:
    small = ("--ranks", "2", "--calls", "send", "--bytes", "0,4096", "--repeat", "3")
    done = site.nereus("bench", "monitor", "--mpi", build.name, *small, "--json")
    assert done.code == 0, done.err
    rows = done.document["rows"]
    sensors = {row["sensor"] for row in rows}
    assert sensors >= ({"pmpi", "openmpi"} if build.kind == "openmpi" else {"pmpi"})
    assert {(row["sensor"], row["bytes"]) for row in rows} == {(s, b) for s in sensors for b in (0, 4096)}
    assert all(row["on_nanoseconds"] > 0 and row["repeats"] >= 3 for row in rows)


def test_the_picture_is_drawn(site: Any, recorded: Recorded) -> None:
    recorded("all", 4)
    done = site.nereus("report", "record.jsonl", "--csv", "--picture", "p.png")
    assert done.code == 0, done.err
    assert (site.folder / "p.png").stat().st_size > 10_000
    assert (site.folder / "record.pairs.csv").exists()
