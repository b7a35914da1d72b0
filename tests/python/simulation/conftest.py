# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def refused(nereus: Callable[..., tuple[int, str, str]], tmp_path: Path) -> Callable[[str, str], None]:
    """Checks that a workload of that text is refused, and what is said behind the name of its file."""

    def check(text: str, said: str) -> None:
        file = tmp_path / "w.toml"
        file.write_text(text)
        code, out, err = nereus("simulate", "workload", file, "--json")
        assert (code, out) == (2, "")
        assert err.startswith(f"nereus: {file}{said}")

    return check
