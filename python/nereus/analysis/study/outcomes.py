# SPDX-License-Identifier: BSD-3-Clause
"""What has become of the planned runs of a study so far, by the latest record of each."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from nereus.analysis.study.plan import Planned
from nereus.analysis.study.store import Store


def runs_left(runs: Sequence[Planned], store: Store) -> list[Planned]:
    """Those that are still to be made, or to be made again: they have no good record."""
    return [run for run in runs if run.name not in store.runs or not store.runs[run.name].good]


def seconds_left(left: Sequence[Planned], store: Store) -> float | None:
    """What these runs may take, by those that were made before; None before the first."""
    known = [record.seconds for record in store.runs.values() if record.good]
    return fmean(known) * len(left) if known else None


def summary(runs: Sequence[Planned], store: Store) -> dict[str, Any]:
    """How many are good or missing, and why others failed; what `nereus study --json` prints."""
    known = [store.runs[run.name] for run in runs if run.name in store.runs]
    return {
        "folder": str(store.folder),
        "planned": len(runs),
        "good": sum(record.good for record in known),
        "failed": [{"run": record.run, "reason": record.reason} for record in known if not record.good],
        "missing": len(runs) - len(known),
    }
