# SPDX-License-Identifier: BSD-3-Clause
"""What an answer depends on beside the files that were tried: hosts and containers may share a home."""

import contextlib
import json
from pathlib import Path

from nereus.launch.builds import Build

# Of the namespaces that the system was started with (PROC_PID_INIT_INO and PROC_IPC_INIT_INO of Linux).
_FIRST = {"pid": "pid:[4026531836]", "ipc": "ipc:[4026531839]"}
_OF_STATUS = ("Seccomp:", "CapEff:")


def in_container() -> bool:
    """Whether our processes have numbers or names of shared memory of their own, as those in containers have.

    Addresses of transports in shared memory are longer there, and some have no room in the name of a port.
    """
    return any(map(_is_own, _FIRST))


def _is_own(namespace: str) -> bool:
    try:
        return str(Path(f"/proc/self/ns/{namespace}").readlink()) != _FIRST[namespace]
    except OSError:
        return False


def key_here(build: Build, *more: object) -> str:
    """Of an answer about this build that holds where we are."""
    return json.dumps([str(build.prefix), *more, *surroundings()])


def surroundings() -> list[str]:
    """What decides whether one process may read another's memory, and how it is addressed."""
    found = [f"own {namespace}" for namespace in _FIRST if _is_own(namespace)]
    with contextlib.suppress(OSError):
        found.append(Path("/proc/sys/kernel/yama/ptrace_scope").read_text(encoding="ascii").strip())
    with contextlib.suppress(OSError):
        lines = Path("/proc/self/status").read_text(encoding="utf-8", errors="replace").splitlines()
        found += [line for line in lines if line.startswith(_OF_STATUS)]
    return found
