# SPDX-License-Identifier: BSD-3-Clause
"""A made-up run whose result file has known figures."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PLACED: dict[str, Any] = {
    "usual_between_hosts": 5000,
    "between_hosts": 2000,
    "placed": "ranks are placed by what they sent each other",
}
SETTINGS = {
    "process_method": "merge",
    "process_strategies": [],
    "transfer_method": "p2p",
    "transfer_strategy": "blocking",
}


def stage(kind: str, **other: Any) -> dict[str, Any]:
    usual = {"seconds": 0.05, "bytes": 0, "granularity": 600, "capped": False, "id": None, "ranks": 0}
    return {"type": kind, **usual, **other}


def run_file(ranks: list[int], iterations: int) -> dict[str, Any]:
    """Phase 0 has a matrix and an allreduce, phase 1 (one iteration at the end) a write."""
    group = {"iterations": iterations, "factor": 1.0, "placement": "compact", **SETTINGS}
    phases = [
        {
            "iterations": len(ranks) * iterations,
            "stages": [stage("matrix"), stage("allreduce", seconds=0, bytes=8)],
        },
        {"iterations": 1, "stages": [stage("write", bytes=4096)]},
    ]
    return {
        "format": "nereus-run", "version": 1, "name": "made up", "seed": 42, "barrier": False,
        "capture": "max", "verify": True,
        "data": {"constant_bytes": 4000, "variable_bytes": 801, "element_bytes": 8},
        "weights": [1.0], "scratch": "/nowhere", "phases": phases,
        "groups": [{**group, "ranks": r} for r in ranks],
    }  # fmt: skip


class Recording:
    """Writes events in the order of a real run; its clock advances with them."""

    def __init__(self, folder: Path, ranks: list[int], iterations: int = 5) -> None:
        self.folder, self.lines, self.clock, self.calibration = folder, list[str](), 0.0, 0.0
        self.group = self.generation = self.iteration = self.request = 0
        self.ranks = ranks[0]
        self.run = run_file(ranks, iterations)
        self.total = sum(phase["iterations"] for phase in self.run["phases"])
        self.announces()

    def announces(self) -> None:
        """The header; again, when a test has changed the run."""
        self.lines.clear()
        self.event(
            "header", format="nereus-results", version=1, nereus_version="0.1.0",
            mpi="MPICH Version:      5.0.2",
            host="n1", started="2026-01-02T03:04:05Z", started_unix=1767323045.0, seed=42,
            units={"time": "s", "size": "B"}, run=self.run,
        )  # fmt: skip

    def event(self, kind: str, **keys: Any) -> None:
        head = {"event": kind, "time": round(self.clock, 6), "generation": self.generation}
        self.lines.append(json.dumps({**head, **keys}))

    def starts(self, calibrates: float = 0.3) -> None:
        self.clock += calibrates
        self.calibration += calibrates
        operations = {"operations": 10, "seconds_per_operation": 0.005}
        self.event("calibrated", group=self.group, phase=0, stage=0, **operations)
        self.event("generation_started", group=self.group, ranks=self.ranks, hosts=["n1"] * self.ranks)

    def iterates(
        self, seconds: list[float], *, phase: int = 0, recorded: bool = True, background: int = 0
    ) -> None:
        """Iterations of these times; the last `background` of them while a resize was under way."""
        ended = []
        for number, duration in enumerate(seconds):
            stages = [duration * 0.9, duration * 0.1] if phase == 0 else [duration]
            under_way = number >= len(seconds) - background
            ended.append({"iteration": self.iteration, "start": self.clock, "seconds": duration,
                          "stage_seconds": stages, "background": under_way})  # fmt: skip
            self.clock += duration
            self.iteration += 1
            self.event("progress", group=self.group, phase=phase, iteration=self.iteration,
                       iterations=self.total, ranks=self.ranks, seconds=duration)  # fmt: skip
        for keys in ended if recorded else []:
            self.event("iteration", group=self.group, phase=phase, **keys)

    def resizes(self, to: int, pause: float = 0.012, meanwhile: int = 0, **other: Any) -> None:
        """A committed resize, and the next group begins; `meanwhile`: iterations beside constant data."""
        self._asks(to)
        self.clock += pause
        self.generation += 1
        self.event(
            "processes_ready", request=self.request, method="merge", strategies=[], seconds=pause * 0.5
        )
        self.event("constant_sent", request=self.request, method="p2p", strategy="blocking", bytes=3000,
                   seconds=pause * 0.3, iterations=meanwhile,
                   first_iteration=self.iteration - meanwhile)  # fmt: skip
        committed = {"from": self.ranks, "to": to, **SETTINGS, "variable_bytes": 600,
                     "variable_seconds": pause * 0.2, "pause_seconds": pause, "bytes_moved": 3600,
                     "bytes_minimum": 2400, "verified": True}  # fmt: skip
        self.event("committed", request=self.request, **{**committed, **other})
        self.group, self.ranks = self.group + 1, to
        self.starts()

    def undoes(self, to: int, reason: str) -> None:
        """A resize that fails; the next group begins at the old size."""
        self._asks(to)
        self.clock += 0.05
        keys = {"from": self.ranks, "to": to, "state": "making", "code": -7, "reason": reason}
        self.event("resize_undone", request=self.request, **keys)
        self.group += 1
        self.starts()

    def _asks(self, to: int) -> None:
        self.request += 1
        keys = {"from": self.ranks, "to": to, "by": "experiment", "at_iteration": self.iteration}
        self.event("resize_asked", request=self.request, **keys)

    def finishes(self, intact: bool | None = True) -> None:
        total = round(self.clock - self.calibration, 6)
        keys = {"total_seconds": total, "calibration_seconds": self.calibration, "data_intact": intact}
        self.event("finished", iterations=self.iteration, **keys)

    def write(self, text: str | None = None) -> Path:
        """The results folder; with `text` in place of the events."""
        self.folder.mkdir(exist_ok=True)
        content = "".join(f"{line}\n" for line in self.lines) if text is None else text
        (self.folder / "run.jsonl").write_text(content, encoding="utf-8")
        return self.folder


Begin = Callable[..., Recording]


@pytest.fixture
def begin(tmp_path: Path) -> Begin:
    """Begins a recording that has its header only: begin([2, 4], iterations=5)."""
    return lambda ranks, iterations=5: Recording(tmp_path / "results", ranks, iterations)


@pytest.fixture
def complete(begin: Begin) -> Recording:
    """2 → 4 → 1 ranks, five iterations each and one of the last phase, finished."""
    made = begin([2, 4, 1])
    made.starts()
    made.iterates([0.10, 0.11, 0.12, 0.13, 0.14], background=1)
    made.resizes(4)
    made.iterates([0.05, 0.06, 0.07, 0.08, 0.09])
    made.resizes(1, pause=0.2, verified=None)
    made.iterates([0.2, 0.2, 0.2, 0.2, 0.3])
    made.iterates([0.4], phase=1)
    made.finishes()
    return made


@pytest.fixture
def in_background(begin: Begin) -> Recording:
    """2 → 4 ranks; constant data moved during the last two of five iterations, all under way."""
    made = begin([2, 4])
    made.starts()
    made.iterates([0.1] * 5, background=4)
    ways: dict[str, Any] = {"transfer_method": "rma-lockall", "transfer_strategy": "wait-drains"}
    made.resizes(4, meanwhile=2, **ways, shared_bytes=1200, predicted_seconds=0.5, **PLACED)
    made.iterates([0.05] * 2)
    made.finishes()
    return made
