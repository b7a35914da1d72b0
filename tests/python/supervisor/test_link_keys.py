# SPDX-License-Identifier: BSD-3-Clause
"""A job's link: over the network only who has the job's keys is heard, and newcomers are no root."""

import json
import os
import secrets
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import zmq
from a_stage import PLAYER

from nereus.launch import Host, Launch, LaunchError, Reach, Share
from nereus.supervisor import Job, Supervision
from nereus.supervisor.curve import new_pair
from nereus.supervisor.key_folder import FOLDER_VARIABLE, KeyFolder
from nereus.supervisor.link_keys import LinkKeys
from nereus.supervisor.link_socket import LinkSocket
from nereus.supervisor.sockets import Sockets

JOB = "0123456789abcdef"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of the test's own, on a host that others reach by its loopback."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr("nereus.supervisor.link_socket.own_address", lambda others: "127.0.0.1")
    return folder


@contextmanager
def far_job(stage: Any, *acts: str) -> Iterator[Job]:
    """A job that has another host, though nothing is started there."""
    arguments = (str(PLAYER), *acts)
    launch = Launch(stage.build, Path(sys.executable), arguments, reach=Reach((Host("elsewhere"),)))
    with Job(Supervision(launch, [Share("", 2)], joins=True), stage.folder / "output.txt") as job:
        job.grace = 2.0
        yield job


def seen_of(job: Job, what: str) -> list[bytes]:
    """A file of /proc of each process of the job."""
    found = []
    for process in job.processes():
        with suppress(OSError):  # it may just have ended
            found.append(Path(f"/proc/{process.pid}/{what}").read_bytes())
    return found


def of_environment(job: Job, name: str) -> str:
    """What a process of the job has there; "" where none has it."""
    entries = [entry for each in seen_of(job, "environ") for entry in each.split(b"\0")]
    return next((e.decode().partition("=")[2] for e in entries if e.startswith(f"{name}=".encode())), "")


def begun(stage: Any, job: Job) -> tuple[str, Path]:
    """Wait until the job has grown; where its link is, and the file of keys."""
    stage.attend(job, (stage.folder / "begun").exists)
    return of_environment(job, "NEREUS_LINK"), Path(of_environment(job, "NEREUS_LINK_KEYS"))


def finish(stage: Any, job: Job) -> None:
    (stage.folder / "done").touch()
    stage.attend(job, lambda: not job.running())
    assert job.outcome().good


OPEN = ("open", "make:1:=1", "hello", "orders:1:0:go", "settled:1:1", "touch:begun", "until:done")


def test_job_on_several_hosts_grows_and_its_keys_are_removed_afterwards(stage: Any, home: Path) -> None:
    with far_job(stage, *OPEN) as job:
        address, file = begun(stage, job)
        assert address.startswith("tcp://127.0.0.1:")
        assert file.is_relative_to(home / ".nereus" / "keys")
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        finish(stage, job)
    assert list(home.iterdir()) == []
    assert len(stage.events("started")) == 1


def test_keys_are_not_visible_from_outside(stage: Any) -> None:
    with far_job(stage, *OPEN) as job:
        _, file = begun(stage, job)
        keys = json.loads(file.read_text())
        assert keys.keys() == {"public", "secret", "server"}
        seen = seen_of(job, "cmdline") + seen_of(job, "environ")
        assert len(seen) >= 2
        for key in keys.values():
            assert key.encode() not in b"".join(seen)
            assert key not in file.name
        finish(stage, job)


@pytest.mark.parametrize("knows", ["nothing", "the supervisor's key"])
def test_process_without_a_key_of_the_link_is_ignored(stage: Any, knows: str) -> None:
    with far_job(stage, *OPEN) as job:
        address, file = begun(stage, job)
        words: list[dict[str, Any]] = [
            {"kind": "root", "generation": 5, "ranks": 7, "hosts": ["h"] * 7},
            {"kind": "make", "request": 9, "parties": [{"party": 0, "shares": [{"host": "", "ranks": 1}]}]},
            {"kind": "closing"},
        ]
        with Sockets() as sockets:
            stranger = sockets.dealer()
            if knows == "the supervisor's key":
                pair = new_pair()
                stranger.curve_serverkey = json.loads(file.read_text())["server"].encode()
                stranger.curve_publickey, stranger.curve_secretkey = (
                    pair.public.encode(),
                    pair.secret.encode(),
                )
            failed = sockets.context().socket(zmq.PAIR)
            events = zmq.Event.HANDSHAKE_FAILED_AUTH | zmq.Event.HANDSHAKE_FAILED_PROTOCOL
            stranger.monitor("inproc://failed", events | zmq.Event.HANDSHAKE_FAILED_NO_DETAIL)
            failed.connect("inproc://failed")
            stranger.connect(address)
            stranger.sndtimeo = 1000  # who was refused already has nobody to send to, and would wait for ever
            for word in words:
                with suppress(zmq.Again):
                    stranger.send(json.dumps({"version": 1, "job": job.key, **word}).encode())
            stage.attend(job, lambda: bool(failed.poll(0)))
            assert not stranger.poll(0)
            stranger.disable_monitor()
        finish(stage, job)
    assert len(stage.events("started")) == 1


def test_newcomer_posing_as_the_root_is_ignored(stage: Any, capfd: Any) -> None:
    acts = ("open", "make:1:=1", "hello", "hello", "orders:1:0:go", "settled:1:1")
    job = stage.play(*acts, PLAYER_LEADER="usurps")
    assert job.outcome().good
    assert len(stage.events("started")) == 1
    said = capfd.readouterr().err
    for kind in ("root", "make", "closing"):
        assert f"`{kind}` of a process that may not send it is refused" in said


def test_more_newcomers_than_allowed_are_refused(stage: Any, capfd: Any) -> None:
    acts = (
        "open",
        "make:1:=3:=2",
        "died",
        "settled:1:-7",
        "make:2:=4",
        "hello",
        "orders:2:0:go",
        "settled:2:1",
    )
    assert stage.play(*acts, NEREUS_MAX_RANKS="4").outcome().good
    assert [event["started"] for event in stage.events("started")] == ["2.0"]
    reason = "5 more processes are too many: at most 4 are allowed (--max-ranks)"
    assert stage.received("died")[0]["reason"] == reason
    assert f": {reason}\n" in capfd.readouterr().err


def test_newcomers_of_several_resizes_count_together(stage: Any) -> None:
    acts = ("open", "make:1:=3", "make:2:=2", "died", "hello", "settled:2:-7", "orders:1:0:go", "settled:1:1")
    assert stage.play(*acts, NEREUS_MAX_RANKS="4").outcome().good
    assert [event["started"] for event in stage.events("started")] == ["1.0"]


def test_local_job_has_no_keys(stage: Any, home: Path) -> None:
    with stage.job(*OPEN) as job:
        address, _ = begun(stage, job)
        assert address.startswith("ipc://")
        assert of_environment(job, "NEREUS_LINK_KEYS") == ""
        assert list(home.iterdir()) == []
        finish(stage, job)


def test_link_in_a_folder_accessible_to_others_is_refused(stage: Any, tmp_path: Path) -> None:
    open_to_all = tmp_path / "open"
    open_to_all.mkdir(mode=0o755)
    open_to_all.chmod(0o755)
    with Sockets() as sockets, pytest.raises(LaunchError, match="others may look into it"):
        LinkSocket(sockets, open_to_all, Launch(stage.build, Path(sys.executable)), JOB)


def test_user_can_set_the_folder_of_keys(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = tmp_path / "shared" / "keys"
    monkeypatch.setenv(FOLDER_VARIABLE, str(named))
    keys = LinkKeys(JOB)
    assert [keys.file] == list(named.iterdir())
    keys.remove()
    assert list(named.iterdir()) == list(home.iterdir()) == []


def test_key_folder_accessible_to_others_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o755)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(LaunchError, match=f"mode 755, allowed is 700.*{FOLDER_VARIABLE}"):
        LinkKeys(JOB)


def test_home_that_cannot_hold_keys_is_reported_with_remedy(home: Path) -> None:
    (home / ".nereus").touch()
    with pytest.raises(LaunchError, match=f"cannot be used: Not a directory.*{FOLDER_VARIABLE}"):
        LinkKeys(JOB)


def test_keys_of_a_killed_supervisor_are_removed_by_the_next_one() -> None:
    code = "from nereus.supervisor.link_keys import LinkKeys; import os; LinkKeys('0' * 16); os._exit(0)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    (left,) = KeyFolder.of_user().path.iterdir()
    living, of_another_host = (
        LinkKeys("1" * 16),
        KeyFolder.of_user().path / f"{secrets.token_hex(16)}-1-{2**22 + 1}-{JOB}",
    )
    of_another_host.touch()
    keys = LinkKeys(JOB)
    assert set(KeyFolder.of_user().path.iterdir()) == {living.file, of_another_host, keys.file}
    assert left.name.endswith("0" * 16)


def test_each_job_has_its_own_keys() -> None:
    one, other = LinkKeys("1" * 16), LinkKeys(JOB)
    assert len({one.client.secret, one.server.secret, other.client.secret, other.server.secret}) == 4
    for pair in (one.client, one.server):
        assert pair.secret not in repr(pair)
    assert os.access(one.file, os.R_OK)
