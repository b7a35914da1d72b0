# SPDX-License-Identifier: BSD-3-Clause
"""The resizes of one job, as those who know of them tell them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nereus.analysis.report.units import bytes_text, ranks_text, seconds_text

#: Of one source; older ones go.
MOST_RESIZES = 300
#: Of what somebody says that took time; more is no time.
MOST_SECONDS = 1e12


@dataclass(frozen=True)
class Resize:
    """One that was done, or that failed; `facts`: what else is known, each with what it is called."""

    time_unix: float
    before: int
    ranks: int
    #: Who tells of it: `results`, `daemon`, or `status`, where only other numbers of ranks were seen.
    source: str
    is_done: bool = True
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        if self.is_done:
            return f"from {self.before} to {ranks_text(self.ranks)}"
        return f"to {ranks_text(self.ranks)} was not done: it stays at {self.before}"

    def document(self) -> dict[str, Any]:
        return {
            **{"time_unix": self.time_unix, "from": self.before, "to": self.ranks, "source": self.source},
            **{"done": self.is_done, "sentence": self.sentence, "facts": dict(self.facts)},
        }


def best_told(tellings: Sequence[Sequence[Resize]]) -> Sequence[Resize]:
    """Of who knows of most that were done; among equals of the first, which tells most of each."""
    return max(tellings, key=lambda told: sum(one.is_done for one in told), default=())


def facts_of_report(report: Mapping[str, Any]) -> dict[str, str]:
    """Of the keys that result files and measured files share; what is not of its type is left out."""
    found = {}
    for key, text in (("pause_seconds", "pause"), ("variable_seconds", "variable data sent in")):
        if _is_number(report.get(key)):
            found[text] = seconds_text(report[key])
    for key, text in (("bytes_moved", "data moved"), ("shared_bytes", "stayed in shared memory")):
        if isinstance(report.get(key), int) and 0 <= report[key] < 2**63:
            found[text] = bytes_text(report[key])
    for key, text in (("process_method", "processes by"), ("transfer_method", "data by")):
        if isinstance(report.get(key), str):
            found[text] = report[key]
    strategies = report.get("process_strategies")
    if isinstance(strategies, list) and strategies and all(isinstance(one, str) for one in strategies):
        found["strategies"] = ", ".join(strategies)
    if isinstance(report.get("reason"), str) and report["reason"]:
        found["reason"] = report["reason"]
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < MOST_SECONDS
