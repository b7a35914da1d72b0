# SPDX-License-Identifier: BSD-3-Clause
"""Hosts on this machine, joined by links of a set rate: a network namespace each, on a switch of their own.

A host has its own name, address and /etc/hosts; files, memory and processes are common to all. Nothing of
this machine's own network is touched. The names hold the number of the process that made them, so that what
a process left that was killed is known, and removed by the next one.
"""

import contextlib
import os
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nereus.launch.error import LaunchError

_LETTERS = "ab"
_NAME = re.compile(r"nrb(\d+)x[0-9a-f]{3}[a-z]")
_SECONDS = 20.0

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
exec env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/ {enter} "$@"
"""


@dataclass(frozen=True)
class LimitedHosts:
    """Names of the hosts, and programs that run a command on one: `enter HOST COMMAND`, `rsh` as ssh does."""

    names: tuple[str, ...]
    enter: Path
    rsh: Path


def complaint() -> str:
    """Why such hosts cannot be made here, or ""."""
    if os.geteuid() != 0:
        return "hosts with links of a set rate are network namespaces, which only root can make"
    missing = [name for name in ("ip", "tc", "unshare") if shutil.which(name) is None]
    if missing:
        return f"{', '.join(missing)}: not found; hosts are made by the packages iproute2 and util-linux"
    return ""


@contextlib.contextmanager
def limited_hosts(gigabits: float) -> Iterator[LimitedHosts]:
    """Two hosts, each on a link of so many Gbit/s in each direction; LaunchError where the system refuses."""
    why = complaint()
    if why:
        raise LaunchError(f"--network = limited: {why}")
    _remove_what_the_dead_left()
    prefix = f"nrb{os.getpid()}x{secrets.token_hex(2)[:3]}"
    folder = Path(tempfile.mkdtemp(prefix="nereus-"))
    try:
        yield _made(prefix, folder, gigabits)
    finally:
        _remove([name for name in _namespaces() if name.startswith(prefix)])
        shutil.rmtree(folder)


def _made(prefix: str, folder: Path, gigabits: float) -> LimitedHosts:
    try:
        return _make(prefix, folder, gigabits)
    except subprocess.CalledProcessError as problem:
        text = " ".join(problem.stderr.split())
        raise LaunchError(f"--network = limited: {' '.join(problem.cmd)}: {text}") from problem


def _make(prefix: str, folder: Path, gigabits: float) -> LimitedHosts:
    names = tuple(prefix + letter for letter in _LETTERS)
    subnet = f"10.{secrets.randbelow(256)}.{secrets.randbelow(256)}"
    addresses = {name: f"{subnet}.{number}" for number, name in enumerate(names, 1)}
    hosts = LimitedHosts(names, folder / "enter", folder / "rsh")
    table = folder / "hosts"
    table.write_text("127.0.0.1 localhost\n" + "".join(f"{a} {name}\n" for name, a in addresses.items()))
    _write_script(hosts.enter, _ENTER.format(table=table))
    _write_script(hosts.rsh, _RSH.format(enter=hosts.enter))
    switch = f"{prefix}s"
    _run("ip", "netns", "add", switch)
    _run("ip", "-n", switch, "link", "add", "bridge", "type", "bridge")
    _run("ip", "-n", switch, "link", "set", "bridge", "up")
    for name, address in addresses.items():
        _join(name, address, switch, gigabits)
    return hosts


def _join(name: str, address: str, switch: str, gigabits: float) -> None:
    """Make a host and its cable, which is as fast in both directions."""
    port = f"port-{name[-1]}"
    _run("ip", "netns", "add", name)
    _run("ip", "-n", name, "link", "add", "eth0", "type", "veth", "peer", "name", port, "netns", switch)
    _run("ip", "-n", name, "address", "add", f"{address}/24", "dev", "eth0")
    _run("ip", "-n", switch, "link", "set", port, "master", "bridge", "up")
    for device in ("lo", "eth0"):
        _run("ip", "-n", name, "link", "set", device, "up")
    for namespace, device in ((name, "eth0"), (switch, port)):
        _limit(namespace, device, gigabits)


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
            for pid in map(int, _run("ip", "netns", "pids", name).split()):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            _run("ip", "netns", "delete", name)


def _namespaces() -> list[str]:
    """Names of the namespaces that benches have made, whoever runs them."""
    names = [line.split()[0] for line in _run("ip", "netns", "list").splitlines() if line.strip()]
    return [name for name in names if _NAME.fullmatch(name)]


def _remove_what_the_dead_left() -> None:
    for name in _namespaces():
        owner = _NAME.fullmatch(name)
        if owner is not None and not Path(f"/proc/{owner[1]}").exists():
            _remove([name])
