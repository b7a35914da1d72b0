# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a daemon that lives through whatever it is sent, and hears nobody else."""

import json
import os
import resource
import socket
import stat
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zmq

from nereus.daemon import DaemonError, ask_daemon
from nereus.daemon.keys import make_keys
from nereus.supervisor.daemon_address import daemon_control_socket
from nereus.supervisor.frames import MOST_BYTES

NOBODY = 65534


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"{",
        b'{"version": 1}',
        b'{"version": 2, "job": "0123456789abcdef", "kind": "goodbye", "id": 1}',
        b'{"version": 1, "job": "no such name", "kind": "goodbye", "id": 1}',
        b'{"version": 1, "job": "0123456789abcdef", "kind": "dance"}',
        b'{"version": 1, "job": "0123456789abcdef", "kind": "heartbeat", "iteration": -1, "epoch": 0}',
        b'{"version": 1, "job": "0123456789abcdef", "kind": "heartbeat", "iteration": 1e400, "epoch": 0}',
        b"[" * 100_000,
        b" " * (MOST_BYTES - 1),
        b" " * (4 * MOST_BYTES),
    ],
)
def test_unreadable_message_is_dropped_and_the_job_continues(house: Any, frame: bytes) -> None:
    house.begin()
    job = house.known_job("a")
    job.send(frame)
    job.ask(1)
    # Who sends too much is cut off, and comes again.
    house.until(lambda: "grant" in job.kinds() or job.heartbeat() or job.ask(1) or "grant" in job.kinds())
    assert list(house.job_documents()) == [job.name]


def test_message_of_several_frames_is_dropped(house: Any) -> None:
    house.begin()
    job = house.known_job()
    job.socket.send_multipart([b"", b"{}"])
    job.ask(1)
    house.until(lambda: "grant" in job.kinds())
    assert house.dropped("malformed") == 1


def test_sockets_are_private_to_their_user(house: Any) -> None:
    house.begin()
    for path in (house.line, daemon_control_socket()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(house.line.parent.stat().st_mode) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_other_user_is_ignored_even_with_open_permissions(house: Any) -> None:
    house.begin()
    # As if somebody had opened everything.
    for path in (house.line.parent.parent, house.line.parent, house.line):
        path.chmod(0o777)
    other_user = os.fork()
    if other_user == 0:
        goodbye = b'{"version": 1, "job": "0123456789abcdef", "kind": "goodbye", "id": 1}'
        _send_as(NOBODY, house.line, goodbye)
    own = house.known_job("own")
    house.until(lambda: house.dropped("other user") > 0)
    os.waitpid(other_user, 0)
    assert list(house.job_documents()) == [own.name]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_other_user_can_neither_query_nor_stop_the_daemon(house: Any) -> None:
    house.begin_elsewhere()
    ask_daemon({"kind": "status"})
    for path in (
        daemon_control_socket().parent.parent,
        daemon_control_socket().parent,
        daemon_control_socket(),
    ):
        path.chmod(0o777)
    other_user = os.fork()
    if other_user == 0:
        _send_as(NOBODY, daemon_control_socket(), b'{"version": 1, "kind": "stop"}')
    os.waitpid(other_user, 0)
    daemon_control_socket().parent.chmod(0o700)
    found = ask_daemon({"kind": "status"})
    assert (found["pid"], found["dropped"]) == (house.child, {"other user": 1})


def _send_as(user: int, socket: Path, frame: bytes) -> None:
    """Never returns."""
    try:
        os.setuid(user)
        with zmq.Context() as context, context.socket(zmq.DEALER) as dealer:
            dealer.setsockopt(zmq.LINGER, 60_000)
            dealer.connect(f"ipc://{socket}")
            dealer.send(frame)
            dealer.poll(500)
    finally:
        os._exit(0)


def test_second_daemon_is_refused_without_affecting_the_first(house: Any) -> None:
    house.begin()
    job = house.known_job()
    with pytest.raises(DaemonError, match=f"runs already \\(process {os.getpid()}\\)"):
        type(house.daemon)(house.settings(store=house.folder / "another.sqlite"))
    job.ask(1)
    house.until(lambda: "grant" in job.kinds())


def test_files_of_a_dead_daemon_are_replaced(house: Any) -> None:
    house.begin_elsewhere()
    house.kill()
    assert house.line.exists()
    house.begin()
    house.known_job()
    house.end()
    assert not house.line.parent.exists()


def test_daemon_is_not_listed_as_a_job(house: Any) -> None:
    from nereus.launch import LaunchError
    from nereus.supervisor import control_sockets, find

    house.begin()
    assert control_sockets() == []
    with pytest.raises(LaunchError):
        find("daemon")


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    folder = tmp_path / "keys"
    make_keys(folder)
    return folder


def far_job(house: Any, keys: Path | None, name: str, **changed: bytes) -> Any:
    """One that comes over the network, with the keys of that folder."""
    job = house.job(name, connect=False)
    if keys is not None:
        found = json.loads((keys / "client.json").read_text())
        job.socket.curve_publickey = changed.get("public", found["public"].encode())
        job.socket.curve_secretkey = changed.get("secret", found["secret"].encode())
        job.socket.curve_serverkey = changed.get("server", found["server"].encode())
    job.address = house.daemon.about["listen"]
    return job.connect()


def test_network_jobs_without_the_right_keys_are_ignored(house: Any, keys: Path) -> None:
    house.begin(listen="tcp://127.0.0.1:*", keys=keys)
    other_public, other_secret = zmq.curve_keypair()
    friend = far_job(house, keys, "friend")
    others = [
        far_job(house, None, "no keys"),
        far_job(house, keys, "others", public=other_public, secret=other_secret),
        far_job(house, keys, "nobodys", server=other_public),
    ]
    for job in (*others, friend):
        job.hello()
    house.until(lambda: "welcome" in friend.kinds())
    friend.ask(1)
    house.until(lambda: "grant" in friend.kinds())
    assert list(house.job_documents()) == [friend.name]
    assert all(job.received == [] for job in others)


def test_keys_are_private_to_their_owner(keys: Path, house: Any) -> None:
    assert stat.S_IMODE(keys.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in keys.iterdir()} == {0o600}
    with pytest.raises(DaemonError, match="is there already"):
        make_keys(keys)
    keys.chmod(0o755)
    with pytest.raises(DaemonError, match="must be yours and no others'"):
        house.begin(listen="tcp://127.0.0.1:*", keys=keys)


@pytest.fixture
def full(house: Any) -> Iterator[Any]:
    """A daemon whose store is full from now on."""
    daemon = house.begin()
    connection = daemon.store.connection
    connection.execute("PRAGMA max_page_count = 1")
    filler = "x" * 4000
    for _ in range(100):
        daemon.state.events.add(house.clock.now(), "", "note", text=filler, more=[filler])
    house.settle()
    yield daemon
    house.end()


def test_full_store_does_not_stop_jobs_and_is_reported_once(house: Any, full: Any) -> None:
    jobs = [house.known_job(name) for name in "ab"]
    for job in jobs:
        job.ask(1)
    house.until(lambda: any("grant" in job.kinds() for job in jobs))
    (first,) = [job for job in jobs if "grant" in job.kinds()]
    first.epoch = epoch = first.last("grant")["epoch"]
    house.pass_by(5)
    house.beat(*jobs)
    assert full.store.trouble == "database or disk is full"
    assert len(house.events("trouble")) == 1
    # All of it is written once there is space again.
    full.store.connection.execute("PRAGMA max_page_count = 100000")
    house.pass_by(6)
    house.beat(*jobs)
    house.until(lambda: full.store.trouble is None)
    house.end()
    house.begin()
    assert house.job_documents()[first.name]["epoch"] == epoch


def test_cancel_that_could_not_be_stored_is_repeated_by_the_next_daemon(house: Any, full: Any) -> None:
    job = house.known_job(commands=[7])
    house.until(lambda: "cancel" in job.kinds())
    full.store.connection.execute("PRAGMA max_page_count = 100000")
    assert full.store.trouble is not None
    house.pass_by(11)
    house.until(lambda: full.store.trouble is None)
    house.end()
    house.begin()
    job.received.clear()
    job.heartbeat()
    house.until(lambda: "cancel" in job.kinds())
    assert job.last("cancel")["command"] == 7
    (told,) = house.job_documents()[job.name]["commands"]
    assert told["why"] == "unknown to this daemon"


def test_reservation_made_with_a_full_store_is_kept_by_the_next_daemon(house: Any, full: Any) -> None:
    question = {"kind": "reserve", "job": "1" * 16, "ranks": 3}
    _, outs = full._query_handler.answer(question, house.clock.now())
    full._send(outs)
    full.store.connection.execute("PRAGMA max_page_count = 100000")
    assert full.store.trouble is not None
    house.pass_by(11)
    house.until(lambda: full.store.trouble is None)
    house.end()
    assert house.begin().state.coordinator.free == 8 - 3


def test_daemon_killed_with_a_full_store_grants_no_turn_twice(house: Any) -> None:
    child = house.begin_elsewhere()
    writes = house.known_job("writes")
    resource.prlimit(child, resource.RLIMIT_FSIZE, (1, 1))
    writes.ask(1)
    house.until(lambda: "grant" in writes.kinds())
    house.kill()
    house.begin()
    waits = house.known_job("waits")
    waits.ask(1)
    house.settle()
    assert "grant" not in waits.kinds(), "who has the turn is not known yet"
    writes.epoch = writes.last("grant")["epoch"]
    writes.heartbeat()
    house.until(lambda: "who" in writes.kinds() or "alive" in writes.kinds())
    writes.hello()
    house.pass_by(10.1)
    writes.heartbeat()
    house.settle()
    waits.ask(1)
    house.settle()
    assert "grant" not in waits.kinds()
    writes.wrote(1, writes.epoch)
    house.until(lambda: "grant" in waits.kinds())


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"not a data base" * 100, "file is not a database"), (None, "is a file of another program")],
)
def test_file_that_is_not_a_store_is_refused_and_unchanged(
    house: Any, content: bytes | None, reason: str
) -> None:
    import sqlite3

    path = house.folder / "other"
    if content is not None:
        path.write_bytes(content)
    else:
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE mine (a)")
    before = path.read_bytes()
    with pytest.raises(DaemonError, match=reason):
        house.begin(store=path)
    assert path.read_bytes() == before
    assert not house.line.exists()


def test_store_of_another_version_or_daemon_is_refused(house: Any) -> None:
    import sqlite3

    path = house.folder / "store.sqlite"
    house.begin()
    house.end()
    with sqlite3.connect(path) as store:
        store.execute("PRAGMA user_version = 99")
    store.close()
    with pytest.raises(DaemonError, match="has version 99; allowed is 1"):
        house.begin()
    busy = sqlite3.connect(house.folder / "busy.sqlite", isolation_level=None)
    busy.execute("PRAGMA locking_mode = EXCLUSIVE")
    busy.execute("BEGIN EXCLUSIVE")
    with pytest.raises(DaemonError, match="another daemon has it"):
        house.begin(store=house.folder / "busy.sqlite")
    busy.close()
    with pytest.raises(DaemonError, match="File exists"):
        house.begin(store=path / "below")


def test_metrics_are_openmetrics_on_the_local_host_only(house: Any) -> None:
    house.begin_elsewhere(metrics=0)
    job = house.known_job()
    job.ask(1)
    house.until(lambda: "grant" in job.kinds())
    job.wrote(1, job.last("grant")["epoch"], wait_seconds=0.25)
    house.until(lambda: "noted" in job.kinds())
    port = ask_daemon({"kind": "status"})["metrics"]
    deadline = time.monotonic() + 60
    while "nereus_jobs 1.0" not in (text := _figures(port)):
        assert time.monotonic() < deadline, text
        time.sleep(0.05)
    for line in (
        "nereus_turns_total 1.0",
        "nereus_io_bytes_total 100.0",
        "nereus_io_wait_seconds_sum 0.25",
        'nereus_messages_total{kind="hello"} 1.0',
        "# EOF",
    ):
        assert line in text
    own = socket.gethostbyname(socket.gethostname())
    if not own.startswith("127."):
        with pytest.raises(OSError):
            socket.create_connection((own, port), timeout=1)


def _figures(port: int) -> str:
    asked = urllib.request.Request(
        f"http://127.0.0.1:{port}/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"}
    )
    with urllib.request.urlopen(asked, timeout=60) as answer:
        text: str = answer.read().decode()
        return text
