# SPDX-License-Identifier: BSD-3-Clause
"""make site: all pages and the C API, where every link leads somewhere."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

MAKER = ROOT / "docs" / "make" / "make_site.py"
LIMIT = 580  # minutes, beside other tests


@pytest.mark.whole  # takes minutes
@pytest.mark.timeout(LIMIT + 20)
@pytest.mark.skipif(not shutil.which("doxygen"), reason="doxygen is not installed")
def test_site_has_all_pages_the_api_and_no_dead_link(tmp_path: Path) -> None:
    line = [sys.executable, str(MAKER), str(tmp_path)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stderr
    html = tmp_path / "html"
    assert done.stdout == f"written: {html / 'index.html'}\n"
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    wanted = [page for page in listed.stdout.split() if not page.startswith("docs/make/")]
    assert len(wanted) > 90
    assert [page for page in wanted if not (html / page).with_suffix(".html").exists()] == []
    api = (html / "docs" / "api" / "nereus.html").read_text()
    assert 'id="c.nereus_checkpoint"' in api
    assert "elements – [in] as for nereus_array()" in re.sub("<[^>]+>", "", api), "one of several"  # noqa: RUF001
    assert "nereus_checkpoint" in (html / "searchindex.js").read_text()
    source = html / "src" / "job" / "resize" / "resize.cpp.html"
    assert source.exists(), "a file that pages link to is a page"
    loaded = re.findall(r'(?:src|<link[^>]* href)="([^"]*)"', (html / "index.html").read_text())
    assert loaded and [each for each in loaded if "//" in each] == [], "nothing comes from elsewhere"
