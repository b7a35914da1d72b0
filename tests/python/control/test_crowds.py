# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a daemon that lives on when more come than it has descriptors for."""

import json
import resource
import socket
import struct
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from nereus.control import ask_daemon, figures_door
from nereus.control.finding import daemon_door
from nereus.control.keys import make_keys

A_SECOND = struct.pack("ll", 1, 0)  # for a connection; it waits where others wait before it
DESCRIPTORS = 256  # as after `ulimit -n 256`


def few_descriptors() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))


def refusals() -> list[str]:
    """What the daemon wrote down about those whom it sent away."""
    events = ask_daemon({"kind": "events", "since": 0})["events"]
    return [event["text"] for event in events if event["event"] == "trouble" and "refused" in event["text"]]


@contextmanager
def crowd(*address: Any, number: int = 400) -> Iterator[list[socket.socket]]:
    """Connections of somebody who says nothing; those that were refused are among them."""
    with ExitStack() as stack:
        made = []
        for _ in range(number):
            family = socket.AF_INET if len(address) == 2 else socket.AF_UNIX
            one = stack.enter_context(socket.socket(family))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, A_SECOND)
            if one.connect_ex(address if len(address) == 2 else address[0]) == 0:
                made.append(one)
        yield made


def welcomed(jobs: list[Any]) -> list[Any]:
    """Those that were; the others say again every second that they are there, as jobs do."""
    now = time.monotonic()
    for job in jobs:
        if not job.heard and now - getattr(job, "said", 0.0) > 1:
            job.hello()
            job.said = now
    return [job for job in jobs if "welcome" in job.kinds()]


@pytest.mark.crowd
def test_more_jobs_than_descriptors_are_heard_one_after_the_other(house: Any) -> None:
    daemon = house.begin_elsewhere(dies=few_descriptors)
    jobs = [house.job(f"{number:016x}") for number in range(300)]
    house.until(lambda: len(welcomed(jobs)) >= 80)
    assert ask_daemon({"kind": "status"})["pid"] == daemon
    house.until(lambda: refusals() != [])
    assert f"of {DESCRIPTORS} descriptors (ulimit -n) too few are left" in refusals()[0]
    # Who ends makes room for who was refused, and comes again by himself.
    while jobs:
        house.until(lambda: welcomed(jobs) != [])
        for job in welcomed(jobs):
            jobs.remove(job)
            house.leaves(job)
    assert ask_daemon({"kind": "status"})["pid"] == daemon


@pytest.mark.crowd
def test_silent_connections_to_the_line_and_the_door_hurt_nobody(house: Any) -> None:
    daemon = house.begin_elsewhere(dies=few_descriptors)
    job = house.known_job("own")
    for path in (house.line, daemon_door()):
        with crowd(str(path)) as made:
            assert 60 < len(made) < DESCRIPTORS
            job.heard.clear()
            house.beat(job)
    house.until(lambda: daemon_door().exists() and house.line.exists())
    assert ask_daemon({"kind": "status"})["pid"] == daemon
    house.known_job("late")


def test_strangers_on_the_network_take_no_descriptors_from_jobs(house: Any, tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    make_keys(keys)
    daemon = house.begin_elsewhere(dies=few_descriptors, listen="tcp://127.0.0.1:*", keys=keys)
    port = int(ask_daemon({"kind": "status"})["listen"].rpartition(":")[2])
    with crowd("127.0.0.1", port):
        jobs = [house.job(f"{number:016x}") for number in range(20)]
        house.until(lambda: len(welcomed(jobs)) == len(jobs))
        house.beat(*jobs)
        assert ask_daemon({"kind": "status"})["pid"] == daemon
        house.until(
            lambda: any("64 others have not shown yet that they may come" in text for text in refusals())
        )
    # They are gone, and friends with keys are heard.
    found = json.loads((keys / "client.json").read_text())
    friend = house.job("friend", connect=False)
    friend.socket.curve_publickey = found["public"].encode()
    friend.socket.curve_secretkey = found["secret"].encode()
    friend.socket.curve_serverkey = found["server"].encode()
    friend.address = f"tcp://127.0.0.1:{port}"
    friend.connect()
    friend.hello()
    house.until(lambda: "welcome" in friend.kinds())


def test_half_open_connections_to_the_figures_take_few_threads_and_end(house: Any) -> None:
    daemon = house.begin_elsewhere(metrics=0)
    job = house.known_job()
    port = ask_daemon({"kind": "status"})["metrics"]
    before = threads(daemon)
    with crowd("127.0.0.1", port, number=100) as made:
        for one in made[:20]:
            with suppress(OSError):
                one.send(b"GET /metrics HTTP/1.1\r\nHost:")
        house.beat(job)
        assert threads(daemon) <= before + figures_door.MOST
        house.until(lambda: len(refusals()) == 1)
        assert f"{figures_door.MOST} others are being answered" in refusals()[0]
        # The first ones are cut off, though they are there still.
        made[0].settimeout(30)
        assert made[0].recv(1) == b""
        house.until(lambda: figures_are_told(port))


def threads(process: int) -> int:
    return len(list(Path(f"/proc/{process}/task").iterdir()))


def figures_are_told(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            return b"nereus_jobs 1.0" in answer.read()
    except OSError:
        return False


def test_no_socket_is_left_by_a_daemon_that_ends_while_it_is_full(house: Any) -> None:
    house.begin_elsewhere(dies=few_descriptors)
    with crowd(str(house.line)):
        house.until(lambda: not house.line.exists())
        ask_daemon({"kind": "stop"})
        house.until(house.is_dead)
        house.child = None
    assert not house.line.parent.exists() or list(house.line.parent.iterdir()) == []
