# SPDX-License-Identifier: BSD-3-Clause
"""Where jobs on other hosts find this user's daemon: a file in the folder of keys, which all hosts see.

A daemon for jobs within one job of a resource manager has a file of its own, `pilot-JOB`. It holds the
daemon's address and the keys by which it lets jobs in, so nobody else can read it.
"""

import json
import os
import re
import socket
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nereus.launch.error import LaunchError
from nereus.launch.private_folder import make_folder
from nereus.supervisor.key_folder import KeyFolder

#: The setting controller-keys of jobs.
CONTROLLER_KEYS = "NEREUS_CONTROLLER_KEYS"
_NAME = "daemon"
_USE = "jobs on other hosts find the daemon there"
_ADDRESS = re.compile(r"tcp://([^:/\s]{1,255}):(\d{1,5})\Z")
_KEY_CHARACTERS = 40
_ANSWERS_WITHIN = 1.0
_MOST_BYTES = 10_000


@dataclass(frozen=True, repr=False)
class ClientKeys:
    """A job's pair, and by which key it knows the daemon."""

    public: str
    secret: str
    server: str


def record_path(environment: Mapping[str, str] = os.environ, of_job: str = "") -> Path:
    """`of_job`: that of a daemon for the jobs within this one."""
    return KeyFolder.of_user(environment).path / (f"pilot-{of_job}" if of_job else _NAME)


def write_record(address: str, keys: ClientKeys, of_job: str = "") -> Path:
    """LaunchError where another daemon answers at the address of the file, or it cannot be written."""
    path = record_path(of_job=of_job)
    try:
        make_folder(path.parent, _USE, parents=True)
        there = address_in_record(of_job=of_job)
        if there not in (None, address) and answers(str(there)):
            raise LaunchError(f"{path}: a daemon answers at {there}; there is one for all hosts")
        new = path.with_name(f"{path.name}.{os.getpid()}")
        with suppress(FileNotFoundError):
            new.unlink()
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump({"address": address, **keys.__dict__}, file)
        new.replace(path)
    except OSError as problem:
        raise LaunchError(f"{path}: cannot be written: {problem.strerror}; {_USE}") from problem
    return path


def remove_record(address: str, of_job: str = "") -> None:
    """Unless it is another daemon's by now."""
    if address_in_record(of_job=of_job) == address:
        KeyFolder.of_user().remove(record_path(of_job=of_job))


def address_in_record(environment: Mapping[str, str] = os.environ, of_job: str = "") -> str | None:
    """None where there is no record, or none that only this user can read."""
    try:
        address = _private_object(record_path(environment, of_job)).get("address")
    except (OSError, LaunchError):
        return None
    return address if isinstance(address, str) and _ADDRESS.match(address) else None


def answers(address: str) -> bool:
    """Whether somebody listens there."""
    found = _ADDRESS.match(address)
    if found is None:
        return False
    where = found[1], int(found[2])
    with suppress(OSError, OverflowError), socket.create_connection(where, _ANSWERS_WITHIN):
        return True
    return False


def read_client_keys(path: Path) -> ClientKeys:
    """Of a record, or of `nereus daemon --make-keys`."""
    try:
        found = _private_object(path)
    except OSError as problem:
        raise LaunchError(f"{CONTROLLER_KEYS} = {path}: {problem.strerror}") from None
    keys = [found.get(name) for name in ("public", "secret", "server")]
    if not all(isinstance(key, str) and len(key) == _KEY_CHARACTERS for key in keys):
        raise LaunchError(f"{CONTROLLER_KEYS} = {path}: is no file of keys for jobs")
    return ClientKeys(*map(str, keys))


def _private_object(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        found = os.fstat(file.fileno())
        if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
            raise LaunchError(f"{path}: must be yours and no others' (mode 600)")
        content = file.read(_MOST_BYTES)
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
