# SPDX-License-Identifier: BSD-3-Clause
"""scripts/deb, with tools of Debian that only note how they were called."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TOOLS = {
    "apt-get": 'echo "apt-get $*" >>"$NOTES"',
    "dpkg-checkbuilddeps": 'test -e debian/control || exit 2; exit "$UNMET"',
    "dpkg-buildpackage": 'echo "dpkg-buildpackage $* with $PYTHON" >>"$NOTES"; touch ../nereus_0.1.0_any.deb',
}
ARCHIVE = """\
mkdir -p made/nereus-0.1.0 build/packages
cp -r packaging made/nereus-0.1.0
tar -czf build/packages/nereus-0.1.0.tar.gz -C made nereus-0.1.0
echo Downloading
echo build/packages/nereus-0.1.0.tar.gz
"""
SOURCE = "build/packages/deb/nereus-0.1.0"


@pytest.fixture
def checkout(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What scripts/deb needs of the project, and a PATH that begins with the tools."""
    folder, tools = tmp_path / "checkout", tmp_path / "tools"
    scripts = {"packages": "", "source_archive": ARCHIVE}
    for path, text in [
        *((tools / name, text) for name, text in TOOLS.items()),
        *((folder / "scripts" / name, text) for name, text in scripts.items()),
    ]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    shutil.copy(repository / "scripts" / "deb", folder / "scripts")
    shutil.copytree(repository / "packaging", folder / "packaging")
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setenv("NOTES", str(tmp_path / "notes"))
    return folder


def deb(checkout: Path, unmet: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [checkout / "scripts" / "deb"],
        env={**os.environ, "UNMET": str(unmet)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_packages_are_built_from_the_archive_by_the_python_of_debian(checkout: Path, tmp_path: Path) -> None:
    done = deb(checkout, unmet=0)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "build/packages/deb/nereus_0.1.0_any.deb\n"
    assert (
        tmp_path / "notes"
    ).read_text() == "dpkg-buildpackage --build=binary --no-sign with /usr/bin/python3\n"
    rules = checkout / SOURCE / "debian" / "rules"
    assert os.access(rules, os.X_OK)


def test_missing_build_dependencies_are_installed_or_named(checkout: Path, tmp_path: Path) -> None:
    done = deb(checkout, unmet=1)
    notes = tmp_path / "notes"
    if os.geteuid() == 0:
        assert notes.read_text().splitlines()[:2] == [
            "apt-get update -q",
            f"apt-get build-dep -y -q --no-install-recommends ./{SOURCE}",
        ]
    else:
        assert done.returncode == 2
        assert done.stderr == f"nereus: Debian packages are missing: sudo apt-get build-dep -y ./{SOURCE}\n"
        assert not notes.exists()
