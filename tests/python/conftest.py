# SPDX-License-Identifier: BSD-3-Clause
"""What tests of the source tree share."""

import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def repository() -> Path:
    return REPOSITORY


@pytest.fixture(scope="session")
def tracked() -> dict[str, str]:
    """Text of every file that git knows, by path; binary files and removed ones left out."""
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, check=True, timeout=60
    ).stdout.decode()
    texts = {}
    for name in filter(None, names.split("\0")):
        content = (REPOSITORY / name).read_bytes() if (REPOSITORY / name).is_file() else b"\0"
        if b"\0" not in content:
            texts[name] = content.decode()
    return texts
