# SPDX-License-Identifier: BSD-3-Clause
"""What the monitor says a program sent is what it sent. The program is programs/talks.c."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from a_monitored_run import (
    added,
    collectives,
    in_a_part,
    launched,
    neighbours,
    pairs_of,
    point_to_point,
    record_of,
)
from commands import COMMAND
from faulty_application import LIMIT, wait_until

from nereus.launch import Build, builds, choose
from nereus.launch.preloading import LIBRARY

Recorded = Callable[[str, int], Any]


@pytest.fixture
def build(sampled_mpi: str) -> Build:
    return choose(sampled_mpi)


@pytest.fixture
def recorded(site: Any, build: Build) -> Recorded:
    """That of talks."""
    return lambda kind, ranks: record_of(site, build, kind, ranks)


@pytest.mark.parametrize("ranks", [1, 3, 8])
def test_each_message_is_counted_between_its_processes(recorded: Recorded, ranks: int) -> None:
    document = recorded("p2p", ranks)
    assert pairs_of(document, "point_to_point") == added(point_to_point(ranks))
    assert {pair["kind"] for pair in document["pairs"]} == {"point_to_point"}


def test_sizes_are_reported_by_powers_of_two(recorded: Recorded) -> None:
    document = recorded("p2p", 4)
    to_next = next(p for p in document["pairs"] if (p["source"], p["destination"]) == (2, 3))
    assert to_next["histogram"] == {"0": 1, "9": 3}, "one of 0 bytes, three of 300: 256 to 511"


def test_split_communicator_does_not_change_ranks(recorded: Recorded) -> None:
    assert pairs_of(recorded("split", 5), "point_to_point") == added(in_a_part(5))


@pytest.mark.parametrize("ranks", [1, 8])
def test_collective_is_counted_by_its_meaning(recorded: Recorded, ranks: int) -> None:
    assert pairs_of(recorded("collective", ranks), "collective") == added(collectives(ranks))


def test_in_place_data_is_no_message_and_needs_no_type(site: Any, mpi: str) -> None:
    """Also where a model must know what each rank has."""
    expected = {}
    for source in range(4):
        for destination in range(4):
            calls = 3 + (3 if destination == 0 else 0) + (1 if source == 0 else 0)
            if source != destination:
                expected[source, destination] = (calls, 8 * calls)
    for model in ("off", "on"):
        document = record_of(site, choose(mpi), "inplace", 4, NEREUS_MONITOR_MODEL=model)
        assert pairs_of(document, "collective") == expected


def test_neighbourhood_collectives_count_the_actual_receivers(recorded: Recorded) -> None:
    assert pairs_of(recorded("neighbours", 4), "collective") == added(neighbours(4))


@pytest.mark.parametrize("module", ["f90", "f08"])
def test_fortran_calls_are_counted_once(site: Any, openmpi_debian: str, module: str) -> None:
    document = record_of(site, choose(openmpi_debian), "", 3, f"talks_{module}")
    assert pairs_of(document, "point_to_point") == {(r, (r + 1) % 3): (3, 56) for r in range(3)}
    assert pairs_of(document, "collective") == {(a, b): (2, 32) for a in range(3) for b in range(3) if a != b}


def test_puts_are_outgoing_and_gets_incoming(recorded: Recorded) -> None:
    document = recorded("onesided", 3)
    assert pairs_of(document, "put") == {(rank, (rank + 1) % 3): (1, 64) for rank in range(3)}
    assert pairs_of(document, "get") == {((rank + 1) % 3, rank): (1, 32) for rank in range(3)}


def test_messages_between_worlds_are_counted_between_their_processes(site: Any, mpi: str) -> None:
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


def test_resized_job_is_reported_by_generations(site: Any, mpich: str) -> None:
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


def test_program_that_initialises_mpi_twice_keeps_its_record(site: Any, build: Build) -> None:
    talks = site.program(build.name, "talks")
    launch = launched(build, 2, talks, "twice")
    site.nereus("monitor", "-o", "record.jsonl", "--mpi", build.name, "--", *launch)
    document = site.nereus("report", "record.jsonl", "--json").document
    assert [world["ranks"] for world in document["worlds"]] == [2]
    assert len([row for row in document["processes"] if row["host"]]) == 2


def test_file_traffic_is_reported_for_each_process_from_open_to_close(recorded: Recorded) -> None:
    files = recorded("io", 2)["files"]
    assert [(f["rank"], f["write_bytes"], f["write_messages"], f["read_bytes"]) for f in files] == [
        (0, 20, 2, 5),
        (1, 20, 2, 5),
    ]
    assert all(f["file"].endswith("talks.dat") for f in files)
    assert all(f["opened_unix"] <= f["closed_unix"] for f in files)


def test_kinds_are_counted_equally_alone_and_together(site: Any, mpi: str) -> None:
    document = record_of(site, choose(mpi), "all", 4)
    together = added(iter([*point_to_point(4), *in_a_part(4)]))
    assert pairs_of(document, "point_to_point") == together
    assert pairs_of(document, "collective") == added(iter([*collectives(4), *neighbours(4)]))


def test_cbor_record_has_the_same_content_as_json(site: Any, build: Build) -> None:
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
def test_messages_before_a_bad_end_are_kept(site: Any, build: Build, how: str) -> None:
    talks = site.program(build.name, "talks")
    done = site.nereus(
        "monitor", "-o", "record.jsonl", "--mpi", build.name, "--", *launched(build, 3, talks, how)
    )
    assert done.code != 0
    document = site.nereus("report", "record.jsonl", "--json").document
    assert pairs_of(document, "point_to_point") == added(point_to_point(3))
    assert document["exit_code"] == done.code
    assert "ended before MPI_Finalize" in done.err


def test_environment_variable_is_enough(site: Any, build: Build) -> None:
    library = build.prefix / "lib" / "libnereus-monitor.so"
    name = "LD_PRELOAD"
    environment = {**site.environment, name: str(library), "OMPI_MCA_mca_base_env_list": name}
    talks = site.program(build.name, "talks")
    subprocess.run(launched(build, 2, talks, "p2p"), env=environment, cwd=site.folder, check=True, timeout=60)
    (record,) = site.folder.glob("nereus-monitor-*")
    document = site.nereus("report", record.name, "--json").document
    assert pairs_of(document, "point_to_point") == added(point_to_point(2))


def test_full_disk_loses_only_the_record_and_is_reported(site: Any, build: Build) -> None:
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


def test_truncated_file_is_read_up_to_the_cut(site: Any, recorded: Recorded) -> None:
    recorded("p2p", 4)
    whole = (site.folder / "record.jsonl").read_bytes()
    (site.folder / "cut.jsonl").write_bytes(whole[: len(whole) * 2 // 3])
    document = site.nereus("report", "cut.jsonl", "--json").document
    assert "cut.jsonl:" in document["broken_off"]
    assert document["pairs"], "what stands before the cut"


def test_command_without_mpi_is_reported_as_not_recorded(site: Any) -> None:
    done = site.nereus("monitor", "-o", "record.jsonl", "--mpi", builds()[0].name, "--", "true")
    assert done.code == 0
    assert "nothing is recorded" in done.err
    assert site.nereus("report", "record.jsonl", "--json").document["unseen"]


def test_sessions_are_recorded_once_all_have_a_communicator(site: Any, mpich: str) -> None:
    document = record_of(site, choose(mpich), "", 3, "sessions")
    assert pairs_of(document, "point_to_point") == {(rank, (rank + 1) % 3): (1, 8) for rank in range(3)}
    assert len(pairs_of(document, "collective")) == 6
    assert [(world["ranks"], world["missing"]) for world in document["worlds"]] == [(3, [])]


def test_sessions_with_reordered_communicator_use_the_ranks_of_all(site: Any, mpich: str) -> None:
    document = record_of(site, choose(mpich), "reversed", 3, "sessions")
    assert pairs_of(document, "point_to_point") == {(2, 1): (1, 8), (1, 0): (1, 8), (0, 2): (1, 8)}


def test_restarted_sessions_are_another_world(site: Any, mpich: str) -> None:
    document = record_of(site, choose(mpich), "twice", 2, "sessions")
    assert [(world["ranks"], world["missing"]) for world in document["worlds"]] == [(2, [])] * 2


def test_sessions_without_a_common_communicator_are_reported_as_not_recorded(site: Any, mpich: str) -> None:
    command = launched(choose(mpich), 2, site.program(mpich, "sessions"), "alone")
    done = site.nereus("monitor", "-o", "record.jsonl", "--mpi", mpich, "--", *command)
    assert done.code == 0
    assert "nothing is recorded" in done.err


def test_sessions_with_unmonitored_processes_continue_without_a_record(site: Any, mpich: str) -> None:
    """MPMD: only the second process has it."""
    build = choose(mpich)
    sessions = str(site.program(mpich, "sessions"))
    other = ["-env", "LD_PRELOAD", str(build.prefix / LIBRARY), sessions]
    command = [str(build.mpiexec), "-n", "1", sessions, ":", "-n", "1", *other]
    done = subprocess.run(command, env=site.environment, cwd=site.folder, check=False, timeout=60)
    assert done.returncode == 0
    assert not list(site.folder.iterdir())


def test_exit_code_is_that_of_the_command(site: Any) -> None:
    done = site.nereus("monitor", "-o", "r.jsonl", "--mpi", builds()[0].name, "--", "sh", "-c", "exit 7")
    assert done.code == 7


def test_unknown_launcher_is_refused(site: Any) -> None:
    done = site.nereus("monitor", "--", "env")
    assert done.code == 2
    assert "--mpi" in done.err
    assert not list(site.folder.glob("nereus-monitor-*")), "nothing was started"


def test_invalid_setting_is_reported_and_the_run_continues(site: Any, recorded: Recorded) -> None:
    site.environment["NEREUS_MONITOR_WINDOWS"] = "few"
    document = recorded("p2p", 2)
    assert any("NEREUS_MONITOR_WINDOWS=few" in row["why"] for row in document["unseen"])


def test_top_shows_traffic_while_the_program_runs(site: Any, build: Build) -> None:
    talks = site.program(build.name, "talks")
    command = launched(build, 2, talks, "busy", "enough")
    with site.started("monitor", "-o", "record.jsonl", "--mpi", build.name, "--", *command) as process:
        header = site.folder / "record.jsonl"
        wait_until(lambda: header.exists() and header.stat().st_size > 0)
        run = json.loads(header.read_text().splitlines()[0])["run"]
        wait_until(lambda: bool(list(Path("/dev/shm").glob(f"nereus-{run}-monitor-*/*.part"))))

        def shows_traffic() -> bool:
            shown = site.nereus("top", run, "--json", "--samples", "2", "--interval", "0.3")
            assert shown.code == 0, shown.err
            looks = [json.loads(line) for line in shown.out.splitlines()]
            assert len(looks) == 2
            found = {one["rank"]: one for one in looks[-1]["processes"]}
            return [found[rank]["peer"] for rank in sorted(found)] == [1, 0] and all(
                one["point_to_point"]["messages_per_second"] > 10 for one in found.values()
            )

        wait_until(shows_traffic)
        (site.folder / "enough").touch()
        assert process.wait(LIMIT) == 0


def test_top_follows_a_job_through_its_resizes(site: Any, mpich: str) -> None:
    program = choose(mpich).prefix / "bin" / "nereus-cg"
    options = ("--poisson", "96", "--iterations", "100000", "--tolerance", "0", "--resize", "10:3")
    site.environment["NEREUS_PROCESS_STRATEGIES"] = "none"
    command = [*COMMAND, "run", "--mpi", mpich, "-n", "2", "--", str(program), *options]

    with site.started("monitor", "-o", "record.jsonl", "--mpi", mpich, "--", *command) as process:
        job = process.stderr.readline().split()[1].rstrip(":")

        def latest() -> list[Any]:
            shown = site.nereus("top", job, "--json", "--samples", "1", "--interval", "0.2")
            return json.loads(shown.out)["processes"] if shown.code == 0 and shown.out else []

        wait_until(lambda: [one["job_rank"] for one in latest()] == [0, 1, 2])
        assert {one["generation"] for one in latest()} == {1}


def test_top_without_run_explains_how_to_start_one(site: Any) -> None:
    done = site.nereus("top", "nobodys-run")
    assert done.code == 2
    assert "JOB = nobodys-run: " in done.err
    assert (
        "`nereus monitor` begins one" in done.err or "monitored on this host are: " in done.err
    )  # by others


def test_picture_is_drawn(site: Any, recorded: Recorded) -> None:
    recorded("all", 4)
    done = site.nereus("report", "record.jsonl", "--csv", "--picture", "p.png")
    assert done.code == 0, done.err
    assert (site.folder / "p.png").stat().st_size > 10_000
    assert (site.folder / "record.pairs.csv").exists()
