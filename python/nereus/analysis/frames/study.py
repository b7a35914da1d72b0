# SPDX-License-Identifier: BSD-3-Clause
"""The folder of a study."""

from pathlib import Path

from nereus.analysis.frames.tables import Tables
from nereus.analysis.study.cells import find
from nereus.analysis.study.document import document
from nereus.analysis.study.tables import rows_of


def study_tables(folder: Path) -> Tables:
    """All that its report has as CSV; a study that is not over is read as far as it got."""
    found = find(folder)
    made = document(found)
    runs = made["runs"]
    missing = f"{folder}: {runs['missing']} of {runs['planned']} runs have not been made"
    return Tables("study", rows_of(found, made), [missing] if runs["missing"] else [])
