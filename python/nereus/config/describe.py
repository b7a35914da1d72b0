# SPDX-License-Identifier: BSD-3-Clause
"""The rows of `nereus emulate --print-config`."""

from __future__ import annotations

from typing import Any

from nereus.config.document import parse_path
from nereus.config.loading import Loaded
from nereus.config.model import METHOD_KEYS

Row = tuple[str, Any, str]


def describe(loaded: Loaded) -> list[Row]:
    """Key, value and origin of all that the experiment holds; methods of the first group are none."""
    tree = loaded.experiment.model_dump(mode="json")
    rows = []
    for key, origin in loaded.origins.items():
        path = parse_path(key) or ()
        if path[:2] == ("groups", 0) and path[2] in METHOD_KEYS:
            continue
        value: Any = tree
        for part in path:
            value = value[part]
        rows.append((key, value, origin))
    return rows
