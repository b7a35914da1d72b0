# SPDX-License-Identifier: BSD-3-Clause
"""`nereus run`, `jobs` and `resize`, with a program that plays its end of the link."""

import json
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PLAYER = Path(__file__).parents[1] / "fakes" / "player.py"
LIMIT = 60.0


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.05)


@contextmanager
def playing(shell: Any, *acts: str, name: str = "played") -> Iterator[str]:
    """A supervised job of that name that carries these acts out; its key."""
    acts = ("touch:begun", *acts)
    with shell.start("run", "-n", "2", "--name", name, "--", sys.executable, PLAYER, *acts) as process:
        try:
            wait_until(lambda: (shell.folder / "begun").exists() or process.poll() is not None)
            found = [job for job in listed(shell) if str(PLAYER) in job["command"]]
            assert len(found) == 1, found or process.communicate(timeout=LIMIT)
            yield found[0]["job"]
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=LIMIT)


def listed(shell: Any) -> list[dict[str, Any]]:
    result = shell.nereus("jobs", "--json")
    assert result.returncode == 0
    jobs: list[dict[str, Any]] = json.loads(result.stdout)["jobs"]
    return jobs


def state_is(shell: Any, state: str) -> Callable[[], bool]:
    return lambda: [job["state"] for job in listed(shell)] == [state]


def test_output_passes_through_and_job_name_is_shown(shell: Any) -> None:
    result = shell.nereus("run", "--", "sh", "-c", "echo out; echo err >&2")
    assert result.returncode == 0
    assert result.stdout == "out\n"
    assert "err\n" in result.stderr
    assert "nereus resize " in result.stderr


def test_quiet_adds_nothing_to_program_output(shell: Any) -> None:
    result = shell.nereus("run", "-q", "--", "sh", "-c", "echo err >&2")
    assert (result.stdout, result.stderr) == ("", "err\n")


def test_options_after_the_program_belong_to_it(shell: Any) -> None:
    assert shell.nereus("run", "echo", "-n", "--help").stdout == "--help"
    assert shell.nereus("run", "--", "echo", "--mpi").stdout == "--mpi\n"


def test_exit_code_of_a_failing_rank_is_passed_on(shell: Any) -> None:
    result = shell.nereus("run", "-q", "--", "sh", "-c", "exit 7")
    assert result.returncode == 7
    (line,) = result.stderr.splitlines()
    assert line.startswith(
        "nereus: the job failed: a rank ended with exit code 7, or was killed by signal 7 (SIGBUS)"
    )


@pytest.mark.parametrize("ignored", [signal.SIGINT, signal.SIGHUP])
def test_signals_ignored_at_start_stay_ignored(shell: Any, ignored: signal.Signals) -> None:
    """As a hang-up is under nohup, and Ctrl-C in the background of a shell."""
    before = signal.signal(ignored, signal.SIG_IGN)  # a child keeps it
    try:
        process = shell.start(
            "run", "-q", "--", "sh", "-c", "touch begun; while [ ! -e go ]; do sleep 0.1; done"
        )
    finally:
        signal.signal(ignored, before)
    with process:
        wait_until(lambda: (shell.folder / "begun").exists() or process.poll() is not None)
        status = Path(f"/proc/{process.pid}/status").read_text()
        process.send_signal(ignored)
        (shell.folder / "go").touch()
        _, errors = process.communicate(timeout=LIMIT)
    (mask,) = (line.split()[1] for line in status.splitlines() if line.startswith("SigIgn:"))
    assert int(mask, 16) >> (ignored - 1) & 1
    assert (process.returncode, errors) == (0, "")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_job_ends_completely(shell: Any, number: signal.Signals, code: int) -> None:
    with shell.start("run", "--", "sh", "-c", "touch begun; sleep 600") as process:
        wait_until(lambda: (shell.folder / "begun").exists())
        process.send_signal(number)
        _, errors = process.communicate(timeout=LIMIT)
    assert process.returncode == code
    assert f"nereus: stopped by {number.name}" in errors
    assert "Traceback" not in errors
    assert listed(shell) == []


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGUSR2])
def test_user_signals_are_passed_on_to_the_application(shell: Any, number: signal.Signals) -> None:
    script = f"trap 'touch got' {number.name[3:]}; touch begun; while [ ! -e got ]; do sleep 0.1; done"
    with shell.start("run", "--name", "warned", "--", "sh", "-c", script) as process:
        wait_until(lambda: (shell.folder / "begun").exists() or process.poll() is not None)
        process.send_signal(number)
        _, errors = process.communicate(timeout=LIMIT)
    assert process.returncode == 0
    assert f"job warned: {number.name} is passed on to its processes" in errors


SHOW = (
    "echo $NEREUS_PLACEMENT $NEREUS_OVERSUBSCRIBE $NEREUS_RELEASE_UNIT $NEREUS_MAX_RANKS $NEREUS_START_RANKS"
)


def test_program_of_this_folder_is_found(shell: Any) -> None:
    shell.write("mine", "#!/bin/sh\necho mine\n")
    (shell.folder / "mine").chmod(0o755)
    assert shell.nereus("run", "--", "./mine", PATH="/usr/bin:/bin").stdout == "mine\n"


def test_settings_reach_the_job(shell: Any) -> None:
    options = ("--placement", "spread", "--oversubscribe", "--release-unit", "rank", "--max-ranks", "9")
    result = shell.nereus("run", "-n", "4", *options, "--", "sh", "-c", SHOW)
    assert result.stdout == "spread on rank 9 4\n"
    plain = shell.nereus("run", "--max-ranks", "9", "--", "sh", "-c", SHOW, NEREUS_PLACEMENT="spread")
    assert plain.stdout == "spread off job 9\n"


def test_hosts_reach_launcher_and_job(shell: Any) -> None:
    show = "echo $PLACED $NEREUS_HOSTS $NEREUS_LINK"
    options = ("--hosts", "localhost:2,127.0.0.1:2", "--placement", "spread", "-n", "3")
    result = shell.nereus("run", *options, "--", "sh", "-c", show)
    words = result.stdout.split()
    assert words[:2] == ["localhost:1,127.0.0.1:1", "localhost:2,127.0.0.1:2"]
    assert words[2].startswith("ipc://")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--", "no-such-program"], "PROGRAM = no-such-program"),
        (["-n", "0", "--", "true"], "a whole number from 1 is allowed"),
        (["-n", "1000000", "--", "true"], "-n = 1000000: the launcher is asked for at most"),
        (["-n", "4", "--max-ranks", "3", "--", "true"], "at most 3 (--max-ranks)"),
        (["-n", "4", "--hosts", "n1:2,n2", "--", "true"], "the hosts n1:2,n2:1 have 3 slots"),
        (["--hosts", "n1:0", "--", "true"], "n1 has 0 slots"),
        (["--hosts", "nosuchhost.invalid:4", "--", "true"], "nosuchhost.invalid cannot be reached from here"),
        (["--mpi", "other", "--", "true"], "--mpi = other"),
        (["--placement", "random", "--", "true"], "random"),
        (["--name", "1st", "--", "true"], "--name = 1st: allowed are 1 to 32 letters, digits"),
        (["--name", "", "--", "true"], "--name = (empty): allowed are"),
        (["--name", "0123456789abcdef", "--", "true"], "could be the key of a job"),
        ([], "PROGRAM"),
    ],
)
def test_invalid_run_gives_one_line_and_starts_nothing(
    shell: Any, arguments: list[str], expected: str
) -> None:
    result = shell.nereus("run", *arguments)
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("nereus: ")
    assert expected in line


def test_without_jobs_the_list_is_empty(shell: Any) -> None:
    result = shell.nereus("jobs")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "no jobs\n")


def test_running_job_is_listed_with_its_command(shell: Any) -> None:
    with playing(shell, "open:3", "sleep") as key:
        wait_until(state_is(shell, "running"))
        text = shell.nereus("jobs").stdout
        assert all(word in text for word in ("played ", "h:3", "running", "player.py"))
        assert key not in text
        (job,) = listed(shell)
        assert (job["job"], job["name"]) == (key, "played")
    assert listed(shell) == []


def test_job_is_named_after_its_program_without_given_name(shell: Any) -> None:
    told = "job {0}: `nereus resize {0} N` asks it for N ranks"
    for options, name in (((), "sh-1"), (("--name", "mine"), "mine")):
        result = shell.nereus("run", *options, "--", "sh", "-c", "true")
        assert result.stderr.splitlines() == [told.format(name)]


def test_job_name_is_unique_and_free_after_the_job(shell: Any) -> None:
    again = ("run", "--name", "mine", "--", "sh", "-c", "touch started")
    with playing(shell, "sleep", name="mine"):
        refused = shell.nereus(*again)
        assert refused.returncode == 2
        assert refused.stderr == (
            "nereus: --name = mine: a job of yours that runs on this host has this name\n"
        )
        assert not (shell.folder / "started").exists()
    assert shell.nereus(*again).returncode == 0


def test_job_is_resized_by_name_key_or_key_prefix(shell: Any) -> None:
    acts = [act for request in (7, 8, 9) for act in (f"resize:0:{request}", f"settled:{request}:1")]
    with playing(shell, "open", *acts, "sleep", name="mine") as key:
        wait_until(state_is(shell, "running"))
        for job in ("mine", key, key[:6]):
            assert shell.nereus("resize", job, "3").stdout.startswith("resized 2 → 3 ranks")
        refused = shell.nereus("resize", "min", "3")
    assert refused.returncode == 2
    assert refused.stderr == ("nereus: JOB = min: no such job of yours is known here; running: mine\n")


def test_resize_is_reported_in_a_sentence_with_its_pause(shell: Any) -> None:
    with playing(shell, "open", "resize:0:7", "settled:7:1", "resize:0:8", "settled:8:1", "sleep") as name:
        wait_until(state_is(shell, "running"))
        ways = ["--transfer-method", "col", "--transfer-strategy", "thread", "--survivors", "first"]
        result = shell.nereus("resize", name[:6], "3", "--process-method", "merge", "--allow-fewer", *ways)
        assert result.returncode == 0, result.stderr
        told = "resized 2 → 3 ranks: pause 12.3 ms (processes 250 ms, merge + join, col thread)\n"
        assert result.stdout == told
        document = json.loads(shell.nereus("resize", name, "3", "--json").stdout)
        assert document["name"] == "NEREUS_RESIZED"
        assert document["report"]["to"] == 3
    events = [json.loads(line) for line in (shell.folder / "events.jsonl").read_text().splitlines()]
    ways_asked = {"transfer-method": "col", "transfer-strategy": "thread", "survivors": "first"}
    assert events[0]["options"] == {"process-method": "merge", "allow-fewer": "on", **ways_asked}
    assert events[1]["options"] == {}


@pytest.mark.parametrize(
    ("acts", "code", "expected"),
    [
        (("resize:4:0",), 0, "heard"),
        (("resize:5:7",), 0, "noted as request 7: heard"),
        (("resize:-3:0",), 1, "nereus: heard (NEREUS_ERR_RANGE)"),
        (("resize:0:7", "settled:7:-8"), 1, "nereus: said (NEREUS_ERR_TIMEOUT)"),
    ],
)
def test_outcome_of_a_resize_request_is_reported(
    shell: Any, acts: tuple[str, ...], code: int, expected: str
) -> None:
    wait = [] if "settled:7:-8" in acts else ["--no-wait"]
    with playing(shell, "open", *acts, "sleep") as name:
        wait_until(state_is(shell, "running"))
        result = shell.nereus("resize", name, "3", *wait)
    assert result.returncode == code
    assert (result.stdout + result.stderr).splitlines() == [expected]


def test_program_without_nereus_cannot_be_resized(shell: Any) -> None:
    with playing(shell, "sleep") as name:
        result = shell.nereus("resize", name, "3")
    assert result.returncode == 1
    assert result.stderr == "nereus: the program has not opened a Nereus job\n"


def test_resize_of_an_unresponsive_job_times_out(shell: Any) -> None:
    with playing(shell, "open", "sleep") as name:
        wait_until(state_is(shell, "running"))
        result = shell.nereus("resize", name, "3", "--timeout", "0.5")
    assert result.returncode == 1
    assert result.stderr.startswith("nereus: job played: ")
    assert "did not answer in time; whether it will be resized is not known" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["4f2a", "8"], "JOB = 4f2a: no such job of yours is known here"),
        (["4f2a", "0"], "RANKS"),
        (["4f2a", "many"], "RANKS = many: allowed is 1 .. 2147483647"),
        (["4f2a", "8", "--hosts", "n1:x"], "n1 has x slots"),
        (["4f2a", "8", "--process-method", "magic"], "magic"),
        (["4f2a", "8", "--process-strategies", "join+magic"], "magic"),
        (["4f2a", "8", "--process-strategies", "join+single"], "exclude one another"),
        (["4f2a", "8", "--transfer-method", "rma"], "rma"),
        (["4f2a", "8", "--survivors", "last"], "last"),
        (
            ["4f2a", "8", "--transfer-method", "rma-lock", "--transfer-strategy", "nonblocking"],
            "--transfer-method = rma-lock: rma-lock does not go with nonblocking: ",
        ),
        (
            ["4f2a", "8", "--transfer-method", "rma-lockall", "--process-method", "baseline-inter"],
            "rma-lockall does not go with baseline-inter: there is no window",
        ),
        (["4f2a"], "RANKS"),
    ],
)
def test_wrong_resize_request_gives_one_line(shell: Any, arguments: list[str], expected: str) -> None:
    result = shell.nereus("resize", *arguments)
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("nereus: ")
    assert expected in line
