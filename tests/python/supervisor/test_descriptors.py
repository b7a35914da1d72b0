# SPDX-License-Identifier: BSD-3-Clause
"""Connections to libzmq's sockets are refused before no descriptor is left, however it was linked."""

import ctypes
import errno
import os
import resource
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nereus.launch import builds
from nereus.supervisor.descriptors import guard

# A process that has used up its descriptors itself hears of a connection, and lives.
WITHOUT_DESCRIPTORS = """
import os, resource, subprocess, sys, time, zmq
from nereus.supervisor.sockets import Sockets
told = []
sockets = Sockets(tell=told.append)
router = sockets.router()
router.bind(f"ipc://{sys.argv[1]}")
connects = "import socket, sys; s = socket.socket(1); sys.stdin.read(1); s.connect(sys.argv[1]); s.recv(1)"
client = subprocess.Popen([sys.executable, "-c", connects, sys.argv[1]], stdin=subprocess.PIPE)
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
taken = []
try:
    while True:
        taken.append(os.dup(0))
except OSError:
    pass
client.stdin.write(b"x")
client.stdin.flush()
while client.poll() is None or not told:
    sockets.look()
    time.sleep(0.01)
for one in taken:
    os.close(one)
sockets.close()
print(told)
"""
IN_A_WHEEL = """
import sys
from importlib import import_module
from pathlib import Path
from nereus.supervisor.descriptors import guard
import_module("nereus.launch.builds").PACKAGED = Path(sys.argv[1])
sys.prefix = "/nowhere"
print("not guarded" if guard() is None else "guarded")
"""
TAKES = """
#define _GNU_SOURCE
#include <sys/socket.h>
int take(int listener) { return accept4(listener, 0, 0, SOCK_CLOEXEC); }
int take_too(int listener) { return accept(listener, 0, 0); }
"""
LINKED = {
    "lazily": ["-Wl,-z,lazy"],
    "at once": ["-Wl,-z,relro,-z,now"],
    "without a procedure linkage table": ["-fno-plt", "-Wl,-z,relro,-z,now"],
}


def test_process_without_free_descriptors_survives_a_connection(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_DESCRIPTORS, str(tmp_path / "socket")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "a new connection was refused: of 64 descriptors (ulimit -n) too few are left" in done.stdout


def test_build_of_a_wheel_guards_descriptors(tmp_path: Path) -> None:
    """It lies in the package, and not where other builds are installed."""
    (tmp_path / "own").symlink_to(builds()[0].prefix)
    done = subprocess.run(
        [sys.executable, "-c", IN_A_WHEEL, str(tmp_path)],
        env={name: value for name, value in os.environ.items() if name != "NEREUS_BUILDS"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("guarded\n", "")


@contextmanager
def only_reserved_descriptors_left() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    unused = os.dup(0)
    os.close(unused)
    resource.setrlimit(resource.RLIMIT_NOFILE, (unused + 8, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.parametrize("call", ["take", "take_too"])
@pytest.mark.parametrize("linked", LINKED)
def test_calls_of_a_library_are_guarded_however_it_was_linked(tmp_path: Path, linked: str, call: str) -> None:
    source, library = tmp_path / "takes.c", tmp_path / "takes.so"
    source.write_text(TAKES)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", *LINKED[linked], "-o", library, source], check=True)
    take = ctypes.CDLL(str(library), use_errno=True)[call]
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as client:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        made = guard()
        assert made is not None and made.begin(ctypes.cast(take, ctypes.c_void_p).value or 0)
        before, _ = made.refused()
        client.connect(str(tmp_path / "s"))
        with only_reserved_descriptors_left():
            assert (take(listener.fileno()), ctypes.get_errno()) == (-1, errno.ECONNABORTED)
        assert client.recv(1) == b""
        assert made.refused()[0] == before + 1
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as client:
        listener.bind(str(tmp_path / "t"))
        listener.listen()
        client.connect(str(tmp_path / "t"))
        taken = take(listener.fileno())
        assert taken >= 0
        os.close(taken)
