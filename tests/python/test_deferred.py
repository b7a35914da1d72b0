# SPDX-License-Identifier: BSD-3-Clause
"""Packages whose names come from their files when somebody asks for them."""

from importlib import import_module
from pathlib import PurePosixPath

import pytest

from nereus import names_from


def test_every_name_of_a_deferred_package_is_there(tracked: dict[str, str]) -> None:
    deferred = [
        ".".join(PurePosixPath(path).parent.parts[1:])
        for path, text in tracked.items()
        if path.startswith("python/nereus/") and "__getattr__ = names_from(" in text
    ]
    assert "nereus.analysis.report" in deferred
    for package in map(import_module, deferred):
        assert [name for name in package.__all__ if not hasattr(package, name)] == []


def test_name_that_a_deferred_package_lacks_is_reported_as_usual() -> None:
    with pytest.raises(AttributeError, match=r"module 'nereus\.methods' has no attribute 'missing'"):
        names_from("nereus.methods", {"strategies": ["conflict_in"]})("missing")
