# SPDX-License-Identifier: BSD-3-Clause
"""A daemon and a page for tests; at the end nothing of them is left."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from a_browser import Browser, Tab
from a_page import House, Served, complaint

from nereus.daemon.page.source import Source


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    # Names of sockets are short.
    runtime = Path(tempfile.mkdtemp(prefix="npt-"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    made = House(tmp_path)
    yield made
    made.close()
    left = list(runtime.iterdir())
    shutil.rmtree(runtime)
    assert left == [], "control sockets were left"


@pytest.fixture
def served() -> Iterator[Callable[..., Served]]:
    made: list[Served] = []

    def begin(source: Source, **keys: Path) -> Served:
        made.append(Served(source, **keys))
        return made[-1]

    yield begin
    for each in made:
        each.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    if why := complaint():
        pytest.skip(why)
    with Browser() as made:
        yield made


@pytest.fixture
def tab(chromium: Browser) -> Iterator[Tab]:
    made = chromium.tab()
    yield made
    made.close()
    assert made.complaints == []
