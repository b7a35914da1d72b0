# SPDX-License-Identifier: BSD-3-Clause
"""What the papers found (papers.toml), and for which rows of a report it holds."""

import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

Interval = tuple[float, float]


def papers() -> list[dict[str, Any]]:
    """What the papers found, with its source; from one file, so that a reader can check it."""
    text = (files("nereus.analysis.study") / "papers.toml").read_text(encoding="utf-8")
    return list(tomllib.loads(text)["findings"])


def interval(findings: Sequence[Mapping[str, Any]], row: Mapping[str, Any]) -> Interval | None:
    """The first one that the papers tell for what a row has; none for what they did not measure."""
    for finding in findings:
        if "low" in finding and holds(finding, row):
            return finding["low"], finding["high"]
    return None


def holds(finding: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    """Whether the papers measured what the row has."""
    if row["variant"] not in finding.get("variants", (row["variant"],)):
        return False
    own = {"direction": direction(row), **row}
    return all(own.get(key) == finding[key] for key in ("load", "direction", "reference") if key in finding)


def direction(row: Mapping[str, Any]) -> str:
    """Which way a resize goes."""
    return "expand" if row["to"] > row["from"] else "shrink"
