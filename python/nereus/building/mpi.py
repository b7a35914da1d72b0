# SPDX-License-Identifier: BSD-3-Clause
"""Which MPI it is, found out by a program that is run alone, and started on two processes by its launcher."""

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nereus.building.error import BuildingError
from nereus.building.tools import MpiTools

_SECONDS = 30.0
_SAID = re.compile(r"^nereus-launched: ([01]) of ([12]): (.*)$", re.MULTILINE)
_FAMILIES = {
    "Open MPI": "openmpi",
    "Intel(R) MPI": "intel",
    "MVAPICH": "mvapich",
    "CRAY": "cray-mpich",
    "MPICH": "mpich",
}
# What runs alone needs no shared memory, which Open MPI 5 would leave behind.
_ALONE = {"OMPI_MCA_btl": "self"}
_TWO = {
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "I_MPI_HYDRA_BOOTSTRAP": "fork",
    "HYDRA_LAUNCHER": "fork",
}
_TELLING = re.compile(r"error|No such|cannot|not found")


@dataclass(frozen=True)
class ForeignMpi:
    """`library`: what it calls itself; `warning`: why its launcher started no two processes here, or ""."""

    tools: MpiTools
    library: str
    warning: str = ""

    @classmethod
    def compiled(cls, tools: MpiTools, program: Path) -> "ForeignMpi":
        """Found by that source of nereus-launched, which is compiled; BuildingError where it is no MPI."""
        with tempfile.TemporaryDirectory(prefix="nereus-build-") as folder:
            made = Path(folder) / "launched"
            code, said = _run([str(tools.mpicc), str(program), "-o", str(made)], variables(tools))
            if code != 0:
                telling = (line.strip() for line in said.splitlines() if _TELLING.search(line))
                why = next(telling, _last_line(said))
                raise BuildingError(f"--with-mpi {tools.given}: compiles no program of MPI: {why}")
            return cls.launched(tools, made, {})

    @classmethod
    def launched(cls, tools: MpiTools, program: Path, environment: Mapping[str, str]) -> "ForeignMpi":
        """Found by that program of ours, run with it; BuildingError where it does not run."""
        own = {**variables(tools), **environment}
        _, alone = _run([str(program)], {**own, **_ALONE})
        two = [str(tools.mpiexec), "-n", "2", str(program)]
        _, together = _run(two, {**own, **_TWO})
        heard = _SAID.findall(together)
        libraries = [text for _, _, text in (*heard, *_SAID.findall(alone))]
        asked = f"--with-mpi {tools.given}"
        if not libraries:
            raise BuildingError(f"{asked}: a program of it does not run: {_last_line(alone)}")
        if any(size == "1" for _, size, _ in heard):
            raise BuildingError(
                f"{asked}: {tools.mpiexec} starts jobs of one process with it: is it of another MPI? "
                "--mpiexec names one"
            )
        warning = "" if len(heard) == 2 else f"{tools.mpiexec} started no two processes here"
        why = f" ({_last_line(together)})" if warning else ""
        return cls(tools, libraries[0].strip(), warning + why)


def usual_name(library: str) -> str:
    """Family and version, as intel-2021.18.1."""
    family = next((name for text, name in _FAMILIES.items() if text in library), "mpi")
    version = re.search(r"\d+(\.\d+)+", library)
    return f"{family}-{version[0]}" if version else family


def variables(tools: MpiTools) -> dict[str, str]:
    """What its tools need: those of Intel look there, and know no other place where they were unpacked."""
    is_intel = (tools.wrapper.parent / "impi_info").exists()
    return {"I_MPI_ROOT": str(tools.prefix)} if is_intel and "I_MPI_ROOT" not in os.environ else {}


def _run(words: Sequence[str], environment: Mapping[str, str]) -> tuple[int, str]:
    """Exit code and all that it says; what takes too long is ended."""
    try:
        done = subprocess.run(
            words,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        return 124, _text(late.stdout) + f"\nit did not end within {_SECONDS:g} s"
    except OSError as problem:
        return 126, f"{words[0]}: {problem.strerror}"
    return done.returncode, _text(done.stdout)


def _text(said: bytes | None) -> str:
    return (said or b"").decode(errors="replace")


def _last_line(said: str) -> str:
    lines = said.strip().splitlines()
    return lines[-1][:200] if lines else "it said nothing"
