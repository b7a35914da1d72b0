# SPDX-License-Identifier: BSD-3-Clause
"""Compiles Nereus for an MPI, and installs it beside the other builds."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import files
from pathlib import Path

from nereus.building.error import BuildingError
from nereus.building.mpi import ForeignMpi, variables
from nereus.building.source import Source
from nereus.launch.stopping import SIGNALS

#: Of CMake's build: what `nereus emulate` and `nereus doctor` need, and all.
TARGETS = ("install-emulate", "install")
_STEP = re.compile(r"^\[(\d+)/(\d+)\]")
_LAST_LINES = 30
#: How many steps are done, of how many.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Compilation:
    """`work`: a folder for object files, which are kept; `prefix`: where the build goes."""

    mpi: ForeignMpi
    source: Source
    name: str
    work: Path
    prefix: Path
    target: str = "install"

    def check(self) -> None:
        """BuildingError where a tool is missing."""
        asked = f"--with-mpi {self.mpi.tools.given}"
        if self.mpi.tools.mpicxx is None:
            raise BuildingError(f"{asked}: no wrapper for C++ (as mpicxx) stands beside it")
        missing = [tool for tool in ("cmake", "ninja", "pkg-config") if _tool(tool) is None]
        if missing:
            remedy = (
                "pip install 'nereus-mpi[build]' brings cmake and ninja" if self.source.is_packaged else ""
            )
            raise BuildingError(
                "; ".join(filter(None, [f"{asked}: needed are {', '.join(missing)}", remedy]))
            )

    def run(self, progress: Progress) -> None:
        """BuildingError with the last lines of the compiler where it fails; the whole log is in `work`."""
        self.work.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, **variables(self.mpi.tools), **self._where_zeromq_is(), **_launchers()}
        # Programs that CMake runs to ask for versions leave no shared memory of Open MPI 5 behind.
        environment["OMPI_MCA_btl"] = "self"
        _carry_out(self._configuration(), environment, self.work / "nereus-configure.log", progress)
        line = [_named("cmake"), "--build", str(self.work), "--parallel", str(os.cpu_count() or 1)]
        _carry_out([*line, "--target", self.target], environment, self.work / "nereus-build.log", progress)

    def _configuration(self) -> list[str]:
        tools, third_party = self.mpi.tools, self.source.third_party
        settings = {
            "NEREUS_MPI_NAME": self.name,
            "MPI_C_COMPILER": tools.mpicc,
            "MPI_CXX_COMPILER": tools.mpicxx,
            "MPIEXEC_EXECUTABLE": tools.mpiexec,
            "CMAKE_INSTALL_PREFIX": self.prefix,
            "CMAKE_MAKE_PROGRAM": _named("ninja"),
            "Python3_EXECUTABLE": sys.executable,
        }
        if third_party is not None:
            settings["CMAKE_PREFIX_PATH"] = third_party
        defined = [f"-D{name}={value}" for name, value in settings.items()]
        place = ["-S", str(self.source.folder), "-B", str(self.work)]
        return [_named("cmake"), "--fresh", "--preset", "with-mpi", *place, *defined]

    def _where_zeromq_is(self) -> dict[str, str]:
        """Beside a wheel: that of the wheel pyzmq, found by pkg-config."""
        third_party = self.source.third_party
        if third_party is None:
            return {}
        library = next((file for file in files("pyzmq") or () if file.name.startswith("libzmq-")), None)
        if library is None:
            raise BuildingError("pyzmq has no library of ZeroMQ in it; install its wheel")
        path = Path(str(library.locate())).resolve()
        folder = self.work / "zmq"
        folder.mkdir(exist_ok=True)
        link = folder / "libzmq.so"
        link.unlink(missing_ok=True)
        link.symlink_to(path)
        (folder / "libzmq.pc").write_text(
            "Name: libzmq\nDescription: ZeroMQ of the wheel pyzmq\nVersion: 4.3\n"
            f"Libs: -L{folder} -lzmq -Wl,-rpath,{path.parent} -Wl,-rpath-link,{path.parent}\n"
            f"Cflags: -I{third_party / 'include'}\n"
        )
        searched = [str(folder), os.environ.get("PKG_CONFIG_PATH", "")]
        return {"PKG_CONFIG_PATH": ":".join(filter(None, searched))}


def _tool(name: str) -> str | None:
    """That of the system, else that of this Python environment."""
    return shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent))


def _named(name: str) -> str:
    return _tool(name) or name


def _launchers() -> dict[str, str]:
    """A compiler cache, where there is one."""
    if shutil.which("ccache") is None:
        return {}
    return {"CMAKE_C_COMPILER_LAUNCHER": "ccache", "CMAKE_CXX_COMPILER_LAUNCHER": "ccache"}


def _carry_out(words: list[str], environment: dict[str, str], log: Path, progress: Progress) -> None:
    last: list[str] = []
    with log.open("w", encoding="utf-8") as kept:
        # Who is asked to end while the tool starts hears of it once the tool is known, and can be ended.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            process = subprocess.Popen(
                words,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, mask),
            )
        except BaseException:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            raise
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            for line in process.stdout or ():
                kept.write(line)
                last = [*last, line.rstrip()][-_LAST_LINES:]
                if step := _STEP.match(line):
                    progress(int(step[1]), int(step[2]))
        finally:
            process.terminate()  # nothing where it has ended
            code = process.wait()
    if code != 0:
        raise _Failed(words[0], log, last)


class _Failed(BuildingError):
    """The last lines of the tool, then where all of them are."""

    def __init__(self, tool: str, log: Path, last: list[str]) -> None:
        super().__init__(f"{Path(tool).name} failed; all that it said is in {log}")
        self._last = last

    @property
    def lines(self) -> tuple[str, ...]:
        """What it said, and one line of ours."""
        return (*self._last, str(self))
