# SPDX-License-Identifier: BSD-3-Clause
"""Two hosts on this machine, joined by links of a set rate, for jobs that measure."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator

from nereus.bench.local_hosts import LocalHosts, Wanted, local_hosts
from nereus.launch.error import LaunchError


def complaint() -> str:
    """Why such hosts cannot be made here, or ""."""
    if os.geteuid() != 0:
        return "hosts with links of a set rate are network namespaces, which only root can make"
    missing = [name for name in ("ip", "tc", "unshare") if shutil.which(name) is None]
    if missing:
        return f"{', '.join(missing)}: not found; hosts are made by the packages iproute2 and util-linux"
    return ""


@contextlib.contextmanager
def limited_hosts(gigabits: float) -> Iterator[LocalHosts]:
    """Two hosts, each on a link of so many Gbit/s in each direction; LaunchError where the system refuses."""
    why = complaint()
    if why:
        raise LaunchError(f"--network = limited: {why}")
    with contextlib.ExitStack() as stack:
        try:
            hosts = stack.enter_context(local_hosts(Wanted("nrb", "ab", gigabits)))
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as problem:
            raise LaunchError(f"--network = limited: {' '.join(problem.cmd)}: {_why(problem)}") from problem
        yield hosts


def _why(problem: subprocess.CalledProcessError | subprocess.TimeoutExpired) -> str:
    if isinstance(problem, subprocess.TimeoutExpired):
        return f"did not end within {problem.timeout:g} s"
    return " ".join(problem.stderr.split())
