# SPDX-License-Identifier: BSD-3-Clause
"""`nereus trace` limited to calls, sizes, ranks, iterations and times; states of what a job does."""

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from a_monitored_run import launched
from commands import COMMAND
from test_daemon import daemon, job
from test_trace import calls_of, traced

from nereus.analysis.trace.kinds import RECORD_UNTIL, files_of
from nereus.analysis.trace.model import Timeline
from nereus.analysis.trace.run import read_run
from nereus.launch import Build, choose

_PLATE = ("--rows", "30", "--columns", "30")


@pytest.fixture
def build(mpi: str) -> Build:
    return choose(mpi)


def traced_job(site: Any, mpi: str, *options: str) -> Timeline:
    """60 iterations with messages between neighbours, on 2 processes, and on 3 from the 20th on."""
    site.environment["NEREUS_PROCESS_STRATEGIES"] = "none"  # iterations wait for newcomers
    program = (str(choose(mpi).prefix / "bin" / "nereus-halo"), *_PLATE, "--iterations", "60")
    job = [*COMMAND, "run", "--mpi", mpi, "-n", "2", "--", *program, "--resize", "20:3"]
    done = site.nereus("trace", "--mpi", mpi, "-o", "traced", *options, "--", *job)
    assert done.code == 0, done.err
    return read_run(site.folder / "traced")


def states_of(run: Timeline, activity: str) -> list[set[str]]:
    """Of each track."""
    found: list[set[str]] = [set() for _ in run.tracks]
    for span in run.states:
        if span.activity == activity:
            found[span.track].add(span.state)
    return found


@pytest.mark.parametrize("ranks", [2, 5])
def test_messages_have_arrows_through_pauses(site: Any, build: Build, ranks: int) -> None:
    """The program says how many were sent and received while both sides recorded; no two have one size."""
    command = launched(build, ranks, site.program(build.name, "pauses"), "ring")
    done = site.nereus("trace", "--mpi", build.name, "-o", "traced", "--", *command)
    assert done.code == 0, done.err
    run = read_run(site.folder / "traced")
    assert len(run.messages) == int(done.out)
    assert run.notes == []


def test_messages_of_a_thread_have_arrows_while_another_one_pauses(site: Any, build: Build) -> None:
    """Rank 1 records all the time: each message that rank 0 recorded has its arrow."""
    run = traced(site, build, 2, "pauses", "threads")
    sender = next(track for track in run.tracks if track.rank == 0)
    receiver = next(track for track in run.tracks if track.rank == 1)
    recorded = int(((sender.tag == 5) & (sender.peer == 1)).sum())
    assert 0 < recorded <= len(receiver.begin) == 5000
    assert len(run.messages) == recorded


def test_arrows_end_at_their_calls_where_small_messages_are_left_out(site: Any, build: Build) -> None:
    """Calls that send little and get much, and an empty message among large ones."""
    run = traced(site, build, 2, "pauses", "small", options=("--min-bytes", "50"))
    ends: Counter[tuple[int, str]] = Counter()
    for message in run.messages:
        track = run.tracks[message["destination"]]
        ends[track.rank, track.names[track.name[message["receive_call"]]]] += 1
    assert ends == {(0, "Sendrecv"): 5, (1, "Recv"): 5}
    assert run.unmatched == 0


def test_trace_of_some_calls_has_no_others(site: Any, build: Build) -> None:
    run = traced(site, build, 3, "talks", "collective", options=("--calls", "collective,Send"))
    assert calls_of(run).keys() <= {
        *("Allgather", "Allreduce", "Alltoall", "Alltoallv", "Ialltoallv", "Barrier", "Ibarrier", "Bcast"),
        *("Reduce", "Scan", "Scatterv", "Send"),
    }
    assert calls_of(run)["Bcast"] > 0
    assert len(run.messages) == 0
    assert any("only these calls are in the trace (--calls): Allgather, " in note for note in run.notes)


def test_trace_of_point_to_point_calls_has_arrows(site: Any, build: Build) -> None:
    run = traced(site, build, 2, "receives", options=("--calls", "point-to-point"))
    assert len(run.messages) == 14 * (3 * 2 + 2 * 2)
    assert run.unmatched == 0
    assert "Barrier" not in calls_of(run)


def test_trace_of_large_messages_has_their_arrows(site: Any, build: Build) -> None:
    run = traced(site, build, 2, "receives", options=("--min-bytes", "50"))
    sizes = sorted(run.messages["bytes"].tolist())
    assert sizes[0] >= 50
    whole = [size for size in range(1, 14 * 5 + 1) for _ in range(2) if size >= 50]
    assert sizes == whole
    assert run.unmatched == 0


def test_trace_of_some_ranks_has_no_others(site: Any, build: Build) -> None:
    run = traced(site, build, 4, "receives", options=("--ranks", "0,2-3"))
    assert sorted(track.rank for track in run.tracks) == [0, 2, 3]
    assert len(run.messages) > 0
    assert run.notes == ["only these ranks of each MPI_COMM_WORLD are in the trace (--ranks): 0,2-3"]


def test_trace_of_iterations_has_their_calls_and_arrows(site: Any, mpi: str) -> None:
    run = traced_job(site, mpi, "--iterations", "30-32")
    assert states_of(run, "iteration") == [{"30", "31", "32"}] * 3
    spans = [span for span in run.states if span.activity == "iteration"]
    for track, calls in enumerate(run.tracks):
        own = [span for span in spans if span.track == track]
        assert len(calls.begin) > 0
        assert calls.begin.min() >= min(span.begin for span in own)
        assert calls.begin.max() <= max(span.end for span in own)
    assert len(run.messages) > 0
    assert {span.generation for span in run.generations} == {0, 1}, "generations are always there"


def test_trace_around_resizes_has_their_states_and_few_iterations(site: Any, mpi: str) -> None:
    run = traced_job(site, mpi, "--around-resizes", "0")
    sources = [track for track, states in enumerate(states_of(run, "resize")) if "making" in states]
    assert len(sources) == 2
    first = min(span.begin for span in run.states if span.activity == "resize")
    for track in sources:
        assert run.tracks[track].begin.min() >= first
    iterations = {int(state) for states in states_of(run, "iteration") for state in states}
    assert iterations <= {20, 21}
    assert run.calls > 0


def test_resized_job_has_the_states_of_its_resize(site: Any, mpi: str) -> None:
    run = traced_job(site, mpi)
    states = Counter(tuple(sorted(found)) for found in states_of(run, "resize"))
    assert states == {
        ("committing", "connecting", "making", "ready", "sending"): 2,
        ("committing", "connecting", "ready", "sending"): 1,
    }
    newcomer = next(track for track, found in enumerate(states_of(run, "resize")) if "making" not in found)
    for span in run.states:
        if span.activity == "resize":
            begun = [each.begin for each in run.generations if each.track == span.track]
            assert span.end <= run.last
            assert len(begun) == (1 if span.track == newcomer else 2)
    assert states_of(run, "iteration")[newcomer] == {str(number) for number in range(21, 61)}


def test_phases_of_io_and_waits_for_a_turn_are_in_the_trace(site: Any, mpich: str) -> None:
    with daemon(site):
        words = [*COMMAND, *map(str, job(site, mpich, "20", "20", "5", "10"))]
        assert site.nereus("trace", "--mpi", mpich, "-o", "traced", "--", *words).code == 0
    run = read_run(site.folder / "traced")
    assert states_of(run, "I/O phase") == [{"waiting for its turn", "open"}] * len(run.tracks)


def test_saving_and_resuming_are_in_the_trace(site: Any, mpich: str) -> None:
    program = str(choose(mpich).prefix / "bin" / "nereus-halo")
    command = [*COMMAND, "run", "--mpi", mpich, "-n", "2", "--save", "epochs", "--save-every", "0.2"]
    words = (*_PLATE, "--iterations", "60000")
    done = site.nereus("trace", "--mpi", mpich, "-o", "saves", "--", *command, "--", program, *words)
    assert done.code == 0, done.err
    assert states_of(read_run(site.folder / "saves"), "epoch") == [{"saving"}] * 2
    command = [*COMMAND, "run", "--mpi", mpich, "-n", "2", "--resume", "epochs"]
    done = site.nereus("trace", "--mpi", mpich, "-o", "resumes", "--", *command, "--", program, *words)
    assert done.code == 0, done.err
    assert states_of(read_run(site.folder / "resumes"), "epoch") == [{"resuming"}] * 2


def test_paused_job_records_while_it_is_asked_to(site: Any, build: Build) -> None:
    program = str(build.prefix / "bin" / "nereus-halo")
    command = [*COMMAND, "run", "--mpi", build.name, "-n", "2", "--", program]
    words = (*_PLATE, "--iterations", "1000000000")
    with site.started("trace", "--mpi", build.name, "-o", "traced", "--paused", "--", *command, *words):
        deadline = time.monotonic() + 60
        while len(files_of(site.folder / "traced")) < 2:
            assert time.monotonic() < deadline, "the job does not begin"
            time.sleep(0.05)
        with site.started("trace", "traced", "--for", "60s"):
            until = site.folder / "traced" / RECORD_UNTIL
            while until.read_text() == "0.000000\n":
                time.sleep(0.05)
            refused = site.nereus("trace", "traced", "--for", "1s")
            assert refused.code == 2
            assert "another `nereus trace --for` has it record just now" in refused.err
        assert until.read_text() == "0.000000\n"
        (site.folder / "link").symlink_to(site.folder / "traced")
        done = site.nereus("trace", "link", "--for", "1s")
        assert done.code == 0, done.err
        assert "recorded: 1.00 s of link, " in done.err
    over = site.nereus("trace", "traced", "--for", "1s")
    assert over.code == 2
    assert "JOB = traced: the run is over" in over.err
    run = read_run(site.folder / "traced")
    assert run.calls > 100
    assert len(run.messages) > 10


def test_option_of_the_command_is_its_own(site: Any, mpich: str) -> None:
    program = site.folder / "prints"
    program.write_text('#!/bin/sh\nprintf "%s " "$@"\n')
    program.chmod(0o755)
    done = site.nereus("trace", "--mpi", mpich, "-o", "traced", str(program), "-n", "2", "--for", "10")
    assert (done.code, done.out) == (0, "-n 2 --for 10 ")


def test_run_that_is_over_is_not_asked_to_record(site: Any, mpich: str) -> None:
    traced(site, choose(mpich), 2, "talks", "p2p")
    done = site.nereus("trace", "traced", "--for", "1s")
    assert done.code == 2
    assert "JOB = traced: the run is over" in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--calls", "Sendd"),
            "--calls = Sendd: 'Sendd' is no call of MPI that is traced; allowed are names",
        ),
        (("--calls", ""), "--calls = : '' is no call"),
        (("--min-bytes", "-1"), "--min-bytes = -1: "),
        (("--min-bytes", "1e30"), "--min-bytes = 1e30: "),
        (
            ("--ranks", "3-1"),
            "--ranks = 3-1: allowed are numbers from 0 to 2147483647, and ranges such as 4-7",
        ),
        (("--ranks", "0,,1"), "--ranks = 0,,1: allowed are numbers"),
        (("--iterations", "1-2-3"), "--iterations = 1-2-3: allowed are numbers"),
        (("--around-resizes", "-1"), "--around-resizes"),
    ],
)
def test_bad_limit_is_refused_and_nothing_started(
    site: Any, mpich: str, words: tuple[str, ...], message: str
) -> None:
    done = site.nereus("trace", "--mpi", mpich, "-o", "traced", *words, "--", "touch", "started")
    assert done.code == 2
    assert message in done.err
    assert not (site.folder / "started").exists()
    assert not (site.folder / "traced").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nobody", "--for", "10s"), "JOB = nobody: no such run is monitored on this host"),
        (("nobody", "--for", "soon"), "--for = soon: allowed are seconds, or a number with s, min, h or d"),
        (("nobody", "--for", "0s"), "--for = 0s: allowed is more than 0"),
        (("--for", "1s", "one", "two"), "--for: allowed is one JOB, not one two"),
        (("one", "--for", "1s", "--ranks", "0"), "--for: what is recorded is said where the trace begins"),
    ],
)
def test_bad_request_to_record_is_one_line(site: Any, words: tuple[str, ...], message: str) -> None:
    done = site.nereus("trace", *words)
    assert done.code == 2
    assert message in done.err
    assert len(done.err.splitlines()) == 1


def test_trace_that_some_processes_know_nothing_of_is_given_up(site: Any, build: Build) -> None:
    """A launcher that hands on our settings to some alone; the others must not be waited for."""
    program = str(site.program(build.name, "talks"))
    other = ("-n", "1", "env", "-u", "NEREUS_MONITOR_TRACE", program, "p2p")
    command = launched(build, 1, program, "p2p")
    done = site.nereus("trace", "--mpi", build.name, "-o", "traced", "--", *command, ":", *other)
    assert done.code == 0, done.err
    assert "not all processes got our settings from their launcher" in done.err
    assert files_of(site.folder / "traced") == []


def test_settings_of_a_trace_are_beside_it(site: Any, mpich: str) -> None:
    traced(site, choose(mpich), 2, "talks", "p2p", options=("--ranks", "0", "--min-bytes", "2KiB"))
    document = json.loads(Path(site.folder / "traced" / "trace.json").read_text())
    assert document == {
        "format": "nereus-trace",
        "version": 1,
        "calls": None,
        "min_bytes": 2048,
        "ranks": "0",
        "iterations": None,
        "around_resizes": None,
        "paused": False,
    }
