# SPDX-License-Identifier: BSD-3-Clause
"""Where the daemon listens for jobs on all hosts of a cluster: on the network; they find it by a file.

Keys and port are kept beside the store, so that jobs come back to a daemon that is started again.
"""

import json
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from nereus.daemon.error import DaemonError
from nereus.daemon.keys import Key, ServerKeys
from nereus.daemon.sockets import DaemonSockets
from nereus.launch.error import LaunchError
from nereus.reading import content_of
from nereus.supervisor.curve import new_pair
from nereus.supervisor.site_record import ClientKeys, remove_record, write_record

ANY_PORT = "tcp://*:*"


class _Kept(BaseModel):
    """Two pairs, and the port of the latest run (0: none)."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    public: Key
    secret: Key
    client_public: Key
    client_secret: Key
    port: Annotated[int, Field(ge=0, le=65535)]


def listen_for_jobs(
    line: DaemonSockets, store: Path, listen: str | None, of_job: str = ""
) -> tuple[str, Callable[[], None]]:
    """The address by which jobs find the daemon, and what ends that; DaemonError where it cannot listen.

    `of_job`: only those in this job of the resource manager.
    """
    path = store.with_name(f"{store.name}.keys")
    kept = _read(path)
    keys = ServerKeys(public=kept.public, secret=kept.secret, clients=[kept.client_public])
    bound = line.listen(listen or f"tcp://*:{kept.port or '*'}", keys, or_at=None if listen else ANY_PORT)
    port = int(bound.rpartition(":")[2])
    address = f"tcp://{_reached_at(listen)}:{port}"
    _write(path, kept.model_copy(update={"port": port}))
    try:
        write_record(address, ClientKeys(kept.client_public, kept.client_secret, kept.public), of_job)
    except LaunchError as problem:
        raise DaemonError(str(problem)) from None
    return address, partial(remove_record, address, of_job)


def _reached_at(listen: str | None) -> str:
    host = (listen or ANY_PORT).removeprefix("tcp://").rpartition(":")[0]
    return socket.gethostname() if host in ("*", "0.0.0.0") else host


def _read(path: Path) -> _Kept:
    """New ones where there are none."""
    try:
        return _Kept.model_validate_json(content_of(path))
    except FileNotFoundError:
        return _made()
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "are no keys of this daemon"
        raise DaemonError(f"{path}: {reason}; remove it, and new ones are made") from None


def _made() -> _Kept:
    server, client = new_pair(), new_pair()
    return _Kept(
        public=server.public,
        secret=server.secret,
        client_public=client.public,
        client_secret=client.secret,
        port=0,
    )


def _write(path: Path, kept: _Kept) -> None:
    new = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with suppress(FileNotFoundError):
            new.unlink()
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(kept.model_dump(), file)
        new.replace(path)
    except OSError as problem:
        raise DaemonError(f"{path}: {problem.strerror}; keys for jobs are kept there") from None
