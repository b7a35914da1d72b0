# SPDX-License-Identifier: BSD-3-Clause
"""Calls the program nereus-place, which is the same with all MPIs."""

import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from nereus.launch import mpi_independent
from nereus.placement.error import PlaceError
from nereus.placement.topology import Inside

_PROGRAM = "nereus-place"
#: For the description of a host, and for a mapping: one of a million ranks takes some minutes.
_HOST_SECONDS, _MAP_SECONDS = 60.0, 3600.0


def inside_of(which: Sequence[str], threads: bool) -> Inside:
    """What hwloc sees in a host: `--here`, `--xml FILE` or `--synthetic TEXT`."""
    found = _run("host", *which, *(["--threads"] if threads else []), within=_HOST_SECONDS)
    return Inside(
        tuple(found["levels"]),
        tuple(tuple(numbers) for numbers in found["children"]),
        tuple(found["processors"]),
    )


def inside_of_words(words: str, threads: bool) -> Inside:
    """What is in a host of "package:2 core:10"; hwloc wants to be told of threads."""
    full = words or "core:1"
    if not re.search(r"\bpu:", full, re.IGNORECASE):
        full += " pu:1"
    # How a system numbers the processors of a host that is told in words, nobody knows.
    return replace(inside_of(["--synthetic", full], threads), processors=())


def best_mapping(matrix: Path, question: Path) -> Any:
    """The document that the program prints."""
    return _run("map", str(matrix), str(question), within=_MAP_SECONDS)


def _run(*arguments: str, within: float) -> Any:
    program = mpi_independent(_PROGRAM)
    try:
        done = subprocess.run([program, *arguments], capture_output=True, check=False, timeout=within)
    except subprocess.TimeoutExpired:
        raise PlaceError(f"{' '.join(arguments)}: {program} found nothing within {within:g} s") from None
    if done.returncode == 0:
        return json.loads(done.stdout)
    told = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode < 0 or not told:
        told = (
            f"{program}: ended by {f'signal {-done.returncode}' if done.returncode < 0 else done.returncode}"
        )
    raise PlaceError(told)
