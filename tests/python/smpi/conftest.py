# SPDX-License-Identifier: BSD-3-Clause
"""A command line in this process."""

from collections.abc import Callable
from pathlib import Path

import pytest

from nereus.cli.main import run


@pytest.fixture
def nereus(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Exit code, stdout and stderr of a command line."""

    def called(*arguments: str | Path) -> tuple[int, str, str]:
        code = run([str(each) for each in arguments])
        return code, *capsys.readouterr()

    return called
