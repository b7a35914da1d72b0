# SPDX-License-Identifier: BSD-3-Clause
"""The notebooks among the examples run from top to bottom, and say what they say."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")

NOTEBOOKS = Path(__file__).parents[2] / "examples" / "notebooks"
SAYS = {
    "resize": ["two processes iterate faster by a factor of", "generations: [0, 1, 2]"],
    "study": ["Merge outperforms Baseline in both directions, as in the paper:"],
}
TAKES_MINUTES = {"study"}
PICTURES = {"resize": ["iterations.png", "traced.png"], "study": ["two-ways.png"]}


def read(name: str) -> Any:
    return nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)


def test_each_notebook_is_tested() -> None:
    assert {path.stem for path in NOTEBOOKS.glob("*.ipynb")} == SAYS.keys() == PICTURES.keys()


@pytest.mark.parametrize("name", SAYS)
def test_notebook_is_valid_and_has_no_outputs(name: str) -> None:
    book = read(name)
    nbformat.validate(book)
    assert book.metadata["license"] == "SPDX-License-Identifier: BSD-3-Clause"
    for cell in book.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.whole if name in TAKES_MINUTES else ()) for name in SAYS]
)
def test_notebook_runs_from_top_to_bottom(site: Any, mpich: str, name: str) -> None:
    """In one process, as a kernel does, in the folder of the installed examples."""
    assert site.nereus("examples", "examples").code == 0
    folder = site.folder / "examples" / "notebooks"
    cells = [cell.source for cell in read(name).cells if cell.cell_type == "code"]
    script = folder / "cells.py"
    script.write_text("\n\n".join(cells))
    path = f"{Path(sys.executable).parent}:{site.environment['PATH']}"
    environment = {**site.environment, "MPLBACKEND": "agg", "PATH": path}
    done = subprocess.run(
        [sys.executable, script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for line in SAYS[name]:
        assert line in done.stdout
    for picture in PICTURES[name]:
        assert (folder / picture).read_bytes().startswith(b"\x89PNG")
