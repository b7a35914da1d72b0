# SPDX-License-Identifier: BSD-3-Clause
"""A root with a Python environment, and no compiler and no library but those that every Linux has."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import files
from pathlib import Path

#: What wheels may rely on beside Python itself: PEP 600, and the lists of auditwheel.
EVERYWHERE = (
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libm.so.6",
    "libpthread.so.0",
    "libresolv.so.2",
    "librt.so.1",
    "libstdc++.so.6",
    "libutil.so.1",
    "libz.so.1",
)
_INTERPRETER = Path(sys.base_prefix) / "bin" / f"python{sysconfig.get_python_version()}"
_NOT_COPIED = ("site-packages", "dist-packages", "test", "__pycache__")
_LINE = re.compile(r"(?:=> )?(/\S+) \(0x")
_DEVICES = ("null", "zero", "urandom", "random")


@dataclass(frozen=True)
class EmptyRoot:
    """Made in a folder; its Python environment is in `/env`, other packages of ours in `/packages`."""

    path: Path

    @property
    def environment(self) -> Path:
        return self.path / "env"

    def make(self) -> None:
        for name in ("proc", "sys", "dev", "tmp", "etc", "packages", "home"):
            (self.path / name).mkdir()
        (self.path / "etc" / "passwd").write_text("root:x:0:0:root:/home:/bin/sh\n")
        (self.path / "etc" / "hosts").write_text("127.0.0.1 localhost\n")
        for file in (_INTERPRETER, *_needed_by_python()):
            self._copy(file)
        modules = sysconfig.get_path("stdlib")
        shutil.copytree(modules, f"{self.path}{modules}", ignore=shutil.ignore_patterns(*_NOT_COPIED))
        subprocess.run([_INTERPRETER, "-m", "venv", "--without-pip", self.environment], check=True)

    def _copy(self, file: Path) -> None:
        """What a link stands for, under its name."""
        target = self.path / file.relative_to("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)

    def install(self, wheel: Path) -> None:
        """The wheel as pip does it, and the MPICH that our own environment has."""
        python = str(self.environment / "bin" / "python")
        line = [sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", "--no-index"]
        subprocess.run([*line, str(wheel)], check=True)
        for file in files("mpich") or ():
            source = Path(str(file.locate())).resolve()
            target = self.environment / source.relative_to(Path(sys.prefix).resolve())
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)

    def command(self, *words: str) -> list[str]:
        """The line that runs one of its commands inside, with a network and processes of its own."""
        inside = self.environment.relative_to(self.path)
        mounts = [
            f"mount --bind {sysconfig.get_path('purelib')} {self.path}/packages",
            f"mount -t proc proc {self.path}/proc",
            f"mount --rbind --make-rslave /sys {self.path}/sys",
            f"mount -t tmpfs tmpfs {self.path}/dev",
            f"mkdir {self.path}/dev/shm",
            *(
                f"touch {self.path}/dev/{name} && mount --bind /dev/{name} {self.path}/dev/{name}"
                for name in _DEVICES
            ),
            f"ln -s /proc/self/fd {self.path}/dev/fd",
        ]
        # Scripts name the interpreter by its path outside.
        start = f"exec chroot {self.path} /{inside}/bin/python /{inside}/bin/{' '.join(words)}"
        apart = ["unshare", "--mount", "--pid", "--ipc", "--net", "--fork", "--kill-child"]
        return [*apart, "sh", "-ec", "\n".join(["ip link set lo up", *mounts, start])]

    def variables(self) -> dict[str, str]:
        """All that a command inside gets."""
        return {"PATH": os.environ["PATH"], "PYTHONPATH": "/packages", "HOME": "/home", "LC_ALL": "C.UTF-8"}


def _needed_by_python() -> set[Path]:
    """Libraries of the interpreter and its modules, where the dynamic linker finds them."""
    modules = Path(sysconfig.get_path("stdlib")) / "lib-dynload"
    found = _libraries([_INTERPRETER, *modules.glob("*.so")])
    folders = {path.parent for path in found}
    return found | {path for folder in folders for name in EVERYWHERE if (path := folder / name).exists()}


def _libraries(programs: Sequence[Path]) -> set[Path]:
    said = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=True).stdout
    return {Path(found[1]) for found in _LINE.finditer(said)}
