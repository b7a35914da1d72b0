# SPDX-License-Identifier: BSD-3-Clause
"""Live studies from text."""

from collections.abc import Callable
from pathlib import Path

import pytest

from nereus.simulation.live import Study, load_live

TEXT = """\
policies = ["none", "blocking"]
[cluster]
cores = 8
[storage]
bandwidth = 1e7
[live]
repetitions = 2
[[jobs]]
name = "A1"
ranks = 2
iterations = 20
time = { fixed = 0.01, divided = 0.4 }
io_every = 5
io_seconds = 0.5
flops = 10.0
profile = [2, 4]
[[jobs]]
name = "A2"
start = 1.0
ranks = 4
iterations = 20
time = { divided = 0.8 }
"""


@pytest.fixture
def study(tmp_path: Path) -> Callable[..., Study]:
    def made(text: str = TEXT, **replaced: str) -> Study:
        for before, after in replaced.items():
            assert before in text
            text = text.replace(before, after)
        file = tmp_path / "two.toml"
        file.write_text(text)
        return load_live(file)

    return made
