# SPDX-License-Identifier: BSD-3-Clause
"""Redistributions on a simulated cluster, beside what its network takes at least."""

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nereus.launch import cores
from nereus.methods import TRANSFER_METHODS
from nereus.simulation.network.cluster import MOST_RANKS, Cluster, rate_text
from nereus.simulation.network.error import SmpiError
from nereus.simulation.network.program import Limits, simulated

METHODS = TRANSFER_METHODS
USUAL_METHODS = tuple(word for word in METHODS if word != "rma-lock")  # takes as long as rma-lockall in SMPI
PAPER_SIZES = (2, 10, 20, 40, 80, 120, 160)
MOST_WHO_KNOW_ALL = 4096  # lists of all others, and windows: memory and time go with the square

_LOOK_SECONDS = 0.1  # between looks whether a signal came


@dataclass(frozen=True)
class Case:
    """One simulation. `spawn_seconds`: of one process, measured elsewhere."""

    cluster: Cluster
    host_of_rank: Sequence[int]
    before: int
    after: int
    count: int  # bytes
    method: str
    check: bool
    spawn_seconds: float | None

    @property
    def newcomers(self) -> int:
        return max(0, self.after - self.before)

    @property
    def text(self) -> str:
        return f"{self.before} to {self.after}, {rate_text(self.cluster.bandwidth)}, {self.method}"


@dataclass(frozen=True)
class Simulated:
    """The result; times in seconds."""

    case: Case
    answer: dict[str, Any]

    @property
    def seconds(self) -> float:
        return float(self.answer["seconds"])

    @property
    def bound(self) -> float:
        return float(self.answer["bound"])

    @property
    def ratio(self) -> float | None:
        return self.seconds / self.bound if self.bound else None

    @property
    def model_ratio(self) -> float | None:
        bound = float(self.answer["model_bound"])
        return self.seconds / bound if bound else None

    @property
    def spawn(self) -> float | None:
        each = self.case.spawn_seconds
        return None if each is None else each * self.case.newcomers

    def document(self) -> dict[str, Any]:
        """A row of what `--json` prints."""
        case = self.case
        return {
            "from": case.before,
            "to": case.after,
            "bandwidth": case.cluster.bandwidth,
            "method": case.method,
            "seconds": self.seconds,
            "bound": self.bound,
            "ratio": self.ratio,
            "model_bound": self.answer["model_bound"],
            "model_ratio": self.model_ratio,
            "spawn_seconds": self.spawn,
            "link_bytes": self.answer["link_bytes"],
            "memory_bytes": self.answer["memory_bytes"],
            "moved_bytes": self.answer["moved_bytes"],
            "checked": case.check,
            "wall_seconds": self.answer["wall_seconds"],
            "memory": self.answer["memory"],
        }


def cases_of(
    pairs: Sequence[tuple[int, int]],
    clusters: Sequence[Cluster],
    methods: Sequence[str],
    placement: str,
    count: int,
) -> list[Case]:
    """Each pair on each cluster by each method."""
    return [
        Case(
            cluster,
            cluster.host_of_ranks(max(before, after), placement),
            before,
            after,
            count,
            method,
            check=False,
            spawn_seconds=None,
        )
        for before, after in pairs
        for cluster in clusters
        for method in methods
    ]


def paper_pairs() -> list[tuple[int, int]]:
    """All ordered pairs of the sizes of Martín-Álvarez et al. 2024, section 5."""
    return [(before, after) for before in PAPER_SIZES for after in PAPER_SIZES if before != after]


def check_size(case: Case) -> None:
    """SmpiError for what would take all memory, or no end."""
    ranks = max(case.before, case.after)
    if case.method != "p2p" and ranks > MOST_WHO_KNOW_ALL:
        raise SmpiError(
            f"--method {case.method} with {ranks} ranks: each rank has to do with all others; allowed are "
            f"{MOST_WHO_KNOW_ALL} ranks, and {MOST_RANKS} with p2p"
        )
    if ranks > MOST_RANKS:
        raise SmpiError(f"--method {case.method} with {ranks} ranks: allowed are {MOST_RANKS} ranks")


def redistributed(case: Case, limits: Limits) -> Simulated:
    """One simulation, in a process of its own."""
    question = {
        **case.cluster.question(case.host_of_rank),
        "sources": case.before,
        "drains": case.after,
        "bytes": case.count,
        "method": case.method,
        "check": case.check,
    }
    return Simulated(case, simulated("transfer", question, limits))


def redistributions(
    cases: Sequence[Case], limits: Limits, tell: Callable[[Simulated], None] = lambda row: None
) -> list[Simulated]:
    """As many at a time as there are cores; `tell` is told of each, in the order of the cases."""
    rows = []
    with ThreadPoolExecutor(cores()) as pool:
        running = [pool.submit(redistributed, case, limits) for case in cases]
        try:
            for one in running:
                _heed_signals_until_done([one])
                rows.append(one.result())
                tell(rows[-1])
        finally:
            _heed_signals_until_done([one for one in running if not one.cancel()])
    return rows


def _heed_signals_until_done(running: Sequence[Future[Simulated]]) -> None:
    """Whoever waits without an end hears no signal that came just before, or to another thread."""
    while wait(running, _LOOK_SECONDS).not_done:
        pass


def spawn_seconds_in(path: Path) -> float:
    """Of one process, by Merge with one MPI_Comm_spawn, as `nereus bench processes --json` printed it."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
        found = list(_merge_rows(rows))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise SmpiError(
            f"--spawn {path}: seconds, or a document of `nereus bench processes --json`, are allowed: "
            f"{problem!r}"
        ) from None
    if not found:
        raise SmpiError(f"--spawn {path}: has no row of merge, without strategies, that works")
    return min(found)


def _merge_rows(rows: Sequence[dict[str, Any]]) -> Iterator[float]:
    for row in rows:
        if row["works"] and row["method"] == "merge" and not row["strategies"]:
            yield float(row["seconds_per_process"])
