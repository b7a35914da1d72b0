# SPDX-License-Identifier: BSD-3-Clause
"""nereus bench processes: what was measured is shown, also where ways fail or the user has had enough."""

import csv
import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

SMALL = ("bench", "processes", "--from", "1", "--to", "3", "--methods", "merge,baseline-inter")
LIMIT = 60.0


def rounds(jobs: Path) -> list[list[str]]:
    """The ways of each job, but for the one that finds out whether groups can join."""
    lines = [line.split() for line in jobs.read_text().splitlines()]
    return [line[4:] for line in lines if line[3] != "2"]


def test_row_has_the_documented_keys(shell: Any, jobs: Path) -> None:
    result = shell.nereus(*SMALL, "--strategies", "none,single+asynchronous", "--repeat", "2", "--json")
    assert result.returncode == 0, result.stderr
    rows = json.loads(result.stdout)["rows"]
    ways = [(row["method"], row["strategies"]) for row in rows]
    both = [[], ["asynchronous", "single"]]
    assert ways == [(method, words) for method in ("merge", "baseline-inter") for words in both]
    assert {key: rows[0][key] for key in ("from", "to", "mpi", "works", "trials", "failed")} == {
        "from": 1,
        "to": 3,
        "mpi": "mpich",
        "works": True,
        "trials": 2,
        "failed": 0,
    }
    assert (rows[0]["make_seconds"], rows[0]["connect_seconds"]) == (0.1, 0.02)
    assert (rows[0]["pause_seconds"], rows[0]["stall_seconds"]) == (0.13, 0.14)
    assert rows[0]["stall_seconds_deviation"] == 0
    # Merge makes 2 processes, Baseline 3.
    assert rows[0]["seconds_per_process"] == pytest.approx(0.06)
    assert rows[2]["seconds_per_process"] == pytest.approx(0.04)


def test_each_round_tries_every_way_once_on_the_same_machine(shell: Any, jobs: Path) -> None:
    shell.nereus(*SMALL, "--strategies", "none,join,wake", "--repeat", "3")
    made = ["merge:none", "merge:join", "baseline-inter:none", "baseline-inter:join"]
    assert rounds(jobs) == [["merge:wake"], made] * 3


def test_repeatedly_failing_way_is_reported_and_given_up(shell: Any, jobs: Path) -> None:
    fates = json.dumps({"merge:single": "this MPI cannot", "baseline-inter:single": "this MPI cannot"})
    result = shell.nereus(*SMALL, "--strategies", "none,single", "--repeat", "4", FAKE_FATES=fates)
    assert result.returncode == 0
    assert "mpich merge:single: 2 of 2 failed: this MPI cannot" in result.stdout
    assert "4/4" in result.stdout
    assert [len(ways) for ways in rounds(jobs)] == [4, 4, 2, 2]


def test_command_fails_when_nothing_works(shell: Any, jobs: Path) -> None:
    fates = json.dumps({"merge:none": "no", "baseline-inter:none": "no"})
    result = shell.nereus(*SMALL, "--strategies", "none", "--repeat", "1", "--json", FAKE_FATES=fates)
    assert result.returncode == 1
    row = json.loads(result.stdout)["rows"][0]
    assert (row["works"], row["reason"], row["make_seconds"], row["seconds_per_process"]) == (
        False,
        "no",
        None,
        None,
    )


def test_every_trial_is_written_as_csv(shell: Any, jobs: Path) -> None:
    options = ("--strategies", "none,single", "--repeat", "2", "--csv", "trials.csv")
    fates = json.dumps({"merge:single": "no, never"})
    assert shell.nereus(*SMALL, *options, FAKE_FATES=fates).returncode == 0
    with (shell.folder / "trials.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8
    assert [row["method"] for row in rows[:4]] == ["merge", "merge", "baseline-inter", "baseline-inter"]
    assert rows[0]["stall_seconds"] == "0.14"
    assert (rows[1]["works"], rows[1]["reason"], rows[1]["make_seconds"]) == ("0", "no, never", "")


def test_ctrl_c_shows_partial_results(shell: Any, jobs: Path) -> None:
    fates = json.dumps({"baseline-inter:none": "hangs"})
    with shell.start(*SMALL, "--strategies", "none", "--json", FAKE_FATES=fates) as process:
        deadline = time.monotonic() + LIMIT
        while not (jobs.exists() and rounds(jobs)) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 130
    assert json.loads(out)["rows"] is not None
    assert err.splitlines()[-1] == "nereus: stopped by SIGINT; shown is what there is"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--from", "4", "--to", "2"), "--to = 2: must be more than --from, 4"),
        (("--to", "1000000"), "--to = 1000000: this machine is asked for at most"),
        (("--methods", "merge,spawn"), "spawn: allowed are merge, baseline-inter, baseline-intra"),
        (("--methods", ""), "(empty): allowed are"),
        (("--strategies", "none,single+parallel"), "single+parallel: allowed are auto, none, wake"),
        (("--methods", "baseline-inter", "--strategies", "wake"), "wake goes with the method merge only"),
        (("--mpi", "other"), "--mpi = other: no such MPI build"),
        (("--csv", "nowhere/trials.csv"), "--csv = nowhere/trials.csv: there is no folder nowhere"),
        (("--repeat", "0"), "--repeat"),
    ],
)
def test_wrong_command_line_gives_one_line_and_starts_nothing(
    shell: Any, jobs: Path, arguments: tuple[str, ...], expected: str
) -> None:
    result = shell.nereus("bench", "processes", *arguments)
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("nereus: ")
    assert expected in line
    assert not jobs.exists()


def test_old_installation_is_reported_with_make_build(shell: Any) -> None:
    result = shell.nereus("bench", "processes")
    assert result.returncode == 2
    assert "make build" in result.stderr


@pytest.mark.parametrize("arguments", [("bench",), ("bench", "processes", "--help")])
def test_help_has_an_example(shell: Any, arguments: tuple[str, ...]) -> None:
    result = shell.nereus(*arguments)
    assert result.returncode == 0
    assert "Example: nereus bench processes" in result.stdout
