# SPDX-License-Identifier: BSD-3-Clause
"""Made-up folders of studies whose runs have known figures."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nereus.analysis.study import Planned, load_study, planned_runs
from nereus.analysis.study.cells import find
from nereus.analysis.study.document import document
from nereus.analysis.study.variants import variant

STUDY = """\
name = "made-up"
repetitions = 5
model_runs = 1
pairs = [[1, 2], [2, 1], [2, 4], [4, 2]]
variants = ["Baseline-COLS", "Merge-COLS", "Merge-COLT", "Merge-P2PA"]

[[applications]]
name = "cg"
command = ["cg"]
iterations = 100
resize = ["--resize", "{iteration}:{to}"]

[[applications]]
name = "cg-emulated"
emulates = "cg"

[[applications]]
name = "uneven"
load = "unbalanced"
command = ["cg"]
iterations = 100
resize = ["--resize", "{iteration}:{to}"]

[[applications]]
name = "uneven-emulated"
emulates = "uneven"
"""

SMALL = """\
name = "small"
repetitions = 3
pairs = [[1, 2]]
variants = ["Baseline-COLS", "Merge-COLS", "Merge-COLA"]

[[applications]]
name = "cg"
command = ["cg"]
iterations = 100
resize = ["--resize", "{iteration}:{to}"]
"""


def line(event: str, **keys: Any) -> str:
    return json.dumps({"event": event, "time": 1.0, "generation": keys.pop("generation", 0), **keys})


def resize_lines(planned: Planned, real: bool, **other: Any) -> list[str]:
    """The events of a resize of 0.5 s: processes 0.2, constant 0.2, variable 0.1 s."""
    way = variant(planned.variant or "")
    meanwhile = 0 if way.blocking else 4
    keys = {
        "from": planned.before, "to": planned.after, "process_method": way.way.processes.method,
        "process_strategies": [], "transfer_method": way.transfer_method,
        "transfer_strategy": way.way.strategy, "variable_seconds": 0.1, "pause_seconds": 0.3,
        "bytes_moved": 8, "bytes_minimum": 8, "verified": None,
    }  # fmt: skip
    if real:
        parts = {"process_seconds": 0.2, "constant_seconds": 0.2, "background_iterations": meanwhile}
        return [line("committed", request=1, generation=1, **{**keys, **parts, **other.get("committed", {})})]
    sent = {"seconds": 0.2, "iterations": meanwhile, "first_iteration": 50 - meanwhile}
    return [
        line("processes_ready", request=1, seconds=0.2),
        line("constant_sent", request=1, **{**sent, **other.get("sent", {})}),
        line("committed", request=1, generation=1, **{**keys, **other.get("committed", {})}),
    ]


def program_lines(planned: Planned, total: float, **other: Any) -> list[str]:
    """Of a program with one computing and one communicating stage (docs/formats/measured.md).

    100 iterations of 0.01 s in all; what the total has more than those and the pause is in the first ones.
    """
    spmv = {"name": "spmv", "kind": "compute", "bytes": 0, "seconds": [0.006, 0.008]}
    reduced = {"name": "sum", "kind": "allreduce", "bytes": 8, "seconds": [0.002, 0.001]}
    stages = [{**spmv, "total_seconds": [0.3, 0.4]}, {**reduced, "total_seconds": [0.1, None]}]
    ended = {"ranks": planned.before, "iterations": 50, "seconds": 0.5, "stages": stages}
    rest = total if planned.variant is None else total - 0.5 - 0.3
    first = line("generation_ended", **{**ended, "seconds": rest})
    lines = [line("header", format="nereus-measured", version=1), first]
    if planned.variant is not None:
        lines += resize_lines(planned, True, **other)
        lines.append(line("generation_ended", generation=1, **{**ended, "ranks": planned.after}))
    return [*lines, line("finished")]


def emulator_lines(planned: Planned, total: float, **other: Any) -> list[str]:
    """Of the emulator: 50 iterations of 0.01 s at each size, those while data moves of 0.02 s."""
    run = {"phases": [{"stages": [{"type": "matrix"}, {"type": "allreduce"}]}]}
    lines = [line("header", format="nereus-results", version=1, run=run)]
    groups = 1 if planned.variant is None else 2
    moving = range(46, 50) if planned.variant and not variant(planned.variant).blocking else range(0)
    for number in range(50 * groups):
        seconds = 0.02 if number in moving else 0.01
        keys = {"iteration": number, "start": 0.0, "seconds": seconds, "background": number in moving}
        stages = [seconds * 0.8, seconds * 0.2]
        lines.append(line("iteration", group=number // 50, phase=0, stage_seconds=stages, **keys))
    totals = [[0.3, 0.4], [0.1, 0.05]]
    lines.append(line("stage_totals", group=0, phase=0, iterations=50, seconds=totals))
    if planned.variant is not None:
        lines += resize_lines(planned, False, **other)
    return [*lines, line("finished", total_seconds=total, data_intact=None)]


class Folder:
    """A study's folder, written by hand."""

    def __init__(self, path: Path, text: str = STUDY) -> None:
        self.path = path
        path.mkdir()
        (path / "study.toml").write_text(text)
        self.study = load_study(path / "study.toml", there=False)
        self.lines = [json.dumps({"event": "header", "format": "nereus-study", "version": 1, "name": "x"})]
        started = {"event": "started", "host": "n1", "cores": 2, "mpi": "mpich", "library": "MPICH 9"}
        self.lines.append(json.dumps(started))

    @property
    def runs(self) -> list[Planned]:
        return planned_runs(self.study)

    def good(self, planned: Planned, total: float, **other: Any) -> Path:
        """A good run of that total time; the folder of its results."""
        real = self.study.application(planned.application).real
        lines = (program_lines if real else emulator_lines)(planned, total, **other)
        folder = self.path / "runs" / planned.name / "1"
        folder.mkdir(parents=True)
        (folder / "run.jsonl").write_text("".join(f"{each}\n" for each in lines))
        self.record(planned, "good")
        return folder

    def record(self, planned: Planned, outcome: str, reason: str = "", attempt: int = 1) -> None:
        keys = {"run": planned.name, "attempt": attempt, "outcome": outcome, "reason": reason}
        self.lines.append(json.dumps({"event": "run", **keys, "seconds": 1.5}))

    def write(self, rest: str = "") -> Path:
        (self.path / "runs.jsonl").write_text("".join(f"{each}\n" for each in self.lines) + rest)
        return self.path

    def report(self) -> dict[str, Any]:
        return document(find(self.write()))


def total_of(planned: Planned) -> float:
    """Baselines are slow, Merge-COLT is fastest; an emulation takes 2 % more, an uneven one 5 % less."""
    base = {"Baseline-COLS": 2.0, "Merge-COLS": 1.6, "Merge-P2PA": 1.3, "Merge-COLT": 1.0, None: 1.8}
    factors = {"cg-emulated": 1.02, "uneven-emulated": 0.95}
    jitter = 0.01 * planned.repetition * (1 + planned.before / 100)
    return (base[planned.variant] + jitter) * factors.get(planned.application, 1.0)


@pytest.fixture
def begin(tmp_path: Path) -> Callable[..., Folder]:
    """Begins a folder without runs: begin(), or begin(text of another study file)."""
    return lambda *text: Folder(tmp_path / "study", *text)


@pytest.fixture(scope="session")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A study all of whose runs are good; to be read only."""
    folder = Folder(tmp_path_factory.mktemp("complete") / "study")
    for planned in folder.runs:
        folder.good(planned, total_of(planned))
    folder.write()
    return folder


@pytest.fixture(scope="session")
def made(complete: Folder) -> dict[str, Any]:
    """The report on the complete study; to be read only."""
    return document(find(complete.path))


@pytest.fixture
def small(begin: Callable[..., Folder]) -> Callable[..., Folder]:
    """Begins a small study without runs: small(), or with more text before and after that of its file."""
    return lambda before="", after="": begin(before + SMALL + after)


@pytest.fixture
def fewer(small: Callable[..., Folder]) -> dict[str, Any]:
    """The report on three runs of each cell, but two of Merge-COLA."""
    folder = small()
    for planned in folder.runs:
        if planned.variant != "Merge-COLA" or planned.repetition < 3:
            folder.good(planned, 3.0)
    return folder.report()
