# SPDX-License-Identifier: BSD-3-Clause
"""nereus bench transfer: figures are as documented, and shown also where ways fail or the user stops."""

import csv
import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from nereus.methods import TRANSFER_METHODS

SIZES = ("bench", "transfer", "--from", "1", "--to", "3", "--bytes", "1MiB")
SPAWNED = ("--process-strategies", "none")
SMALL = (*SIZES, *SPAWNED, "--methods", "p2p,col")
TWO = ("--strategies", "blocking,thread")
LIMIT = 60.0
KEYS = [
    "process_method", "process_strategies", "method", "strategy", "from", "to", "bytes", "background_seconds",
    "pause_seconds", "gigabytes_per_second", "bytes_moved", "bytes_minimum", "iterations", "omega", "alpha",
    "progress_seconds", "first_iteration_ratio", "repeats", "works", "reason",
]  # fmt: skip


def started(jobs: Path) -> list[list[str]]:
    """The words of each job of nereus-transfers that are no numbers of the application."""
    return [line.split()[10:] for line in jobs.read_text().splitlines() if "--bytes" in line]


def test_row_has_the_documented_keys(shell: Any, jobs: Path) -> None:
    result = shell.nereus(*SMALL, *TWO, "--repeat", "2", "--json")
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["mpi"] == "mpich"
    assert document["limits"] == {
        "memcpy_one_core": 10,
        "memcpy_all_cores": 18,
        "process_vm_readv": None,
        "isend_irecv": 2,
        "first_touch": 3,
    }
    rows = document["rows"]
    assert [(row["method"], row["strategy"]) for row in rows] == [
        (method, strategy) for method in ("p2p", "col") for strategy in ("blocking", "thread")
    ]
    assert set(KEYS) <= rows[0].keys()
    assert (rows[0]["repeats"], rows[0]["bytes"], rows[0]["pause_seconds_deviation"]) == (2, 1 << 20, 0)


def test_background_way_is_compared_with_blocking_one(shell: Any, jobs: Path) -> None:
    result = shell.nereus(*SMALL, *TWO, "--repeat", "1", "--json")
    blocking, thread = json.loads(result.stdout)["rows"][:2]
    assert (blocking["background_seconds"], blocking["omega"], blocking["alpha"]) == (0, None, None)
    assert (thread["background_seconds"], thread["iterations"], thread["omega"]) == (0.75, 20, 1.5)
    assert thread["alpha"] == pytest.approx(1.5)
    assert blocking["gigabytes_per_second"] == pytest.approx(2)
    assert (thread["bytes_moved"], thread["bytes_minimum"]) == (10**9, 5 * 10**8)
    assert thread["first_iteration_ratio"] == pytest.approx(1.5)
    # The thread has ended 21 iterations since the request, blocking 1: 20 of 20 ms are to be caught up.
    assert thread["progress_seconds"] == pytest.approx(0.9)
    assert blocking["progress_seconds"] == pytest.approx(0.6 + 20 * 0.02)


def test_each_round_tries_limits_and_every_way_with_a_separate_shm_job(shell: Any, jobs: Path) -> None:
    shell.nereus(*SMALL[:-1], "p2p,shm", *TWO, "--repeat", "2")
    messages = ["merge:none:p2p:blocking", "merge:none:p2p:thread"]
    shared = ["merge:none:shm:blocking", "merge:none:shm:thread"]
    # The second round begins with the second way.
    assert started(jobs) == [["--limits"], messages, shared, ["--limits"], messages[::-1], shared]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), ["merge:auto:p2p:blocking", "merge:none:p2p:blocking"]),
        (("--network", "tcp"), ["merge:none:p2p:blocking"]),
        (
            ("--process-methods", "baseline-intra", "--process-strategies", "parallel+multiple"),
            ["baseline-intra:multiple+parallel:p2p:blocking"],
        ),
    ],
)
def test_default_and_spawning_way_to_make_processes_are_tried_in_one_job(
    shell: Any, jobs: Path, options: tuple[str, ...], expected: list[str]
) -> None:
    shell.nereus(*SIZES, "--methods", "p2p", "--strategies", "blocking", "--repeat", "1", *options)
    assert started(jobs) == [["--limits"], expected]


def test_ways_that_wake_processes_have_a_separate_job(shell: Any, jobs: Path) -> None:
    options = ("--methods", "p2p", "--strategies", "blocking", "--process-strategies", "wake,none")
    shell.nereus(*SIZES, *options, "--repeat", "1")
    assert started(jobs) == [["--limits"], ["merge:none:p2p:blocking"], ["merge:wake:p2p:blocking"]]


def test_several_sizes_are_taken_in_pairs(shell: Any, jobs: Path) -> None:
    sizes = ("--from", "1,3", "--to", "3,1")
    options = (*SPAWNED, "--methods", "p2p", *TWO, "--repeat", "1", "--json")
    result = shell.nereus("bench", "transfer", *sizes, *options)
    rows = json.loads(result.stdout)["rows"]
    assert [(row["from"], row["to"]) for row in rows] == [(1, 3), (1, 3), (3, 1), (3, 1)]


def test_failing_way_is_reported_and_others_continue(shell: Any, jobs: Path) -> None:
    fates = json.dumps({"merge:none:p2p:thread": "wrong data in 3 places", "merge:none:col:blocking": "dies"})
    result = shell.nereus(*SMALL, *TWO, "--repeat", "3", FAKE_FATES=fates)
    assert result.returncode == 0
    assert "1 → 3 merge:none:p2p:thread: 2 of 2 failed: wrong data in 3 places" in result.stdout
    assert "merge:none:col:blocking: 2 of 2 failed: the job died" in result.stdout
    assert "nereus-transfers: rank 0: all is lost" in result.stdout
    assert result.stdout.count("3/3") == 2


def test_command_fails_when_nothing_works(shell: Any, jobs: Path) -> None:
    fates = json.dumps({"merge:none:p2p:blocking": "no", "merge:none:col:blocking": "no"})
    result = shell.nereus(*SMALL, "--strategies", "blocking", "--repeat", "1", "--json", FAKE_FATES=fates)
    assert result.returncode == 1
    row = json.loads(result.stdout)["rows"][0]
    assert (row["works"], row["reason"], row["pause_seconds"], row["progress_seconds"]) == (
        False,
        "no",
        None,
        None,
    )


def test_every_trial_is_written_as_csv_and_pictures(shell: Any, jobs: Path) -> None:
    fates = json.dumps({"merge:none:col:thread": "no, never"})
    options = ("--repeat", "2", "--csv", "trials.csv", "--plot", "pictures")
    assert shell.nereus(*SMALL, *TWO, *options, FAKE_FATES=fates).returncode == 0
    with (shell.folder / "trials.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8
    assert rows[0]["pause_seconds"] == "0.5"
    assert (rows[3]["works"], rows[3]["reason"], rows[3]["pause_seconds"]) == ("0", "no, never", "")
    pictures = sorted(path.stem for path in (shell.folder / "pictures").iterdir())
    assert pictures == ["alpha", "iterations", "omega", "pause", "preferred", "progress", "times"]


def test_ctrl_c_shows_partial_results(shell: Any, jobs: Path) -> None:
    fates = json.dumps({"merge:none:col:blocking": "hangs"})
    with shell.start(*SMALL, "--strategies", "blocking", "--json", FAKE_FATES=fates) as process:
        deadline = time.monotonic() + LIMIT
        while not (jobs.parent / "hangs").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1.0)  # it has read what came before
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 130
    assert [row["method"] for row in json.loads(out)["rows"]] == ["p2p"]
    assert err.splitlines()[-1] == "nereus: stopped by SIGINT; shown is what there is"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--from", "4", "--to", "4"), "--to = 4: 4: must differ from the size before, 4"),
        (("--from", "2,4"), "--to = 4: has 1 sizes; allowed are as many as --from has, 2"),
        (("--to", "1000000"), "--to = 1000000: 1000000: allowed are 1 .."),
        (("--from", "two"), "--from = two: two: allowed are 1 .."),
        (("--from", ""), "--from = : (empty): allowed are 1 .."),
        (("--bytes", "many"), "--bytes = many: no number with a unit; allowed is a size such as"),
        (("--bytes", "4"), "--bytes = 4: allowed is 8 B .."),
        (("--bytes", "900TiB"), "a third of this machine's memory"),
        (("--constant-percent", "50"), "--arrays = 1: constant and variable data need an array each"),
        (("--constant-percent", "101"), "--constant-percent"),
        (("--methods", "p2p,smoke"), f"smoke: allowed are {', '.join(TRANSFER_METHODS)}, shm, auto"),
        (("--strategies", ""), "(empty): allowed are blocking, nonblocking, wait-drains, thread, auto"),
        (("--methods", "rma-lock", "--strategies", "nonblocking"), "nonblocking: does not go with rma-lock"),
        (("--process-methods", "spawn"), "allowed are merge, baseline-inter, baseline-intra"),
        (
            ("--process-strategies", "fork"),
            "= fork: fork: allowed are auto, none, wake, or",
        ),
        (("--process-strategies", ""), "--process-strategies = : (empty): allowed are auto"),
        (("--process-strategies", "single+parallel"), "where single goes with no parallel"),
        (
            ("--process-strategies", "wake", "--process-methods", "baseline-intra"),
            "--process-strategies = wake: wake goes with the method merge only",
        ),
        (("--network", "ether"), "--network = ether: allowed are shm, tcp, limited"),
        (("--mpi", "other"), "--mpi = other: no such MPI build"),
        (("--csv", "nowhere/trials.csv"), "--csv = nowhere/trials.csv: there is no folder nowhere"),
        (("--plot", "file"), "--plot = file: is no folder"),
        (("--repeat", "0"), "--repeat"),
    ],
)
def test_wrong_command_line_gives_one_line_and_starts_nothing(
    shell: Any, jobs: Path, arguments: tuple[str, ...], expected: str
) -> None:
    shell.write("file", "")
    result = shell.nereus("bench", "transfer", *arguments)
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("nereus: ")
    assert expected in line
    assert not jobs.exists()


def test_old_installation_is_reported_with_make_build(shell: Any) -> None:
    result = shell.nereus("bench", "transfer")
    assert result.returncode == 2
    assert "make build" in result.stderr


def test_help_has_an_example(shell: Any) -> None:
    result = shell.nereus("bench", "transfer", "--help")
    assert result.returncode == 0
    assert "Example: nereus bench transfer" in result.stdout
