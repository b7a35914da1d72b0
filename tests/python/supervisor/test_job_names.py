# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: names by which jobs are told from one another, and found."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nereus.launch import Command, LaunchError
from nereus.supervisor import Job, check_job_name, claim_name, control_sockets, find, job_names
from nereus.supervisor.control_socket import ControlSocket, control_socket_folder
from nereus.supervisor.job_names import is_job_name, meant_by, numbered_name, shown_name
from nereus.supervisor.sockets import Sockets

LIMIT = 60.0
# Claims names as `nereus run` does, tells them, and has them until its standard input ends.
CLAIMS = """
import json, sys
from nereus.supervisor import claim_name
claims = [claim_name(wanted, "cg") for wanted in json.loads(sys.argv[1])]
print(json.dumps([claim.name for claim in claims]), flush=True)
sys.stdin.read()
for claim in claims:
    claim.release()
"""
COMES_AND_GOES = """
from nereus.supervisor import claim_name, control_sockets, job_names
for _ in range(100):
    with claim_name(None, "cg") as claim:
        control_sockets()
        assert job_names()[claim.key] == claim.name
"""


@contextmanager
def another_process(*wanted: str | None) -> Iterator["subprocess.Popen[str]"]:
    """One that claims these names."""
    with subprocess.Popen(
        [sys.executable, "-c", CLAIMS, json.dumps(wanted)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def names_of(process: "subprocess.Popen[str]") -> list[str]:
    """Which names it got."""
    assert process.stdout is not None
    names: list[str] = json.loads(process.stdout.readline())
    return names


@pytest.mark.parametrize("name", ["cg", "A", "my-job_2.b", "cafe", "x" * 32, "abcdefabcdefabcdef"])
def test_valid_name_is_accepted(name: str) -> None:
    check_job_name(name)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "(empty): allowed are 1 to 32"),
        ("x" * 33, "allowed are 1 to 32"),
        ("1cg", "the first of them a letter"),
        ("-n", "the first of them a letter"),
        (".hidden", "the first of them a letter"),
        ("a/b", "allowed are"),
        ("a b", "allowed are"),
        ("a\n", "allowed are"),
        ("gr\u00fc\u00df", "allowed are"),
        ("a\x1b[31m", "allowed are"),
        ("abcdefabcdefabcd", "could be the key of a job"),
        ("0123456789abcdef", "could be the key of a job"),
    ],
)
def test_ambiguous_name_is_refused_with_reason(name: str, reason: str) -> None:
    with pytest.raises(LaunchError) as refused:
        check_job_name(name)
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("cg", "cg-1"),
        ("nereus-halo", "nereus-halo-1"),
        ("my app.sh", "my-app.sh-1"),
        ("2fast", "fast-1"),
        ("\u540d", "job-1"),
        ("--", "job-1"),
        ("x" * 99, "x" * 24 + "-1"),
    ],
)
def test_job_without_given_name_is_named_after_its_program(program: str, name: str) -> None:
    assert numbered_name(program, 1) == name


@given(st.text(), st.integers(1, 10**6))
def test_name_after_any_program_is_valid(program: str, number: int) -> None:
    assert is_job_name(numbered_name(program, number))


@pytest.mark.usefixtures("stage")
def test_job_gets_the_first_free_number() -> None:
    with ExitStack() as running:
        claims = [running.enter_context(claim_name(None, "cg")) for _ in range(3)]
        assert [claim.name for claim in claims] == ["cg-1", "cg-2", "cg-3"]
        assert len({claim.key for claim in claims}) == 3
        assert job_names() == {claim.key: claim.name for claim in claims}
        claims[1].release()
        claims[1].release()
        with claim_name(None, "cg") as again, claim_name(None, "halo") as other:
            assert (again.name, other.name) == ("cg-2", "halo-1")
    assert not control_socket_folder().exists()


@pytest.mark.usefixtures("stage")
def test_given_name_is_unique_until_its_job_has_ended() -> None:
    with claim_name("mine", "cg"):
        with pytest.raises(LaunchError, match=r"^--name = mine: a job of yours .* has this name$"):
            claim_name("mine", "cg")
        with another_process("mine") as process:
            assert process.wait(LIMIT) != 0
    with claim_name("mine", "cg") as again:
        assert list(job_names().values()) == [again.name] == ["mine"]


@pytest.mark.usefixtures("stage")
def test_invalid_name_is_never_claimed() -> None:
    with pytest.raises(LaunchError, match=r"--name = \.\./cg"):
        claim_name("../cg", "cg")
    assert not control_socket_folder().exists()


@pytest.mark.usefixtures("stage")
def test_name_is_free_again_after_its_supervisor_was_killed() -> None:
    with another_process("mine", None, None) as process:
        assert names_of(process) == ["mine", "cg-1", "cg-2"]
        process.kill()
        process.wait(LIMIT)
        assert len(job_names()) == 3, "who is killed cannot remove them"
        with claim_name("mine", "cg") as mine, claim_name(None, "cg") as first:
            assert (mine.name, first.name) == ("mine", "cg-1")
            assert control_sockets() == []  # whoever looks for jobs removes what is left of others
            assert job_names() == {mine.key: "mine", first.key: "cg-1"}


@pytest.mark.usefixtures("stage")
def test_child_process_of_a_supervisor_does_not_keep_the_name() -> None:
    with claim_name("mine", "cg") as claim, subprocess.Popen(["sleep", "600"]) as outlives:
        claim.release()
        claim_name("mine", "cg").release()
        outlives.kill()


@pytest.mark.usefixtures("stage")
def test_jobs_started_at_once_get_different_names() -> None:
    with ExitStack() as running:
        processes = [running.enter_context(another_process(*[None] * 5)) for _ in range(6)]
        names = [name for process in processes for name in names_of(process)]
        assert sorted(names) == sorted(f"cg-{number}" for number in range(1, 31))
        for process in processes:
            process.communicate(timeout=LIMIT)
            assert process.returncode == 0
    assert not control_socket_folder().exists()


@pytest.mark.usefixtures("stage")
def test_names_are_claimed_while_others_are_released_and_searched() -> None:
    """The last one that goes takes the folder along, under the feet of the next."""
    with ExitStack() as running:
        processes = [
            running.enter_context(subprocess.Popen([sys.executable, "-c", COMES_AND_GOES])) for _ in range(4)
        ]
        assert [process.wait(LIMIT) for process in processes] == [0] * 4
    assert not control_socket_folder().exists()


def test_name_folder_that_cannot_be_used_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "nereus").mkdir(mode=0o700)
    (tmp_path / "nereus" / "cg-1.name").mkdir()
    with pytest.raises(LaunchError, match=r"cg-1\.name: cannot be made: Is a directory"):
        claim_name(None, "cg")


@pytest.mark.usefixtures("stage")
def test_invalid_name_file_is_ignored() -> None:
    with claim_name("mine", "cg") as claim:
        for name, text in {"0123456789abcdef": "k", "-x": "k", "empty": ""}.items():
            (control_socket_folder() / f"{name}.name").write_text(text)
        assert job_names() == {claim.key: "mine"}
        assert control_sockets() == []
    assert not control_socket_folder().exists()


def test_job_is_matched_by_name_key_or_key_prefix() -> None:
    names = {"ab12": "cg-1", "ab34": "cg-2", "cd56": "ab"}
    keys = [*names, "ef78"]
    expected = {
        **{"cg-1": ["ab12"], "cg-2": ["ab34"], "ab34": ["ab34"], "ab3": ["ab34"], "ef": ["ef78"]},
        "ab": ["cd56"],  # a name comes before how keys begin
        "a": ["ab12", "ab34"],
        **{"cg": [], "cg-": [], "": [], "zz": []},  # of a name no part is enough
    }
    assert {job: meant_by(job, keys, names) for job in expected} == expected


def test_job_without_known_name_is_shown_by_key() -> None:
    assert shown_name({"job": "ab12", "name": "cg-1"}) == "cg-1"
    assert shown_name({"job": "ab12", "name": None}) == shown_name({"job": "ab12"}) == "ab12"


@pytest.mark.usefixtures("stage")
def test_running_job_is_found_by_name() -> None:
    sockets = Sockets()
    with claim_name(None, "cg") as one, claim_name("mine", "cg") as other:
        open_sockets = [ControlSocket(sockets, claim.key) for claim in (one, other)]
        assert find("cg-1").key == find(one.key).key == one.key
        assert find("mine").key == find(other.key[:15]).key == other.key
        for unknown in ("cg", "min", "cg-2", "none"):
            with pytest.raises(LaunchError, match=r"no such job .* running: cg-1, mine$"):
                find(unknown)
        for control_socket in open_sockets:
            control_socket.close()
    sockets.close()


def test_supervised_job_keeps_its_name_while_it_runs(stage: Any) -> None:
    with stage.job("sleep") as job:
        assert job.name == numbered_name(Path(sys.executable).name, 1)
        assert job_names() == {job.key: job.name}
        with stage.job("sleep") as other:
            assert other.name == numbered_name(Path(sys.executable).name, 2)
    assert job_names() == {}


def test_job_that_cannot_start_releases_its_name(stage: Any) -> None:
    stage.build.mpiexec.unlink()
    with claim_name("mine", "cg") as claim:
        start = stage.supervision("sleep", joins=False, environment={})
        with pytest.raises(LaunchError):
            Job(start, stage.folder / "output.txt", claim)
        claim_name("mine", "cg").release()


def test_unsupervised_program_takes_no_name(stage: Any) -> None:
    with Job(Command(["true"]), stage.folder / "output.txt") as job:
        assert job.name == job.key
        assert not os.path.lexists(control_socket_folder())
