# SPDX-License-Identifier: BSD-3-Clause
"""scripts/install, and what it takes wheels from, with a small project in the place of ours, offline."""

import ensurepip
import hashlib
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

VERSION = "{}.{}".format(*sys.version_info[:2])
# Builds itself, so that no other package is needed.
BACKEND = """\
from zipfile import ZipFile
def build_wheel(folder, config_settings=None, metadata_directory=None):
    name = "nereus_mpi-0.1.0"
    with ZipFile(f"{folder}/{name}-py3-none-any.whl", "w") as wheel:
        told = "print(part.NAME, sys.prefix, *sys.argv[1:])"
        wheel.writestr("toy.py", f"import part, sys\\ndef main(): {told}\\n")
        about = f"{name}.dist-info"
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\\nName: nereus-mpi\\nVersion: 0.1.0\\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{about}/entry_points.txt", "[console_scripts]\\nnereus = toy:main\\n")
        wheel.writestr(f"{about}/RECORD", "")
    return f"{name}-py3-none-any.whl"
"""
PROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "nereus-mpi"
version = "0.1.0"
"""


def wheel_of_pip() -> Path:
    """The one that Python, or the system in its place, brings along."""
    folders = [Path(ensurepip.__file__).with_name("_bundled"), Path("/usr/share/python-wheels")]
    found = [path for folder in folders for path in folder.glob("pip-*.whl")]
    if not found:
        pytest.skip("this Python brings no wheel of pip along (Debian: python3-venv)")
    return found[0]


@pytest.fixture
def checkout(repository: Path, tmp_path: Path) -> Path:
    """A project that needs the package `part`, with its wheels."""
    folder = tmp_path / "checkout"
    (folder / "scripts").mkdir(parents=True)
    (folder / "wheels").mkdir()
    for name in ("install", "source_archive", "download_wheels"):
        (folder / "scripts" / name).write_bytes((repository / "scripts" / name).read_bytes())
        (folder / "scripts" / name).chmod(0o755)
    (folder / "backend.py").write_text(BACKEND)
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "requirements.txt").write_text("# pinned\nmpich==9\npart==1\n")
    texts = [(folder / name).read_bytes() for name in ("requirements.txt", "scripts/download_wheels")]
    made_from = hashlib.sha256(b"".join(texts)).hexdigest()
    (folder / "wheels" / "made-for").write_text(f"Python {VERSION}, {made_from}  -\n")
    (folder / "wheels" / wheel_of_pip().name).write_bytes(wheel_of_pip().read_bytes())
    with zipfile.ZipFile(folder / "wheels" / "part-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("part.py", "NAME = 'part'\n")
        wheel.writestr("part-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: part\nVersion: 1\n")
        wheel.writestr(
            "part-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr("part-1.dist-info/RECORD", "")
    return folder


def run(
    script: Path, *arguments: str | Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [script, *arguments],
        env={**os.environ, "PYTHON": sys.executable, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def said_by(command: Path) -> str:
    return subprocess.run([command], capture_output=True, text=True, check=True, timeout=60).stdout.strip()


def test_command_is_installed_for_all_users_without_other_programs_beside_it(
    checkout: Path, tmp_path: Path
) -> None:
    prefix = tmp_path / "opt"
    done = run(checkout / "scripts" / "install", prefix)
    assert (done.returncode, done.stderr) == (0, "")
    assert [path.name for path in (prefix / "bin").iterdir()] == ["nereus"]
    # Builds are looked for in lib/nereus of this folder.
    assert said_by(prefix / "bin" / "nereus") == f"part {prefix / 'lib' / 'nereus'}"
    made = list((prefix / "lib" / "nereus").rglob("*.py*"))
    assert any(path.suffix == ".pyc" and path.name.startswith("toy.") for path in made)
    assert all(path.stat().st_mode & 0o004 for path in made)


def test_tree_below_destdir_runs_where_it_is_moved_to(checkout: Path, tmp_path: Path) -> None:
    made, prefix = tmp_path / "made", tmp_path / "usr"
    done = run(checkout / "scripts" / "install", prefix, environment={"DESTDIR": str(made)})
    assert done.returncode == 0, done.stderr
    assert not prefix.exists()
    (made / prefix.relative_to("/")).rename(prefix)
    assert said_by(prefix / "bin" / "nereus") == f"part {prefix / 'lib' / 'nereus'}"
    named = subprocess.run(["grep", "-rl", str(made), prefix], capture_output=True, text=True, check=False)
    assert named.stdout == ""


def test_further_build_leaves_the_command_as_it_is(checkout: Path, tmp_path: Path) -> None:
    """And is made by it."""
    prefix = tmp_path / "opt"
    mpicc = tmp_path / "mpicc"
    mpicc.write_text("#!/bin/sh\n")
    mpicc.chmod(0o755)
    first = run(checkout / "scripts" / "install", prefix, mpicc)
    again = run(checkout / "scripts" / "install", prefix, mpicc)
    environment = prefix / "lib" / "nereus"
    built = f"part {environment} build --source . --with-mpi {mpicc}\n"
    assert first.stdout == f"Installing the command nereus\n{built}"
    assert again.stdout == built


@pytest.mark.parametrize(
    ("arguments", "environment", "said"),
    [
        ([], {}, ": allowed is a path that begins with /, and an MPICC or mpich behind it"),
        (["opt"], {}, "opt: allowed is a path that begins with /, and an MPICC or mpich behind it"),
        (["/opt", "mpich"], {"DESTDIR": "/x"}, "/opt mpich: an MPI is not allowed beside DESTDIR"),
        (["/opt"], {"DESTDIR": "x"}, "DESTDIR = x: allowed is a path that begins with /"),
    ],
)
def test_wrong_place_is_refused(
    checkout: Path, arguments: list[str], environment: dict[str, str], said: str
) -> None:
    done = run(checkout / "scripts" / "install", *arguments, environment=environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"nereus: scripts/install {said}\n"


def test_foreign_command_is_not_replaced(checkout: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "opt" / "bin" / "nereus"
    foreign.parent.mkdir(parents=True)
    foreign.write_text("")
    done = run(checkout / "scripts" / "install", tmp_path / "opt")
    assert done.returncode == 2
    assert done.stderr.endswith(f"{foreign} is there already, and is not of this script\n")
    assert foreign.read_text() == ""


def test_wheels_for_another_python_are_refused(checkout: Path, tmp_path: Path) -> None:
    (checkout / "wheels" / "made-for").write_text("Python 3.1, any\n")
    done = run(checkout / "scripts" / "install", tmp_path / "opt")
    assert done.returncode == 2
    assert done.stderr.endswith(
        f"wheels/ is for Python 3.1, and {sys.executable} is {VERSION}: scripts/download_wheels {VERSION}\n"
    )
    assert not (tmp_path / "opt").exists()


def test_wrong_version_of_python_is_refused_before_anything_is_downloaded(checkout: Path) -> None:
    done = run(checkout / "scripts" / "download_wheels", "2.7")
    assert done.returncode == 2
    assert done.stderr == (
        "nereus: scripts/download_wheels 2.7: allowed is a version of Python, such as 3.13\n"
    )


def test_archive_has_what_git_knows_and_the_wheels(checkout: Path) -> None:
    (checkout / "scripts" / "download_wheels").write_text('#!/bin/sh\necho "$*" >wheels/asked\n')
    (checkout / "link").symlink_to("scripts/install")
    (checkout / "not_of_the_project").write_text("")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "scripts", "link", "*.toml"], ["commit", "-q", "-m", "all"]):
        subprocess.run([*git, *words], cwd=checkout, check=True, timeout=60)
    done = run(checkout / "scripts" / "source_archive", "3.13")
    assert done.stdout == "build/packages/nereus-0.1.0.tar.gz\n", done.stderr
    with tarfile.open(checkout / done.stdout.strip()) as archive:
        names = {name.removeprefix("nereus-0.1.0/") for name in archive.getnames()}
        assert archive.getmember("nereus-0.1.0/link").linkname == "scripts/install"
        asked = archive.extractfile("nereus-0.1.0/wheels/asked")
        assert asked is not None and asked.read() == b"3.13\n"
    assert {"link", "pyproject.toml", "scripts/install", "wheels/part-1-py3-none-any.whl"} <= names
    assert "not_of_the_project" not in names


def test_missing_compiler_wrapper_is_refused_before_anything_is_installed(
    checkout: Path, tmp_path: Path
) -> None:
    done = run(checkout / "scripts" / "install", tmp_path / "opt", tmp_path / "mpicc")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(f"there is no such program: {tmp_path / 'mpicc'}\n")
    assert not (tmp_path / "opt").exists()
