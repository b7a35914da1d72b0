# SPDX-License-Identifier: BSD-3-Clause
"""Limits what is written to a block device, by all who write together, with the kernel's control groups.

Version 1: `blkio.throttle.write_bps_device` of the root group, in which the kernel writes back what any
process wrote. Version 2: `io.max` of a group of our own, in which this process and all that it starts are
meanwhile.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nereus.simulation.live.error import LiveError

_MOUNTS = Path("/proc/mounts")
_LIMIT_V1 = "blkio.throttle.write_bps_device"


@contextmanager
def limited(device: str, bytes_per_second: int, mounts: Path = _MOUNTS) -> Iterator[None]:
    """`device`: as major:minor. LiveError where the kernel offers no such limit."""
    table = [line.split() for line in mounts.read_text(encoding="utf-8").splitlines()]
    for _, place, kind, options, *_ in table:
        if kind == "cgroup" and "blkio" in options.split(",") and (Path(place) / _LIMIT_V1).exists():
            with _version_1(Path(place) / _LIMIT_V1, device, bytes_per_second):
                yield
            return
    for _, place, kind, *_ in table:
        controllers = Path(place) / "cgroup.controllers"
        if kind == "cgroup2" and controllers.exists() and "io" in controllers.read_text().split():
            with _version_2(Path(place), device, bytes_per_second):
                yield
            return
    raise LiveError(
        "a limited store needs a control group with blkio or io, which this kernel does not offer here"
    )


@contextmanager
def _version_1(file: Path, device: str, bytes_per_second: int) -> Iterator[None]:
    _write(file, f"{device} {bytes_per_second}")
    try:
        yield
    finally:
        _write(file, f"{device} 0")


@contextmanager
def _version_2(root: Path, device: str, bytes_per_second: int) -> Iterator[None]:
    _write(root / "cgroup.subtree_control", "+io")
    group = root / f"nereus-live-{os.getpid()}"
    before = _own_group(root)
    group.mkdir()
    try:
        _write(group / "io.max", f"{device} wbps={bytes_per_second}")
        _write(group / "cgroup.procs", str(os.getpid()))
        yield
    finally:
        _write(before / "cgroup.procs", str(os.getpid()))
        group.rmdir()


def _own_group(root: Path) -> Path:
    for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
        number, _, path = line.split(":", 2)
        if number == "0":
            return root / path.lstrip("/")
    return root


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(f"{text}\n", encoding="utf-8")
    except OSError as problem:
        raise LiveError(f"{file}: {text}: {problem.strerror}") from None
