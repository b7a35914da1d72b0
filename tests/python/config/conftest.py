# SPDX-License-Identifier: BSD-3-Clause
"""Experiments as texts, and what loading them says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from nereus.config import ConfigError, Loaded, load

SMALL = """\
[data]
variable_bytes = 1000
[[phases]]
iterations = 30
[[phases.stages]]
type = "pi"
time = 0.01
[[groups]]
ranks = 1
iterations = 10
[[groups]]
ranks = 2
"""


@pytest.fixture
def small() -> str:
    """A correct experiment of 12 lines."""
    return SMALL


@pytest.fixture
def loaded(tmp_path: Path) -> Callable[..., Loaded]:
    """Loads a text under a name."""

    def do(text: str, name: str = "e.toml", **more: object) -> Loaded:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return load(path, **more)  # type: ignore[arg-type]

    return do


@pytest.fixture
def error(loaded: Callable[..., Loaded], tmp_path: Path) -> Callable[..., str]:
    """What loading a wrong text says, without the name of the folder; it must be one line."""

    def do(text: str, name: str = "e.toml", **more: object) -> str:
        with pytest.raises(ConfigError) as caught:
            loaded(text, name, **more)
        message = str(caught.value)
        assert len(message.splitlines()) == 1
        return message.replace(f"{tmp_path}/", "")

    return do
