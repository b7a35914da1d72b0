# SPDX-License-Identifier: BSD-3-Clause
"""How to cite: the file that GitHub, Zenodo and reference managers read."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]


@pytest.fixture
def citation() -> Any:
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_citation_has_what_its_format_needs(citation: Any) -> None:
    """Citation File Format 1.2.0: these four, and of each author a name."""
    assert citation["cff-version"] == "1.2.0"
    assert all(citation[key] for key in ("message", "title", "authors"))
    works = [citation, *citation["references"]]
    for author in (author for work in works for author in work["authors"]):
        assert author.get("name") or author.get("family-names")
    assert all(work["type"] and work["title"] and work["year"] for work in citation["references"])


def test_citation_is_of_this_version_and_its_papers(citation: Any) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert citation["version"] == project["version"]
    assert citation["license"] == "BSD-3-Clause"
    assert (ROOT / "LICENSE").read_text().startswith("BSD 3-Clause License")
    years = sorted(work["year"] for work in citation["references"])
    assert years == [2017, 2019, 2023, 2024, 2025], "the five papers of docs/papers.md"
