# SPDX-License-Identifier: BSD-3-Clause
"""Runs the installed `nereus` with real MPIs, and looks after each test whether anything is left."""

import json
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from commands import COMMAND, started
from forked_commands import ForkedCommands, RunCommand, run_command
from own_shared_memory import take_own_shared_memory

from nereus.launch import builds, builds_folder, choose
from nereus.launch.process_environment import processes_with
from nereus.launch.shared_memory import FOLDER, NAME_PREFIXES

ROOT = Path(__file__).resolve().parents[2]
MARKER = "NEREUS_SYSTEM_TEST"
LIMIT = 120.0
# MPI_Comm_spawn of Open MPI 4.1.4 hangs inside the MPI once in 20 to 50 times. A run that exceeds the limit
# there, and only that, is repeated; it comes before `answer-timeout` and `connect-timeout` end the job.
OPEN_MPI_LIMIT = 50.0
OPEN_MPI_TRIALS = 3


@dataclass(frozen=True)
class Result:
    """A command that is over."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """What --json printed."""
        return json.loads(self.out)

    @property
    def said(self) -> Any:
        """The document that a program printed."""
        return said_in(self.out)


def said_in(text: str) -> Any:
    """The document that a program printed, among lines of its launcher, and those of UCX."""
    (line,) = (line for line in text.splitlines() if line.startswith("{"))
    return json.loads(line)


class Site:
    """A folder to work in, whose processes are known by an environment variable."""

    def __init__(self, folder: Path, cache: Path, run: RunCommand = run_command) -> None:
        self.folder = folder
        self._run = run
        self.temporary = Path(tempfile.mkdtemp(prefix="nst-"))
        self.runtime = Path(tempfile.mkdtemp(prefix="nsr-"))
        self.token = secrets.token_hex(8)
        kept = {key for key in os.environ if not key.startswith("NEREUS_") or key == "NEREUS_BUILDS"}
        inherited = {key: os.environ[key] for key in kept}
        folders = {"XDG_CACHE_HOME": cache, "TMPDIR": self.temporary, "XDG_RUNTIME_DIR": self.runtime}
        folders["NEREUS_KEY_FOLDER"] = folder / "keys"  # jobs of other tests have their records elsewhere
        own = {name: str(folder) for name, folder in folders.items()}
        self.environment = inherited | own | {MARKER: self.token}

    def program(self, mpi: str, name: str) -> Path:
        """An application of these tests, built for an MPI; a skipped test where it is not."""
        folder = Path(os.environ.get("NEREUS_TEST_PROGRAMS", ROOT / "build"))
        path = folder / mpi / "tests" / "system" / "programs" / name
        if not path.exists():
            pytest.skip(f"{path} is not built; `make build` builds it")
        return path

    def write(self, name: str, text: str) -> Path:
        """A file of the folder."""
        (self.folder / name).write_text(text)
        return Path(name)

    def started(
        self, *arguments: str | Path, **environment: str
    ) -> "AbstractContextManager[subprocess.Popen[str]]":
        """One command, ended at the latest with the block."""
        return started([*COMMAND, *arguments], self.folder, self.environment | environment)

    def nereus(self, *arguments: str | Path, limit: float = LIMIT, **environment: str) -> Result:
        """One command, to its end."""
        words = [str(each) for each in arguments]
        done = self._run(words, self.folder, self.environment | environment, limit)
        return Result(done.returncode, done.stdout, done.stderr)

    def emulate(self, mpi: str, file: Path, output: str = "out", **environment: str) -> Result:
        """An experiment with a JSON document; hangs of Open MPI are repeated."""
        limit, trials = (OPEN_MPI_LIMIT, OPEN_MPI_TRIALS) if mpi == "openmpi" else (LIMIT, 1)
        options = ("--mpi", mpi, "--json", "--no-picture", "--output", output)
        for trial in range(1, trials + 1):
            try:
                return self.nereus("emulate", file, *options, limit=limit, **environment)
            except subprocess.TimeoutExpired:
                print(f"trial {trial} of {trials} exceeded {limit:g} s: {self.events(output)[-1:]}")
                shutil.rmtree(self.folder / output, ignore_errors=True)
        pytest.fail(f"{trials} runs with {mpi} exceeded {limit:g} s")

    def events(self, output: str = "out") -> list[dict[str, Any]]:
        """The whole lines of a results folder so far."""
        with suppress(FileNotFoundError):
            lines = (self.folder / output / "run.jsonl").read_text().split("\n")[:-1]
            return [json.loads(line) for line in lines]
        return []

    def wait_for_iterations(self, process: "subprocess.Popen[str]", ranks: int, output: str = "out") -> None:
        """Wait until the run iterates on this many ranks; fails when it ends before."""

        def iterates() -> bool:
            assert process.poll() is None, process.communicate()
            seen = self.events(output)
            return any(event["event"] == "progress" and event["ranks"] == ranks for event in seen)

        wait_until(iterates)

    def processes(self, program: str = "") -> list[int]:
        """Running processes that came from this site."""
        found = []
        for pid in processes_with(f"{MARKER}={self.token}".encode()):
            with suppress(OSError):
                if program in Path(f"/proc/{pid}/exe").readlink().name:
                    found.append(pid)
        return found


def wait_until(condition: Callable[[], bool], limit: float = LIMIT) -> None:
    """Look again and again; fails when it does not come true."""
    deadline = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.02)


def shared_memory() -> set[Path]:
    """Shared memory files of MPIs that no process maps."""
    found = {path for path in FOLDER.iterdir() if path.name.startswith(NAME_PREFIXES)}
    for process in Path("/proc").iterdir():
        if found and process.name.isdigit():
            with suppress(OSError):
                maps = (process / "maps").read_text()
                found = {path for path in found if str(path) not in maps}
    return found


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all tests: each MPI is tried once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def site(tmp_path: Path, cache: Path, forked_commands: ForkedCommands) -> Iterator[Site]:
    """A place to run in; no process, shared memory or temporary file may be left afterwards."""
    before = shared_memory()
    place = Site(tmp_path, cache, forked_commands.run)
    yield place
    left = place.processes()
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    temporary = sorted(path.name for path in place.temporary.iterdir())
    control_sockets = sorted(path.name for path in place.runtime.rglob("*"))
    shutil.rmtree(place.temporary, ignore_errors=True)
    shutil.rmtree(place.runtime, ignore_errors=True)
    assert left == [], "processes were left"
    assert temporary == [], "temporary files were left"
    assert control_sockets == [], "control sockets of jobs were left"
    # Another job of this machine may be between making and mapping its file: only what stays counts.
    wait_until(lambda: shared_memory() <= before, limit=10)


def installed(name: str) -> str:
    """The name, or a skipped test where this build is not installed."""
    if name not in {build.name for build in builds()}:
        pytest.skip(f"the build {name} is not installed; `make build` installs it")
    return name


@pytest.fixture
def mpich() -> str:
    """MPICH 5, which can spawn."""
    return installed("mpich")


@pytest.fixture
def openmpi() -> str:
    """Open MPI 4.1.8."""
    return installed("openmpi")


@pytest.fixture
def openmpi_debian() -> str:
    """Debian's Open MPI 4.1.4: it has inner headers, components and Fortran, and may hang in a spawn."""
    return installed("openmpi-debian")


@pytest.fixture
def mpich_debian() -> str:
    """Debian's MPICH 4.0.2, which cannot."""
    return installed("mpich-debian")


def installed_beside(name: str, site: Site, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same for a build of the folder nereus-more, which alone the test then knows."""
    folder = builds_folder().with_name("nereus-more")
    if not (folder / name / "mpi.json").exists():
        pytest.skip(f"{folder} has no build {name}: `make build` said why it cannot install the MPI")
    monkeypatch.setenv("NEREUS_BUILDS", str(folder))
    site.environment["NEREUS_BUILDS"] = str(folder)
    return name


@pytest.fixture
def intel(site: Site, monkeypatch: pytest.MonkeyPatch) -> str:
    """Intel MPI, where it could be installed."""
    return installed_beside("intel", site, monkeypatch)


@pytest.fixture
def openmpi5(site: Site, monkeypatch: pytest.MonkeyPatch) -> str:
    """Open MPI 5, where it could be installed."""
    return installed_beside("openmpi5", site, monkeypatch)


@pytest.fixture(params=["mpich", pytest.param("openmpi", marks=pytest.mark.whole)])
def sampled_mpi(request: pytest.FixtureRequest) -> str:
    """Each MPI that can spawn; MPICH alone in `make test`."""
    return installed(str(request.param))


@pytest.fixture(params=["mpich", "openmpi"])
def mpi(request: pytest.FixtureRequest) -> str:
    """Each MPI that can spawn."""
    return installed(str(request.param))


@pytest.fixture(scope="session")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The program watched.c, compiled against an installed build."""
    folder = tmp_path_factory.mktemp("watched")

    def compiled(mpi: str) -> Path:
        program = folder / f"watched-{mpi}"
        if not program.exists():
            build = choose(mpi)
            compiler = build.mpiexec.with_name(build.mpiexec.name.replace("mpiexec", "mpicc"))
            library = build.prefix / "lib"
            paths = [f"-I{build.prefix / 'include'}", f"-L{library}", f"-Wl,-rpath,{library}"]
            source = Path(__file__).with_name("watched.c")
            subprocess.run([compiler, "-o", program, source, *paths, "-lnereus"], check=True, timeout=LIMIT)
        return program

    return compiled


def pytest_configure() -> None:
    """Beside other workers of one run."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        take_own_shared_memory()


def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    """Of a test with several cases for each MPI, `make test` takes the cases with one MPI in turns."""
    cases: dict[str, list[str]] = {}
    for item in items:
        params = dict(item.callspec.params) if hasattr(item, "callspec") else {}
        mpi = params.pop("mpi", None)
        if mpi is None or not params:
            continue
        known = cases.setdefault(item.nodeid.partition("[")[0], [])
        case = repr(sorted(params.items(), key=str))
        if case not in known:
            known.append(case)
        # 0 1 1 0 0 1 1 0 ...: where the last parameter has two values, both MPIs see both.
        if ((known.index(case) + 1) // 2 + (mpi == "openmpi")) % 2:
            item.add_marker(pytest.mark.whole)
