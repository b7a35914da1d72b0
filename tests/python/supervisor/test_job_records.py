# SPDX-License-Identifier: BSD-3-Clause
"""Records of jobs: whole or not there, trusted only as this user's own, removed with their jobs."""

import json
import os
import secrets
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from a_far_supervisor import ELSEWHERE, NOWHERE, record_of, write_record
from hypothesis import given, settings
from hypothesis import strategies as st

from nereus.launch import LaunchError
from nereus.launch.processes import this_process
from nereus.supervisor.job_record import JobRecord
from nereus.supervisor.job_records import WrittenRecord, forget_refusing, job_records
from nereus.supervisor.key_folder import FOLDER_VARIABLE, origin

A, B = "a" * 16, "b" * 16
OF_THIS_PROCESS = {"supervisor": {"pid": os.getpid(), "started": this_process().started}, "origin": origin()}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of keys and records; it is not there yet."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "keys"))
    return tmp_path / "keys"


def never(text: str) -> None:
    raise AssertionError(text)


def made(key: str) -> JobRecord:
    about = record_of(key)
    for name in ("version", "supervisor", "origin"):
        del about[name]
    return JobRecord.of_this_process(**about)


def ignored(path: Path) -> str:
    """Why the one file that is there is not taken for a record; it is named, and stays."""
    told: list[str] = []
    assert job_records(told.append) == []
    (line,) = told
    assert line.startswith(f"{path}: is ignored: ") and "\n" not in line
    assert os.path.lexists(path)
    return line


def test_record_is_written_for_its_user_alone_and_removed_with_the_job(folder: Path) -> None:
    record = made(A)
    written = WrittenRecord(record)
    (path,) = folder.iterdir()
    assert path.name == f"{A}.job"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert job_records(never) == [record]
    written.remove()
    assert list(folder.iterdir()) == []


def test_usual_folder_is_below_the_home_and_gone_without_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE)
    monkeypatch.setenv("HOME", str(tmp_path))
    written = WrittenRecord(made(A))
    assert (tmp_path / ".nereus" / "keys" / f"{A}.job").exists()
    written.remove()
    assert list(tmp_path.iterdir()) == []


def test_without_folder_or_home_there_are_no_records(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert job_records(never) == []
    folder.write_text("no folder")
    told: list[str] = []
    assert job_records(told.append) == [] and "is no folder" in told[0]
    monkeypatch.delenv(FOLDER_VARIABLE)

    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", homeless)
    assert job_records(never) == []


def test_folder_that_others_may_read_is_named_and_nothing_in_it_is_trusted(folder: Path) -> None:
    write_record(folder, record_of(A))
    folder.chmod(0o750)
    told: list[str] = []
    assert job_records(told.append) == []
    assert "others may look into it (mode 750, allowed is 700)" in told[0]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o666])
def test_record_that_others_may_read_or_write_is_ignored(folder: Path, mode: int) -> None:
    path = write_record(folder, record_of(A))
    path.chmod(mode)
    assert f"others may read or write it (mode {mode:o}, allowed is 600)" in ignored(path)


def test_record_of_another_user_is_ignored(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_record(folder, record_of(A))
    owner = path.stat().st_uid
    real = os.fstat
    monkeypatch.setattr(
        os,
        "fstat",
        lambda file: os.stat_result((*real(file)[:4], owner + 1, *real(file)[5:])),
    )
    assert f"belongs to another user (number {owner + 1})" in ignored(path)


@pytest.mark.parametrize("kind", ["symlink", "fifo", "folder"])
def test_what_is_no_regular_file_is_ignored(folder: Path, tmp_path: Path, kind: str) -> None:
    real = write_record(tmp_path / "elsewhere", record_of(A))
    folder.mkdir(mode=0o700)
    path = folder / f"{A}.job"
    if kind == "symlink":
        path.symlink_to(real)
    elif kind == "fifo":
        os.mkfifo(path, 0o600)  # whoever opens it as a file waits for ever
    else:
        path.mkdir(mode=0o700)
    ignored(path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is no JSON document"),
        (json.dumps(record_of(A)).encode()[:-20], "is no JSON document"),
        (b"\xff\xfe", "is no JSON document"),
        (b"[" * 10_000, "is no JSON document"),
        (b"[]", "holds no object"),
        (json.dumps(record_of(A, padding="x" * 20_000)).encode(), "has more than 16384 bytes"),
        (json.dumps(record_of(A, version=2)).encode(), "is of version 2; this Nereus reads version 1"),
        (json.dumps(record_of(B)).encode(), f"is of the job {B}"),
    ],
)
def test_damaged_huge_and_future_records_are_ignored(folder: Path, content: bytes, reason: str) -> None:
    path = write_record(folder, record_of(A))
    path.write_bytes(content)
    assert reason in ignored(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("version", "1"),
        ("version", True),
        ("job", "../../etc/passwd"),
        ("name", "x\x1b[31m"),
        ("host", "-oProxyCommand=x"),
        ("address", "example.org"),
        ("address", "::1"),
        ("port", 0),
        ("port", 65536),
        ("port", True),
        ("server", "short"),
        ("secret", 40 * "\x00"),
        ("resource_manager", "a b"),
        ("started_unix", -1),
        ("supervisor", {"pid": "1", "started": 1}),
        ("supervisor", None),
        ("origin", "/proc"),
    ],
)
def test_wrong_values_are_named_without_the_keys(folder: Path, name: str, value: object) -> None:
    record = record_of(A)
    path = write_record(folder, record)
    path.write_text(json.dumps({**record, name: value}))
    line = ignored(path)
    assert f"is ignored: {name}" in line
    assert record["secret"] not in line


def test_later_keys_are_no_reason_to_refuse_a_record(folder: Path) -> None:
    write_record(folder, record_of(A, colour="red"))
    assert [record.job for record in job_records(never)] == [A]


def test_each_bad_record_is_named_and_good_ones_are_found(folder: Path) -> None:
    write_record(folder, record_of(A))
    bad = [write_record(folder, record_of(f"{number:016x}")) for number in range(3)]
    for path in bad:
        path.write_text("{")
    told: list[str] = []
    assert [record.job for record in job_records(told.append)] == [A]
    assert [line.partition(":")[0] for line in told] == [str(path) for path in bad]


def test_other_files_of_the_folder_are_no_records(folder: Path) -> None:
    write_record(folder, record_of(A))
    (folder / f"{ELSEWHERE}-7-{B}.job").write_text("not written to its end yet")
    (folder / f"{ELSEWHERE}-7-{B}").write_text("keys of a link")
    (folder / "notes.job").write_text("mine")
    assert [record.job for record in job_records(never)] == [A]


def test_record_of_a_killed_supervisor_of_this_host_is_removed_at_once(folder: Path) -> None:
    code = (
        "import os, sys; sys.path += sys.argv[1:]; from test_job_records import *; "
        "WrittenRecord(made(A)); os._exit(0)"
    )
    folders = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "fakes")]
    subprocess.run([sys.executable, "-c", code, *folders], check=True, timeout=60)
    assert (folder / f"{A}.job").exists()
    assert job_records(never) == []
    assert list(folder.iterdir()) == []


def test_number_of_a_dead_supervisor_that_was_given_away_again_is_no_life(folder: Path) -> None:
    write_record(folder, record_of(A, **OF_THIS_PROCESS | {"supervisor": {"pid": os.getpid(), "started": 1}}))
    write_record(folder, record_of(B, **OF_THIS_PROCESS))
    assert [record.job for record in job_records(never)] == [B]
    assert not (folder / f"{A}.job").exists()


def test_record_of_another_host_stays_whatever_runs_here(folder: Path) -> None:
    path = write_record(folder, record_of(A, supervisor={"pid": 2**22 + 1, "started": 1}))
    assert [record.job for record in job_records(never)] == [A]
    assert path.exists()


def test_refusing_host_has_only_its_old_records_removed(folder: Path) -> None:
    young = write_record(folder, record_of(A))
    old = write_record(folder, record_of(B, started_unix=time.time() - 100_000))
    assert [forget_refusing(record) for record in job_records(never)] == [False, True]
    assert young.exists() and not old.exists()


def test_folder_that_cannot_be_written_is_told_and_nothing_is_left(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(LaunchError, match=f"{A}.job: cannot be written: No space left on device"):
        WrittenRecord(made(A))
    assert list(folder.iterdir()) == []


def test_keys_are_not_shown_with_a_record() -> None:
    record = made(A)
    assert record.secret not in repr(record)
    assert record.secret not in repr(record.network_address)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=50),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=5,
)


@settings(deadline=None, max_examples=200)
@given(content=st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    with pytest.raises(LaunchError):
        JobRecord.read(content)


@settings(deadline=None, max_examples=200)
@given(name=st.sampled_from(sorted(record_of(A))), value=JSON)
def test_any_value_in_the_place_of_another_is_read_or_refused_in_one_line(name: str, value: Any) -> None:
    document = {**record_of(A, address=NOWHERE), name: value}
    try:
        record = JobRecord.checked(document)
    except LaunchError as problem:
        assert "\n" not in str(problem)
    else:
        assert json.loads(record.written())[name] == value


@settings(deadline=None, max_examples=100)
@given(
    name=st.from_regex(r"[A-Za-z][A-Za-z0-9._-]{0,14}", fullmatch=True),
    host=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,50}", fullmatch=True),
    port=st.integers(1, 65535),
    started=st.floats(0, 1e12),
    manager=st.none() | st.sampled_from(["slurm", "flux"]),
)
def test_what_is_written_is_read_again(
    name: str, host: str, port: int, started: float, manager: str | None
) -> None:
    about = {"name": name, "host": host, "port": port, "started_unix": started, "resource_manager": manager}
    record = JobRecord.checked(record_of(secrets.token_hex(8), **about))
    assert JobRecord.read(record.written()) == record
