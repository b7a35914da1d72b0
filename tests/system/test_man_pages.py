# SPDX-License-Identifier: BSD-3-Clause
"""make man: a page for each command, which a man page's reader takes without a word."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

MAKER = ROOT / "docs" / "man" / "pages.py"


def make(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    line = [sys.executable, str(MAKER), *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, timeout=240, check=False)


@pytest.mark.skipif(not shutil.which("help2man"), reason="help2man is not installed")
def test_each_command_has_a_page_without_faults(tmp_path: Path) -> None:
    done = make(tmp_path)
    assert done.returncode == 0, done.stderr
    pages = {page.stem: page for page in (tmp_path / "man1").glob("*.1")}
    assert f"{len(pages)} pages in" in done.stdout
    assert {"nereus", "nereus-run", "nereus-bench", "nereus-bench-transfer", "nereus-daemon-status"} <= set(
        pages
    )
    text = pages["nereus-bench-transfer"].read_text()
    assert text.splitlines()[1].startswith(".TH NEREUS-BENCH-TRANSFER ")
    assert "nereus-bench-transfer \\- time each way to move data" in " ".join(text.split())
    assert "\\-\\-process\\-strategies" in text
    assert '.SH "EXIT STATUS"' in text
    if not shutil.which("mandoc"):
        pytest.skip("mandoc is not installed: pages are made, and not looked at")
    line = ["mandoc", "-Tlint", "-W", "style", *map(str, pages.values())]
    assert subprocess.run(line, capture_output=True, text=True, timeout=120, check=False).stdout == ""


def test_without_a_folder_the_usage_is_told() -> None:
    done = make()
    assert done.returncode == 2
    assert done.stderr == "nereus: usage: python docs/man/pages.py FOLDER\n"
