# SPDX-License-Identifier: BSD-3-Clause
"""Calls the program nereus-smpi, one simulation a call, and ends it before it takes too much memory."""

import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nereus.launch import LaunchError, mpi_independent
from nereus.simulation.network.error import SmpiError, Stopped

_PROGRAM = "nereus-smpi"
_LOOK_SECONDS = 0.05
_MEMORY = "RssAnon:"  # folded memory is the same page many times


@dataclass(frozen=True)
class Limits:
    """When a simulation is ended. `stopped`: whether the user wants an end."""

    memory: int  # bytes
    stopped: Callable[[], bool] = lambda: False


def require() -> None:
    """SmpiError where this installation was built without SimGrid."""
    try:
        mpi_independent(_PROGRAM)
    except LaunchError as problem:
        raise SmpiError(
            f"{problem}: it is built where SimGrid is (Debian: apt-get install libsimgrid-dev)"
        ) from None


def simulated(what: str, question: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    """The program's answer, with the seconds that it took as `wall_seconds` and its `memory` in bytes."""
    if limits.stopped():
        raise Stopped
    program = mpi_independent(_PROGRAM)
    with tempfile.TemporaryDirectory(prefix="nereus-") as folder:
        file, out, err = (Path(folder) / name for name in ("question.json", "out", "err"))
        file.write_text(json.dumps(question), encoding="utf-8")
        begin = time.monotonic()
        with out.open("wb") as answers, err.open("wb") as complaints:
            process = subprocess.Popen([program, what, file], stdout=answers, stderr=complaints)
            memory = _watched(process, limits)
        seconds = time.monotonic() - begin
        if process.returncode != 0:
            raise SmpiError(_told(process.returncode, err.read_text(errors="replace")))
        return {**json.loads(out.read_bytes()), "wall_seconds": seconds, "memory": memory}


def _watched(process: "subprocess.Popen[bytes]", limits: Limits) -> int:
    """The most memory that it was seen with, at its end."""
    most = 0
    try:
        while process.poll() is None:
            most = max(most, _memory_of(process.pid))
            if limits.stopped():
                raise Stopped
            if most > limits.memory:
                raise SmpiError(
                    f"the simulation takes more than {limits.memory // 2**20} MiB and was ended: "
                    "fewer ranks, or --memory, help"
                )
            try:
                process.wait(_LOOK_SECONDS)
            except subprocess.TimeoutExpired:
                continue
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    return most


def _memory_of(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(_MEMORY)), 0)


def _told(code: int, text: str) -> str:
    """SimGrid says what is wrong first, and then at length where."""
    lines = [line for line in text.splitlines() if line.strip()]
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return f"{_PROGRAM}: ended by {how}: {lines[0] if lines else 'it printed nothing'}"
