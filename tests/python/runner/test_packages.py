# SPDX-License-Identifier: BSD-3-Clause
"""scripts/packages, tried with a package manager that only notes what it is asked for."""

import os
import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What apt-get was asked for, in a world in which only elfutils is missing."""
    tools = {
        "dpkg-query": 'case "$*" in *elfutils) exit 1;; esac; printf installed',
        "apt-get": f'echo "$*" >> {tmp_path}/asked',
    }
    for name, text in tools.items():
        tool = tmp_path / name
        tool.write_text(f"#!/bin/sh\n{text}\n")
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path / "asked"


def packages(repository: Path, what: str) -> subprocess.CompletedProcess[str]:
    command = [str(repository / "scripts" / "packages"), what]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_only_missing_packages_are_installed_or_listed(repository: Path, asked: Path) -> None:
    done = packages(repository, "all")
    if os.geteuid() == 0:
        assert done.returncode == 0
        assert asked.read_text().splitlines()[-1].split()[-2:] == ["--no-install-recommends", "elfutils"]
    else:
        assert done.returncode == 2
        assert done.stderr.rstrip().endswith("sudo apt-get install -y --no-install-recommends elfutils")
        assert not asked.exists()


def test_demo_does_not_need_packages_of_the_tests(repository: Path, asked: Path) -> None:
    done = packages(repository, "demo")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not asked.exists()


def test_unknown_set_of_packages_is_refused(repository: Path, asked: Path) -> None:
    done = packages(repository, "some")
    assert done.returncode == 2
    assert done.stderr == "nereus: scripts/packages some: allowed are demo, lint and all\n"
