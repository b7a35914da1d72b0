# SPDX-License-Identifier: BSD-3-Clause
"""Hosts on this machine: a network namespace each, on a switch of their own.

A host has its own name, address, ports and /etc/hosts; files, memory and processes are common to all. Nothing
of this machine's own network is touched, so that several sets of hosts can be there at once. The names hold
the number of the process that made them, so that what a process left that was killed is known, and removed by
the next one.
"""

import contextlib
import os
import re
import secrets
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nereus.launch.error import LaunchError

_SECONDS = 60.0

# Runs a command on a host, as the host's own shell would.
_ENTER = """\
#!/bin/bash
host=$1; shift
exec ip netns exec "$host" unshare --uts --mount /bin/bash -c "
hostname $host && mount --bind {table} /etc/hosts && {{ $* ; }}"
"""
# In the place of ssh: options come first, the environment stays behind, the command begins at home.
_RSH = """\
#!/bin/bash
while [[ $1 == -* ]]; do shift; done
cd /
exec env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/ {kept}{enter} "$@"
"""


@dataclass(frozen=True)
class Wanted:
    """Which hosts are to be made. `family` begins their names; what its dead left is removed first."""

    family: str
    letters: str
    gigabits: float | None = None  # each link's rate in each direction; None: no limit
    kept: tuple[str, ...] = ()  # variables that go along with rsh


@dataclass(frozen=True)
class LocalHosts:
    """Names of the hosts, and programs that run a command on one: `enter HOST COMMAND`, `rsh` as ssh does."""

    prefix: str  # of the names; the letters follow
    names: tuple[str, ...]
    enter: Path
    rsh: Path

    def command_on(self, name: str, words: Sequence[str]) -> list[str]:
        """The command line that runs these words on a host."""
        return [str(self.enter), name, f"exec {shlex.join(words)}"]

    @contextlib.contextmanager
    def lost(self, name: str) -> Iterator[None]:
        """A host without power: nothing leaves it, not even the end of a connection.

        Afterwards it is there again, and empty.
        """
        _run("ip", "-n", name, "link", "set", "eth0", "down")
        try:
            stopped: set[int] = set()
            while new := set(processes_on(name)) - stopped:  # those that others have just made
                _signal(new, signal.SIGSTOP)
                stopped |= new
            yield
        finally:
            _signal(processes_on(name), signal.SIGKILL)
            _run("ip", "-n", name, "link", "set", "eth0", "up")


@contextlib.contextmanager
def local_hosts(wanted: Wanted) -> Iterator[LocalHosts]:
    """Make hosts; all is gone at the end of the block. SubprocessError where that cannot be."""
    _remove_what_the_dead_left(wanted.family)
    prefix = f"{wanted.family}{os.getpid()}x{secrets.token_hex(2)[:3]}"
    folder = Path(tempfile.mkdtemp(prefix="nereus-"))
    try:
        yield _make(wanted, prefix, folder)
    finally:
        _remove([name for name in _owners(wanted.family) if name.startswith(prefix)])
        shutil.rmtree(folder)


@contextlib.contextmanager
def hosts_for(option: str, wanted: Wanted) -> Iterator[LocalHosts]:
    """The same for an option of a command: LaunchError names it where the system refuses."""
    why = complaint()
    if why:
        raise LaunchError(f"{option}: {why}")
    with contextlib.ExitStack() as stack:
        try:
            hosts = stack.enter_context(local_hosts(wanted))
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as problem:
            raise LaunchError(f"{option}: {' '.join(problem.cmd)}: {_why(problem)}") from problem
        yield hosts


def complaint() -> str:
    """Why hosts cannot be made here, or ""."""
    if os.geteuid() != 0:
        return "hosts on one machine are network namespaces, which only root can make"
    missing = [name for name in ("ip", "tc", "unshare") if shutil.which(name) is None]
    if missing:
        return f"{', '.join(missing)}: not found; hosts are made by the packages iproute2 and util-linux"
    return ""


def _why(problem: subprocess.CalledProcessError | subprocess.TimeoutExpired) -> str:
    if isinstance(problem, subprocess.TimeoutExpired):
        return f"did not end within {problem.timeout:g} s"
    return " ".join(problem.stderr.split())


def processes_on(host: str) -> list[int]:
    """What runs on a host."""
    return [int(pid) for pid in _run("ip", "netns", "pids", host).split()]


def _make(wanted: Wanted, prefix: str, folder: Path) -> LocalHosts:
    names = tuple(prefix + letter for letter in wanted.letters)
    hosts = LocalHosts(prefix, names, folder / "enter", folder / "rsh")
    subnet = f"10.{secrets.randbelow(256)}.{secrets.randbelow(256)}"
    addresses = {name: f"{subnet}.{number}" for number, name in enumerate(names, 1)}
    table = folder / "hosts"
    table.write_text("127.0.0.1 localhost\n" + "".join(f"{a} {name}\n" for name, a in addresses.items()))
    kept = "".join(f'{name}="${name}" ' for name in wanted.kept)
    _write_script(hosts.enter, _ENTER.format(table=table))
    _write_script(hosts.rsh, _RSH.format(kept=kept, enter=hosts.enter))
    switch = f"{prefix}s"
    _run("ip", "netns", "add", switch)
    _run("ip", "-n", switch, "link", "add", "bridge", "type", "bridge")
    _run("ip", "-n", switch, "link", "set", "bridge", "up")
    for name, address in addresses.items():
        port = _join(name, address, switch)
        if wanted.gigabits is not None:
            for namespace, device in ((name, "eth0"), (switch, port)):
                _limit(namespace, device, wanted.gigabits)
    return hosts


def _join(name: str, address: str, switch: str) -> str:
    """Make a host and its cable; the cable's other end."""
    port = f"port-{name[-1]}"
    _run("ip", "netns", "add", name)
    _run("ip", "-n", name, "link", "add", "eth0", "type", "veth", "peer", "name", port, "netns", switch)
    _run("ip", "-n", name, "address", "add", f"{address}/24", "dev", "eth0")
    _run("ip", "-n", switch, "link", "set", port, "master", "bridge", "up")
    for device in ("lo", "eth0"):
        _run("ip", "-n", name, "link", "set", device, "up")
    return port


def _limit(namespace: str, device: str, gigabits: float) -> None:
    """A token bucket of a millisecond of traffic, and room for what waits up to 50 ms."""
    rate = f"{round(gigabits * 1e6)}kbit"
    burst = f"{max(65536, round(gigabits * 1e9 / 8 / 1000))}"
    limits = ("rate", rate, "burst", burst, "latency", "50ms")
    _run("tc", "-n", namespace, "qdisc", "add", "dev", device, "root", "tbf", *limits)


def _run(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=_SECONDS).stdout


def _write_script(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def _remove(names: list[str]) -> None:
    """Remove namespaces and what still runs in them; devices go with them."""
    for name in names:
        with contextlib.suppress(subprocess.SubprocessError):
            _signal(processes_on(name), signal.SIGKILL)
            _run("ip", "netns", "delete", name)


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _owners(family: str) -> dict[str, int]:
    """The family's namespaces, whoever made them, and the processes that did."""
    names = [line.split()[0] for line in _run("ip", "netns", "list").splitlines() if line.strip()]
    found = [re.fullmatch(rf"{family}(\d+)x[0-9a-f]{{3}}[a-z]", name) for name in names]
    return {match[0]: int(match[1]) for match in found if match is not None}


def _remove_what_the_dead_left(family: str) -> None:
    _remove([name for name, owner in _owners(family).items() if not Path(f"/proc/{owner}").exists()])
