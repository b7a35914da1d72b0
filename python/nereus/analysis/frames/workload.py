# SPDX-License-Identifier: BSD-3-Clause
"""Results of simulated workloads."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from nereus.analysis.frames.tables import Row, Tables
from nereus.simulation.workload.changes import changes_of
from nereus.simulation.workload.comparison import Row as Simulation
from nereus.simulation.workload.comparison import Variant, summary
from nereus.simulation.workload.figures import Interval
from nereus.simulation.workload.results_file import read_results


def workload_tables(path: Path) -> Tables:
    """Of those that are there: more may be simulated later."""
    kept = read_results(path)
    simulations = [Simulation(case.variant, case.seed, figures) for case, figures in kept.cases.items()]
    rows = {
        "simulations": [each.document() for each in simulations],
        "summary": _by_variant(summary(simulations) if simulations else {}),
        "changes_percent": _by_variant(changes_of(simulations)),
    }
    cut = [f"{path}: its last line is half written, and is left out"] if kept.was_cut else []
    return Tables("workload", rows, cut)


def _by_variant(found: Mapping[Variant, Mapping[str, Interval]]) -> list[Row]:
    return [
        {
            **asdict(variant),
            **{
                f"{name}_{part}": value
                for name, each in measures.items()
                for part, value in asdict(each).items()
            },
        }
        for variant, measures in found.items()
    ]
