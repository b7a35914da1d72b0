# SPDX-License-Identifier: BSD-3-Clause
"""Jobs in Slurm find the daemon of all hosts by a file in the folder of keys, if it is there and answers."""

import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from nereus.launch import LaunchError
from nereus.supervisor.daemon_address import daemon_address
from nereus.supervisor.site_record import (
    ClientKeys,
    address_in_record,
    answers,
    read_client_keys,
    record_path,
    remove_record,
    write_record,
)

KEYS = ClientKeys("p" * 40, "s" * 40, "d" * 40)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of keys."""
    monkeypatch.setenv("NEREUS_KEY_FOLDER", str(tmp_path / "keys"))
    return tmp_path / "keys"


@pytest.fixture
def address() -> Iterator[str]:
    """Of somebody who answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Of a job in Slurm, on a host without a daemon of its own."""
    return {
        "XDG_RUNTIME_DIR": str(folder.parent),
        "NEREUS_KEY_FOLDER": str(folder),
        "SLURM_JOB_ID": "7",
    } | more


def test_jobs_in_slurm_find_the_daemon(folder: Path, address: str) -> None:
    path = write_record(address, KEYS)
    assert path == record_path() == folder / "daemon"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert daemon_address(environment(folder)) == {
        "NEREUS_CONTROLLER": address,
        "NEREUS_CONTROLLER_KEYS": str(path),
    }
    assert read_client_keys(path) == KEYS
    assert daemon_address(environment(folder, NEREUS_CONTROLLER="")) == {}
    assert daemon_address(environment(folder, SLURM_JOB_ID="")) == {}


def test_daemon_of_the_own_slurm_job_goes_before_others(folder: Path, address: str) -> None:
    write_record("tcp://127.0.0.1:1", KEYS)
    path = write_record(address, KEYS, of_job="7")
    assert path == folder / "pilot-7"
    assert daemon_address(environment(folder))["NEREUS_CONTROLLER_KEYS"] == str(path)
    assert daemon_address(environment(folder, SLURM_JOB_ID="8")) == {}
    assert daemon_address(environment(folder), here=False)["NEREUS_CONTROLLER"] == address
    remove_record(address, of_job="7")
    assert [each.name for each in folder.iterdir()] == ["daemon"]


def test_job_without_a_home_folder_finds_no_daemon(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def homeless() -> Path:
        raise RuntimeError("no home folder")

    monkeypatch.setattr(Path, "home", homeless)
    assert daemon_address({"SLURM_JOB_ID": "7", "XDG_RUNTIME_DIR": str(tmp_path)}) == {}
    assert address_in_record({}, of_job="7") is None


def test_daemon_that_does_not_answer_is_not_found(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    write_record(f"tcp://127.0.0.1:{port}", KEYS)
    assert daemon_address(environment(folder)) == {}


def test_another_daemon_that_answers_is_not_replaced(folder: Path, address: str) -> None:
    write_record(address, KEYS)
    with pytest.raises(LaunchError, match=f"a daemon answers at {address}"):
        write_record("tcp://127.0.0.1:1", KEYS)
    write_record(address, KEYS)
    assert address_in_record() == address


def test_record_of_a_daemon_that_is_gone_is_replaced(folder: Path) -> None:
    write_record("tcp://127.0.0.1:1", KEYS)
    write_record("tcp://127.0.0.1:2", KEYS)
    assert address_in_record() == "tcp://127.0.0.1:2"
    assert [path.name for path in folder.iterdir()] == ["daemon"]


def test_only_the_own_record_is_removed(folder: Path) -> None:
    write_record("tcp://127.0.0.1:2", KEYS)
    remove_record("tcp://127.0.0.1:1")
    assert address_in_record() == "tcp://127.0.0.1:2"
    remove_record("tcp://127.0.0.1:2")
    assert not (folder / "daemon").exists()
    remove_record("tcp://127.0.0.1:2")


@pytest.mark.parametrize("content", ["", "no JSON", "[]", "{}", '{"address": 5}', '{"address": "tcp://x"}'])
def test_record_that_makes_no_sense_is_none(folder: Path, content: str) -> None:
    folder.mkdir()
    (folder / "daemon").write_text(content)
    (folder / "daemon").chmod(0o600)
    assert daemon_address(environment(folder)) == {}
    with pytest.raises(LaunchError, match="no file of keys"):
        read_client_keys(folder / "daemon")


def test_record_that_others_can_read_is_none(folder: Path, address: str) -> None:
    write_record(address, KEYS).chmod(0o640)
    assert daemon_address(environment(folder)) == {}


def test_folder_that_cannot_be_made_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NEREUS_KEY_FOLDER", str(tmp_path / "file" / "keys"))
    with pytest.raises(LaunchError, match="jobs on other hosts find the daemon there"):
        write_record("tcp://127.0.0.1:1", KEYS)


@pytest.mark.parametrize("strange", ["", "ipc://x", "tcp://127.0.0.1:99999", "tcp://no.such.host.invalid:1"])
def test_nobody_answers_at_an_address_that_makes_no_sense(strange: str) -> None:
    assert not answers(strange)
