# SPDX-License-Identifier: BSD-3-Clause
"""What a wheel has for `nereus build`: the source, and headers of other projects that it is compiled with."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path("nereus/builds/source")
_FOLDERS = (
    "applications",
    "bindings",
    "cmake",
    "docs/schemas",
    "examples",
    "include",
    "preload",
    "src",
    "tools",
)
_FILES = ("CMakeLists.txt", "CMakePresets.json", "LICENSE")
#: Debian's packages of headers, and what of them is taken.
_HEADERS = (
    "libcli11-dev",
    "libexpected-dev",
    "libxxhash-dev",
    "libzmq3-dev",
    "nlohmann-json3-dev",
    "robin-map-dev",
)
_TAKEN = ("include", "share/cmake")
_COPYRIGHT = Path("/usr/share/doc")


def add_source(tree: Path, licences: Path) -> None:
    """`tree`: of an unpacked wheel; `licences`: its folder of them."""
    target = tree / SOURCE
    for folder in _FOLDERS:
        shutil.copytree(ROOT / folder, target / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in _FILES:
        shutil.copyfile(ROOT / file, target / file)
    for package in _HEADERS:
        _add_headers(package, target / "third_party")
        shutil.copyfile(_COPYRIGHT / package / "copyright", licences / f"headers-{package}.txt")


def _add_headers(package: str, target: Path) -> None:
    said = subprocess.run(["dpkg", "-L", package], check=True, capture_output=True, text=True).stdout
    for line in said.splitlines():
        path = Path(line)
        if path.is_file() and any(path.is_relative_to(Path("/usr") / part) for part in _TAKEN):
            copy = target / path.relative_to("/usr")
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
