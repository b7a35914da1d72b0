# SPDX-License-Identifier: BSD-3-Clause
"""nereus study with real MPIs: resizes are measured and reported, and a stopped study leaves nothing."""

import json
import signal
from pathlib import Path
from typing import Any

LIMIT = 400.0

EXPERIMENT = """\
name = "tiny"
[data]
bytes = "1 MB"
constant_percent = 90
[[phases]]
iterations = 40
[[phases.stages]]
type = "pi"
time = "2 ms"
[[phases.stages]]
type = "allreduce"
bytes = 8
[[groups]]
ranks = 1
iterations = 20
[[groups]]
ranks = 2
"""

STUDY = """\
name = "tiny"
repetitions = 3
pairs = [[1, 2], [2, 1]]
sizes = [2]
variants = ["Merge-P2PS", "Merge-SHMS"]
reference = "Merge-P2PS"
timeout = 60

[[applications]]
name = "tiny"
experiment = "tiny.toml"
"""


def begin(site: Any, repetitions: int = 3) -> Path:
    site.write("tiny.toml", EXPERIMENT)
    return Path(site.write("study.toml", STUDY.replace("repetitions = 3", f"repetitions = {repetitions}")))


def make(site: Any, mpi: str, file: Path) -> Any:
    """All runs; those in which Open MPI hung by its own fault are made again."""
    for _ in range(3):
        result = site.nereus("study", file, "--mpi", mpi, "--folder", "out", "--json", limit=LIMIT)
        if result.code == 0:
            break
        reasons = [failure["reason"] for failure in result.document["failed"]]
        assert mpi == "openmpi" and set(reasons) == {"did not end within 60 s"}, result.err
    return result.document


def test_study_of_real_resizes_has_every_figure_of_the_papers(site: Any, sampled_mpi: str) -> None:
    made = make(site, sampled_mpi, begin(site))
    assert (made["good"], made["missing"], made["failed"]) == (15, 0, [])
    shown = site.nereus("report", "out", "--json", "--html", "page.html")
    assert shown.code == 0, shown.err
    found = shown.document
    cells = {(cell["sizes"], cell["variant"]): cell for cell in found["cells"]}
    assert len(cells) == 5
    for (_, variant), cell in cells.items():
        assert cell["runs"] == 3
        assert cell["total_seconds"]["min"] > 0
        assert variant is None or cell["reconfiguration_seconds"]["min"] > 0
    assert all(row["speedup"] > 0 for row in found["speedup"])
    assert all(row["p"] is not None for row in found["differences"])
    assert all(cell["variant"] for row in found["preferred"] for cell in row["cells"])
    assert (site.folder / "page.html").read_text().count("data:image/png") >= 6


def test_stopped_study_leaves_no_process_and_resumes(site: Any, mpich: str) -> None:
    file = begin(site, repetitions=1)
    records = site.folder / "out" / "runs.jsonl"

    def good() -> list[str]:
        lines = records.read_text().splitlines() if records.exists() else []
        events = [json.loads(line) for line in lines]
        return [event["run"] for event in events if event.get("outcome") == "good"]

    with site.started("study", file, "--mpi", mpich, "--folder", "out") as study:
        while len(good()) < 2:
            assert study.poll() is None, study.communicate()
        study.send_signal(signal.SIGINT)
        study.communicate(timeout=60)
        assert study.returncode == 130
    assert site.processes() == []
    first = good()
    made = make(site, mpich, file)
    assert made["good"] == 5
    assert len(good()) == 5 and good()[: len(first)] == first
