# SPDX-License-Identifier: BSD-3-Clause
"""A place to run `nereus` in: an empty folder, a build of scripts, a cache of its own."""

import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from commands import COMMAND
from forked_commands import ForkedCommands

LIMIT = 120.0

MALLEABLE = """\
name = "small"
[data]
constant_bytes = 800
variable_bytes = 80
[[phases]]
iterations = 4
[[phases.stages]]
type = "pi"
time = 0.01
[[groups]]
ranks = 1
iterations = 2
[[groups]]
ranks = 2
"""


def _fake(name: str) -> ModuleType:
    """The file of that name next to this one: tests are no package."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Shell:
    """Runs `nereus` in a folder of its own."""

    def __init__(self, folder: Path, runtime: Path, forked: ForkedCommands) -> None:
        self.folder = folder
        self._forked = forked
        self.builds = folder.parent / "builds"
        self.install: Callable[..., Path] = lambda *a, **k: _fake("fake_mpi").install(self.builds, *a, **k)
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("NEREUS_")}
        own = {
            "NEREUS_BUILDS": self.builds,
            "XDG_CACHE_HOME": folder.parent / "cache",
            "TMPDIR": folder.parent,
            "XDG_RUNTIME_DIR": runtime,
            "NEREUS_KEY_FOLDER": folder.parent / "keys",
        }
        self.environment = inherited | {key: str(value) for key, value in own.items()}

    def nereus(self, *arguments: str | Path, **environment: str) -> "subprocess.CompletedProcess[str]":
        """One command, to its end."""
        words = [str(each) for each in arguments]
        return self._forked.run(words, self.folder, self.environment | environment, LIMIT)

    def start(self, *arguments: str | Path, **environment: str) -> "subprocess.Popen[str]":
        """One command, to be watched."""
        return subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            cwd=self.folder,
            env=self.environment | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def write(self, name: str, text: str) -> Path:
        """A file in the folder; its name is relative, as a user would give it."""
        (self.folder / name).write_text(text)
        return Path(name)

    def files(self) -> list[str]:
        """What is in the folder."""
        return sorted(path.name for path in self.folder.iterdir())


@pytest.fixture
def shell(tmp_path: Path, forked_commands: ForkedCommands) -> Iterator[Shell]:
    """An empty folder and one MPI that can resize; no temporary folder of a job may be left in the end."""
    folder = tmp_path / "work"
    folder.mkdir()
    # Names of sockets are short.
    runtime = Path(tempfile.mkdtemp(prefix="nst-"))
    place = Shell(folder, runtime, forked_commands)
    place.install()
    yield place
    left = list(runtime.iterdir())
    shutil.rmtree(runtime)
    assert left == [], "control sockets were left"
    assert not list(tmp_path.glob("nereus-*")), "a temporary folder was left"


@pytest.fixture
def jobs(shell: Shell) -> Path:
    """Programs in the place of nereus-resizes and nereus-transfers; the file of their command lines."""
    noted = {_fake(name).install(shell.builds / "mpich") for name in ("fake_resizes", "fake_transfers")}
    (file,) = noted
    return Path(file)


@pytest.fixture
def small(shell: Shell) -> Path:
    """An experiment that grows from 1 to 2 ranks."""
    return shell.write("small.toml", MALLEABLE)
