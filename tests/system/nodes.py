# SPDX-License-Identifier: BSD-3-Clause
"""Nodes of a cluster that are namespaces of this machine.

Each has a network, a name, processes, /tmp and /dev/shm of its own; all other files are common to them, as on
a cluster with a shared file system.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nereus.bench.local_hosts import LocalHosts

ROOT = Path(__file__).resolve().parents[2]
WITHIN = 100.0

# The first process of a node. Folders that all nodes see and that lie below /tmp are mounted again.
_NODE = """\
hostname "$1"; mount --bind "$2" /etc/hosts; keep=$3; shift 3
n=0; for folder in "$@"; do n=$((n+1)); mkdir -p "$keep/$n"; mount --bind "$folder" "$keep/$n"; done
mount -t tmpfs tmpfs /tmp; chmod 1777 /tmp
n=0; for folder in "$@"; do n=$((n+1)); mkdir -p "$folder"; mount --move "$keep/$n" "$folder"; done
mount -t tmpfs tmpfs /dev/shm; chmod 1777 /dev/shm
echo ready
exec sleep infinity
"""


class CannotStart(Exception):
    """Such a cluster cannot be had here; the text says why."""


@dataclass
class Nodes:
    """Hosts, and a folder that all of them see."""

    folder: Path
    hosts: LocalHosts
    first_processes: dict[str, int] = field(default_factory=dict)
    #: Further folders that all of them see.
    seen: tuple[Path, ...] = ()
    #: How names of files begin that are there on each host all the time.
    usual: tuple[str, ...] = ()
    #: Seconds after which what was waited for is held to never come.
    within: float = WITHIN

    @property
    def home(self) -> Path:
        """The user's, which all hosts share."""
        return self.folder / "home"

    @property
    def environment(self) -> dict[str, str]:
        """Of a user who is logged in on some host."""
        kept = ("PATH", "PYTHONPATH", "LANG", "NEREUS_BUILDS", "NEREUS_SYSTEM_TEST")
        own = {name: os.environ[name] for name in kept if name in os.environ}
        path = f"{Path(sys.executable).parent}:{own.get('PATH', '/usr/bin:/bin')}"
        return {**own, "PATH": path, "HOME": str(self.home)}

    @property
    def seen_below_tmp(self) -> list[Path]:
        """Each host has a /tmp of its own, but for these."""
        return [path for path in (self.folder, ROOT, *self.seen) if path.is_relative_to("/tmp")]

    def words_on(self, host: str, *words: str | Path) -> list[str]:
        """What runs a command on a host, as a user logged in there."""
        target = str(self.first_processes[host])
        spaces = ["--net", "--uts", "--mount", "--pid", "--ipc"]
        return ["nsenter", "--target", target, *spaces, f"--wd={self.folder}", "--", *map(str, words)]

    def on(self, host: str, *words: str | Path, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Run a command on a host to its end."""
        return subprocess.run(
            self.words_on(host, *words),
            env=self.environment | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def removed(self, left: Mapping[str, Sequence[str]], expected: tuple[str, ...]) -> dict[str, list[str]]:
        """Remove these files of hosts; those of which no `expected` name is the beginning.

        On all hosts, whatever is found: else the next test would find what this one has left.
        """
        unexpected = {}
        for host, names in left.items():
            self.on(
                host, "rm", "-rf", *(f"{folder}/{name}" for folder in ("/tmp", "/dev/shm") for name in names)
            )
            if others := [name for name in names if not name.startswith(expected)]:
                unexpected[host] = others
        return unexpected

    def files_on(self, host: str) -> list[str]:
        """What is in the folders that it has alone, but for what all hosts see."""
        listed = self.on(host, "ls", "-A", "/tmp", "/dev/shm").stdout.split()
        shared = {path.parts[2] for path in self.seen_below_tmp}
        found = [name for name in listed if not name.endswith(":") and name not in shared]
        # Hydra leaves its files where proxies are killed; the other is the user's folder of control sockets.
        usual = ("hydra_hwloc_xmlfile_", f"nereus-{os.getuid()}", *self.usual)
        return [name for name in found if not name.startswith(usual)]

    def wait_until(self, condition: Callable[[], bool], what: str) -> None:
        """Look again and again; fails where it does not come true."""
        deadline = time.monotonic() + self.within
        while not condition():
            assert time.monotonic() < deadline, f"waited too long: {what}"
            time.sleep(0.05)


class PlacedJob(ABC):
    """A job of `nereus run` on nodes, seen from outside."""

    cluster: Nodes

    @property
    @abstractmethod
    def output(self) -> str:
        """What its script has written so far."""

    @property
    @abstractmethod
    def placed(self) -> str:
        """Letters of the ranks' hosts, as the job tells them; empty until it is open."""

    def expect(self, placed: str) -> None:
        """The ranks are on these hosts."""
        self.cluster.wait_until(lambda: self.placed == placed, f"not {placed}: {self.output}")

    def placed_of(self, ranks: int) -> str:
        """Letters of the hosts of so many ranks, as soon as the job tells of them."""
        found: list[str] = []

        def tells() -> bool:
            found.append(self.placed)
            return len(found[-1]) == ranks

        self.cluster.wait_until(tells, f"not {ranks} ranks: {self.output}")
        return found[-1]


def started(words: list[str], environment: dict[str, str]) -> "subprocess.Popen[bytes]":
    """A daemon, which ends with the node that it runs on."""
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(words, env=environment, stdin=nowhere, stdout=nowhere, stderr=nowhere)


@contextlib.contextmanager
def node(cluster: Nodes, host: str) -> Iterator[None]:
    """A host's first process; all that runs there ends with it."""
    # Not by ip: it mounts a /sys without control groups, and slurmd needs them.
    keep = cluster.folder / "keep" / host
    keep.mkdir(parents=True)
    cluster.home.mkdir(exist_ok=True)
    table = cluster.hosts.enter.with_name("hosts")
    spaces = ["unshare", "--uts", "--mount", "--pid", "--ipc", "--fork", "--mount-proc", "--kill-child"]
    inside = ["/bin/bash", "-c", _NODE, "node", host, *map(str, (table, keep, *cluster.seen_below_tmp))]
    with subprocess.Popen(
        ["nsenter", f"--net=/run/netns/{host}", *spaces, *inside],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    ) as outer:
        try:
            assert outer.stdout is not None
            if outer.stdout.readline() != b"ready\n":
                raise CannotStart("namespaces cannot be made")
            children = Path(f"/proc/{outer.pid}/task/{outer.pid}/children").read_text().split()
            cluster.first_processes[host] = int(children[0])
            yield
        finally:
            outer.send_signal(signal.SIGKILL)
