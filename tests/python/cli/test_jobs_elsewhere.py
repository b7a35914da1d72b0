# SPDX-License-Identifier: BSD-3-Clause
"""`nereus jobs`, `resize` and `top` where jobs run on other hosts: by records in a folder of the user."""

import json
from pathlib import Path
from typing import Any

import pytest
from a_far_supervisor import far_supervisor, record_of, write_record

A, B = "a" * 16, "b" * 16
TRIES = 20
DONE = "resized 2 → 4 ranks"


@pytest.fixture
def keys(shell: Any) -> Path:
    return Path(shell.environment["NEREUS_KEY_FOLDER"])


def listed(shell: Any) -> list[dict[str, Any]]:
    result = shell.nereus("jobs", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    jobs: list[dict[str, Any]] = json.loads(result.stdout)["jobs"]
    return jobs


def heard(shell: Any, *words: str) -> str:
    """What a command prints, asked again where a job was silent, as one may be on a busy machine."""
    for _ in range(TRIES):
        text = str(shell.nereus(*words).stdout)
        if "silent" not in text:
            break
    return text


def test_jobs_of_other_hosts_are_listed_with_their_host(shell: Any, keys: Path) -> None:
    with far_supervisor(keys, A), far_supervisor(keys, B, name="far-2", host="n3"):
        first, second = listed(shell)
        table = shell.nereus("jobs").stdout.splitlines()
    assert (first["job"], first["name"], first["host"]) == (A, "far-1", "n2")
    assert (first["state"], first["ranks"]) == ("running", 2)
    assert (second["job"], second["host"]) == (B, "n3")
    assert table[0].split()[:3] == ["job", "host", "ranks"]
    assert [line.split()[:3] for line in table[1:]] == [["far-1", "n2", "2"], ["far-2", "n3", "2"]]


def test_silent_job_of_another_host_is_listed_with_the_reason(shell: Any, keys: Path) -> None:
    with far_supervisor(keys, A, silent=True):
        text = shell.nereus("jobs").stdout
    assert "far-1  n2" in text and "silent: it did not answer in time" in text


def test_host_is_not_shown_where_all_jobs_are_here(shell: Any) -> None:
    with shell.start("run", "-q", "--", "sh", "-c", "echo on; exec sleep 600") as process:
        try:
            process.stdout.readline()
            (job,) = listed(shell)
            assert job["host"]
            assert shell.nereus("jobs").stdout.split()[:2] == ["job", "ranks"]
        finally:
            process.terminate()
            process.communicate(timeout=60)


def test_job_of_another_host_is_resized_by_name_key_and_prefix(shell: Any, keys: Path) -> None:
    with far_supervisor(keys, A) as far:
        for job in ("far-1", A, A[:5]):
            assert shell.nereus("resize", job, "4").stdout.startswith(DONE)
    options = {"options": {}, "wait": True, "version": 1}
    assert far.asked == 3 * [{"kind": "resize", "ranks": 4, **options}]


def test_ambiguous_name_is_refused_with_host_and_key_of_each_job(shell: Any, keys: Path) -> None:
    with far_supervisor(keys, A), far_supervisor(keys, B, host="n3"):
        refused = shell.nereus("resize", "far-1", "4")
    assert refused.returncode == 2
    both = f"far-1 on n2 (key {A}), far-1 on n3 (key {B})"
    assert refused.stderr == f"nereus: JOB = far-1: could be any of {both}\n"


def test_silent_job_of_another_host_ends_the_wait_for_a_resize(shell: Any, keys: Path) -> None:
    with far_supervisor(keys, A, silent=True):
        refused = shell.nereus("resize", "far-1", "4", "--timeout", "0.5")
    assert refused.returncode == 1
    told = "it did not answer in time; whether it will be resized is not known"
    assert refused.stderr == f"nereus: job far-1 on n2 (key {A}): {told}\n"


def test_record_that_is_not_trusted_is_named_and_hides_no_job(shell: Any, keys: Path) -> None:
    path = write_record(keys, record_of(B, name="\x1b[31mred"))
    open_to_all = write_record(keys, record_of("c" * 16))
    open_to_all.chmod(0o644)
    with far_supervisor(keys, A):
        found = shell.nereus("jobs")
        resized = shell.nereus("resize", "far-1", "4")
    lines = [f"nereus: warning: {each}: is ignored: " for each in (path, open_to_all)]
    for result in (found, resized):
        assert result.returncode == 0
        told = result.stderr.splitlines()
        assert [line.startswith(begin) for line, begin in zip(told, lines, strict=True)] == [True, True]
        assert "\x1b" not in result.stderr
    assert "far-1" in found.stdout


def test_top_shows_jobs_of_other_hosts_without_daemon(shell: Any, keys: Path) -> None:
    with far_supervisor(keys, A):
        lines = heard(shell, "top", "--json", "--samples", "2", "--interval", "0.1").splitlines()
        table = heard(shell, "top", "--samples", "1")
        elsewhere = shell.nereus("top", "far-1")
    for document in map(json.loads, lines):
        assert [(job["job"], job["host"], job["state"]) for job in document["supervised"]] == [
            (A, "n2", "running")
        ]
        assert "no daemon of yours runs" in document["why"]
    assert len(lines) == 2
    assert "jobs: 1; no daemon of yours runs" in table and "running on n2" in table
    assert elsewhere.returncode == 2
    assert "far-1 runs on n2: --at n2 looks there" in elsewhere.stderr
