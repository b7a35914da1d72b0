# SPDX-License-Identifier: BSD-3-Clause
"""A name for a job whose key a test has chosen."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nereus.launch.locked_file import lock_file, remove_locked, write_over
from nereus.supervisor.control_socket import control_socket_folder


@contextmanager
def called(key: str, name: str, folder: Path | None = None) -> Iterator[None]:
    """As long as the block lasts; `folder`: where its user's control sockets are."""
    path = (folder or control_socket_folder()) / f"{name}.name"
    file = lock_file(path)
    assert file is not None
    write_over(file, key)
    try:
        yield
    finally:
        remove_locked(path, file)
