# SPDX-License-Identifier: BSD-3-Clause
"""`nereus trace` and `nereus export` with real programs: talks.c, receives.c, spawns.c, a resized job."""

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from a_monitored_run import Pairs, launched
from commands import COMMAND
from test_daemon import daemon, job

from nereus.analysis.monitor.reader import read
from nereus.analysis.monitor.table import calls
from nereus.analysis.trace.model import Timeline
from nereus.analysis.trace.run import read_run
from nereus.launch import Build, choose

# As the record has them. One call each of those that wait has no such name.
COLLECTIVES = {
    "allgather": ("Allgather",),
    "allreduce": ("Allreduce",),
    "alltoall": ("Alltoall", "Alltoallv", "Ialltoallv"),
    "barrier": ("Barrier", "Ibarrier"),
    "bcast": ("Bcast",),
    "neighbor_allgather": ("Neighbor_allgather",),
    "neighbor_alltoall": ("Neighbor_alltoall", "Neighbor_alltoallv", "Neighbor_alltoallw"),
    "reduce": ("Reduce",),
    "scan": ("Scan",),
    "scatter": ("Scatterv",),
}


@pytest.fixture
def build(mpi: str) -> Build:
    return choose(mpi)


def traced(
    site: Any, build: Build, ranks: int, program: str, *words: str, options: tuple[str, ...] = ()
) -> Timeline:
    command = launched(build, ranks, site.program(build.name, program), *words)
    done = site.nereus("trace", "--mpi", build.name, "-o", "traced", *options, "--", *command)
    assert done.code == 0, done.err
    return read_run(site.folder / "traced")


def report(site: Any) -> Any:
    """What the monitor recorded in the same run."""
    return site.nereus("report", "traced/record.jsonl", "--json").document


def pairs_of(run: Timeline) -> Pairs:
    """Messages and bytes by source and destination in a world."""
    messages: Counter[tuple[int, int]] = Counter()
    moved: Counter[tuple[int, int]] = Counter()
    for message in run.messages:
        pair = run.tracks[message["source"]].rank, run.tracks[message["destination"]].rank
        messages[pair] += 1
        moved[pair] += int(message["bytes"])
    return {pair: (messages[pair], moved[pair]) for pair in messages}


def calls_of(run: Timeline) -> Counter[str]:
    return Counter(
        track.names[name] for track in run.tracks for name in track.name.tolist() if track.names[name]
    )


@pytest.mark.parametrize("kind", ["p2p", "split", "collective", "neighbours"])
def test_trace_has_the_messages_and_collectives_that_the_monitor_counts(
    site: Any, build: Build, kind: str
) -> None:
    run = traced(site, build, 3, "talks", kind)
    counted = {
        (pair["source"], pair["destination"]): (pair["messages"], pair["bytes"])
        for pair in report(site)["pairs"]
        if pair["kind"] == "point_to_point"
    }
    assert pairs_of(run) == counted
    assert site.nereus("report", "traced", "--json").document == report(site)
    assert run.unmatched == 0
    assert run.notes == []
    made = calls_of(run)
    for call, times in calls(read(site.folder / "traced" / "record.jsonl")).items():
        assert sum(made[name] for name in COLLECTIVES[call]) == times, call


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_each_message_has_an_arrow_however_it_is_received(site: Any, build: Build, ranks: int) -> None:
    assert_arrows_are_right(traced(site, build, ranks, "receives"), ways=14)


@pytest.mark.parametrize("module", ["f90", "f08"])
@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_each_message_of_fortran_has_an_arrow(
    site: Any, openmpi_debian: str, ranks: int, module: str
) -> None:
    """Its calls come by those of C in MPICH, and have wrappers of their own in Open MPI."""
    assert_arrows_are_right(traced(site, choose(openmpi_debian), ranks, f"receives_{module}"), ways=15)


def assert_arrows_are_right(run: Timeline, ways: int) -> None:
    """No rank sends two messages of one size: an arrow to a wrong receive would have another size."""
    ranks = len(run.tracks)
    assert len(run.messages) == ways * (3 * ranks * (ranks - 1) + 2 * ranks)
    assert run.unmatched == 0
    for source in range(ranks):
        own = run.messages[[run.tracks[each].rank == source for each in run.messages["source"]]]
        assert len(set(own["bytes"].tolist())) == len(own)
    for message in run.messages:
        sender, receiver = run.tracks[message["source"]], run.tracks[message["destination"]]
        assert sender.names[sender.name[message["send_call"]]] in ("Isend", "Sendrecv", "Sendrecv_replace")
        assert receiver.end[message["receive_call"]] == message["received"] > message["sent"]


def test_messages_between_worlds_have_arrows(site: Any, mpi: str) -> None:
    run = traced(site, choose(mpi), 3, "spawns")
    worlds = Counter(track.world for track in run.tracks)
    assert sorted(worlds.values()) == [2, 3]
    children = min(worlds, key=lambda world: worlds[world])
    arrows = Counter(
        (run.tracks[message["source"]].world == children, int(message["bytes"])) for message in run.messages
    )
    assert arrows == {(False, 40): 10, (True, 8): 2}
    assert run.unmatched == 0


@pytest.mark.parametrize("supervised", [True, False])
@pytest.mark.parametrize("method", ["merge", "baseline-inter"])
def test_resized_job_has_its_generations_and_arrows_from_rank_to_rank(
    site: Any, build: Build, method: str, supervised: bool
) -> None:
    program = build.prefix / "bin" / "nereus-cg"
    options = (
        "--poisson",
        "8",
        "--iterations",
        "60",
        "--tolerance",
        "0",
        "--resize",
        "20:3",
        "--resize",
        "40:1",
    )
    site.environment["NEREUS_PROCESS_STRATEGIES"] = "none"  # iterations wait for newcomers
    site.environment["NEREUS_PROCESS_METHOD"] = method
    run_words = [*COMMAND, "run", "--mpi", build.name, "-n", "2", "--", str(program)]
    words = run_words if supervised else launched(build, 2, program)
    done = site.nereus("trace", "--mpi", build.name, "-o", "traced", "--", *words, *options)
    assert done.code == 0, done.err
    run = read_run(site.folder / "traced")
    assert len({span.job for span in run.generations}) == 1
    spans = {(span.generation, span.rank): span for span in run.generations}
    assert sorted(spans) == [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 0)]
    assert {(span.generation, span.ranks) for span in run.generations} == {(0, 2), (1, 3), (2, 1)}
    goes_on = {(each.before.generation, each.rank) for each in run.successions}
    assert goes_on == {(0, 0), (0, 1), (1, 0)}
    stays = [each.before.track == each.after.track for each in run.successions]
    assert all(stays) if method == "merge" else not any(stays)
    for each in run.successions:
        assert each.before.begin < each.after.begin
    assert run.unmatched == 0
    exported = site.nereus("export", "traced", "--to", "chrome", "--json").document
    assert (exported["generations"], exported["rank_arrows"]) == ([0, 1, 2], 3)


def test_killed_process_leaves_its_trace(site: Any, build: Build) -> None:
    command = launched(build, 3, site.program(build.name, "talks"), "dies")
    done = site.nereus("trace", "--mpi", build.name, "-o", "traced", "--", *command)
    assert done.code != 0
    run = read_run(site.folder / "traced")
    assert len(run.tracks) == 3
    assert not any(track.is_ended for track in run.tracks)
    assert len(run.messages) >= 3 * 3
    assert sum("did not reach MPI_Finalize" in note for note in run.notes) == 3


def test_ring_keeps_the_last_events_and_their_arrows(site: Any, build: Build) -> None:
    whole = traced(site, build, 2, "receives", "20")
    shutil.rmtree(site.folder / "traced")
    run = traced(site, build, 2, "receives", "20", options=("--events", "1024"))
    for track, other in zip(
        sorted(run.tracks, key=lambda track: track.rank),
        sorted(whole.tracks, key=lambda track: track.rank),
        strict=True,
    ):
        assert track.overwritten > 0
        assert 500 < len(track.name) < 1024
        assert len(track.name) < len(other.name)
        assert [track.names[name] for name in track.name[-3:]] == [
            other.names[name] for name in other.name[-3:]
        ]
    assert 0 < len(run.messages) < len(whole.messages)
    for message in run.messages:
        assert message["received"] > message["sent"]
    assert sum("were overwritten" in note for note in run.notes) == 2


@pytest.mark.parametrize("way", ["threads", "matched", "late", "off", "errors", "persistent", "copies"])
def test_hard_cases_of_receiving_have_the_right_arrows_or_none(site: Any, build: Build, way: str) -> None:
    """The program says how many there are. Messages of other sizes cannot have one arrow."""
    command = launched(build, 2, site.program(build.name, "hard_receives"), way)
    done = site.nereus("trace", "--mpi", build.name, "-o", "traced", "--", *command)
    assert done.code == 0, done.err
    run = read_run(site.folder / "traced")
    assert (len(run.messages), run.unmatched) == tuple(map(int, done.out.split()))


def test_program_of_sessions_is_traced(site: Any, mpich: str) -> None:
    """It has no MPI_COMM_WORLD."""
    run = traced(site, choose(mpich), 2, "sessions")
    assert len(run.tracks) == 2
    assert run.calls > 0


def test_hosts_whose_clocks_differ_have_one_time(site: Any, mpich: str) -> None:
    """Rank 1's system says that it is another one, and its clock is 5000 s ahead."""
    build = choose(mpich)
    other = site.folder / "other_system"
    other.write_text(
        "#!/bin/sh\n"
        "exec unshare --mount --time --monotonic 5000 --fork sh -c '"
        f'mount --bind {site.folder}/boot_id /proc/sys/kernel/random/boot_id && exec "$0" "$@"\' "$@"\n'
    )
    other.chmod(0o755)
    (site.folder / "boot_id").write_text("00000000-0000-0000-0000-000000000000\n")
    if subprocess.run([other, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip(
            "no namespace of mounts and clocks can be made here: `unshare --mount --time` needs privileges"
        )
    program = site.program(build.name, "receives")
    command = [str(build.mpiexec), "-n", "1", str(program), ":", "-n", "1", str(other), str(program)]
    done = site.nereus("trace", "--mpi", mpich, "-o", "traced", "--", *command)
    assert done.code == 0, done.err
    run = read_run(site.folder / "traced")
    assert len(run.messages) == 14 * (3 * 2 + 2 * 2)
    assert run.unmatched == 0
    errors = {track.rank: track.clock_error for track in run.tracks}
    assert min(errors.values()) == 0 < max(errors.values()) < 10**8
    assert max(track.last for track in run.tracks) < 60 * 10**9, "not 5000 s"
    assert run.notes == []


@pytest.mark.parametrize("format_", ["perfetto", "chrome", "paraver", "otf2"])
def test_export_writes_a_file_for_each_tool(site: Any, mpich: str, format_: str) -> None:
    if format_ in ("perfetto", "otf2"):
        pytest.importorskip(format_)
    run = traced(site, choose(mpich), 2, "talks", "p2p")
    done = site.nereus("export", "traced", "--to", format_)
    assert done.code == 0
    suffix = {"perfetto": "pftrace", "chrome": "json", "paraver": "prv", "otf2": "otf2"}[format_]
    assert (site.folder / f"traced.{suffix}").exists()
    assert f"{run.calls} calls, {len(run.messages)} messages of 2 processes" in done.err
    again = site.nereus("export", "traced", "--to", format_)
    assert again.code == 2
    assert f"traced.{suffix}" in again.err


def test_jobs_of_a_daemon_and_its_events_are_exported_together(site: Any, mpich: str) -> None:
    with daemon(site):
        for folder in ("one", "two"):
            words = ("-o", folder, "--", *COMMAND, *map(str, job(site, mpich, "20", "20", "5", "10")))
            assert site.nereus("trace", "--mpi", mpich, *words).code == 0
        events = site.nereus("daemon", "events", "--json").out
    (site.folder / "events.jsonl").write_text(events)
    words = ("--daemon", "events.jsonl", "--to", "chrome", "-o", "both.json", "--json")
    document = site.nereus("export", "one", "two", *words).document
    assert document["processes"] == 4
    assert document["daemon_events"] > 0
    found = json.loads((site.folder / "both.json").read_text())["traceEvents"]
    assert {each["name"] for each in found if each["ph"] == "i"} <= {
        line["event"] for line in map(json.loads, events.splitlines())
    }
    refused = site.nereus("export", "one", "--daemon", "events.jsonl", "--to", "paraver")
    assert refused.code == 2
    assert "allowed with perfetto, chrome, picture" in refused.err


def test_folder_that_is_not_empty_is_refused_and_nothing_started(site: Any, mpich: str) -> None:
    (site.folder / "traced").mkdir()
    (site.folder / "traced" / "mine").write_text("")
    done = site.nereus("trace", "--mpi", mpich, "-o", "traced", "--", "touch", "started")
    assert done.code == 2
    assert "allowed is a folder that is new or empty" in done.err
    assert not (site.folder / "started").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("none",), "none: is no folder of `nereus trace`: it has no record.jsonl"),
        (("traced", "--to", "vampir"), "allowed is perfetto, chrome, otf2, paraver, picture"),
        (("traced", "-o", "missing/it.pftrace"), "there is no such folder"),
        (("traced", "--to", "paraver", "-o", "it.pcf"), "the name must end in .prv"),
        (("traced", "--to", "picture", "-o", "it.gif"), "allowed is a .png, .pdf or .svg file"),
        (("/",), "/: is no folder of `nereus trace`"),
        (("traced", "-o", "."), "is no regular file"),
    ],
)
def test_bad_export_is_one_line(site: Any, words: tuple[str, ...], message: str) -> None:
    (site.folder / "traced").mkdir()
    done = site.nereus("export", *words)
    assert done.code == 2
    assert len(done.err.splitlines()) == 1
    assert message in done.err


def test_command_without_mpi_leaves_no_trace(site: Any, mpich: str) -> None:
    done = site.nereus("trace", "--mpi", mpich, "-o", "traced", "--", "true")
    assert done.code == 0
    assert "no process of the command reached MPI_Init" in done.err
    exported = site.nereus("export", "traced")
    assert exported.code == 2
    assert "has no trace of a process" in exported.err


def test_document_says_what_was_written(site: Any, mpich: str) -> None:
    run = traced(site, choose(mpich), 2, "talks", "p2p")
    document = site.nereus("export", "traced", "--to", "chrome", "-o", "it.json", "--json").document
    assert document == {
        "file": "it.json",
        "format": "chrome",
        "processes": 2,
        "calls": run.calls,
        "messages": 12,
        "message_ends_without_arrow": 0,
        "generations": [],
        "rank_arrows": 0,
        "daemon_events": 0,
        "overwritten_events": 0,
        "notes": [],
    }
    events = json.loads(Path(site.folder / "it.json").read_text())["traceEvents"]
    assert sum(event["ph"] == "X" for event in events) == run.calls
