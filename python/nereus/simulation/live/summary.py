# SPDX-License-Identifier: BSD-3-Clause
"""What runs of a live study come to: medians and spread over repetitions, beside what was simulated. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Any

from nereus.simulation.jobs import Result
from nereus.simulation.live.plan import Planned

Document = dict[str, Any]
#: Of the document of a policy, those that have a spread.
MEASURES = (
    "makespan_seconds",
    "turnaround_seconds",
    "queue_seconds",
    "io_seconds",
    "delay_seconds",
    "service_seconds",
    "resizes",
    "flops",
)
#: Changes that are told, against which policy.
_CHANGES = {
    "io_change": ("io_seconds", "none"),
    "delay_change": ("delay_seconds", "blocking"),  # who does not coordinate has none
    "flops_change": ("flops", "fair"),
}


def policies_of(results: Mapping[Planned, Result]) -> dict[str, Document]:
    """Of each case, in the order of the runs, the median of all figures, and `spread`."""
    cases: dict[str, list[Result]] = {}
    for planned, result in results.items():
        cases.setdefault(planned.case, []).append(result)
    return {case: _of_case(those) for case, those in cases.items()}


def _of_case(results: Sequence[Result]) -> Document:
    documents = [result.document() for result in results]
    spread = {name: _spread([each[name] for each in documents]) for name in MEASURES}
    foretold = [each for result in results for job in result.jobs for each in job.foretold]
    errors = prediction_errors([each.error / each.period for each in foretold])
    return {**_medians(documents), "runs": len(results), "spread": spread, "prediction_errors": errors}


def prediction_errors(shares: Sequence[float]) -> Document:
    """Of the period, over all phases of all repetitions that were foretold and not moved."""
    if not shares:
        return {"phases": 0}
    return {
        "phases": len(shares),
        "mean_share": fmean(shares),
        "median_share": median(shares),
        "greatest_share": max(shares),
        "within_2_percent": sum(share <= 0.02 for share in shares),
    }


def _spread(values: Sequence[float]) -> Document:
    return {"median": median(values), "min": min(values), "max": max(values), "runs": len(values)}


def _medians(values: Sequence[Any]) -> Any:
    """Of documents of the same shape, number by number."""
    first = values[0]
    if isinstance(first, dict):
        return {key: _medians([each[key] for each in values]) for key in first}
    if isinstance(first, list):
        return [_medians(each) for each in zip(*values, strict=True)]
    numbers = [each for each in values if isinstance(each, int | float)]
    return median(numbers) if numbers else first


def with_changes(policies: Mapping[str, Document]) -> dict[str, Document]:
    """Each with what it changes against the policy that is compared with, where that is there and not 0."""
    return {name: {**each, **_changes(name, each, policies)} for name, each in policies.items()}


def _changes(name: str, of: Document, policies: Mapping[str, Document]) -> Document:
    policy, _, delay = name.partition(",")
    found = {}
    for key, (measure, reference) in _CHANGES.items():
        against = policies.get(f"{reference},{delay}" if delay else reference)
        compared = policy not in (reference, "none")
        if compared and against is not None and against[measure] > 0:
            found[key] = of[measure] / against[measure] - 1
    return found


def table(
    live: Mapping[str, Document], simulated: Mapping[str, Document], paper: Mapping[str, Mapping[str, float]]
) -> list[Document]:
    """Rows of policy, measure, and the three columns; None where there is nothing to tell."""
    return [
        {
            "policy": policy,
            "measure": measure,
            "paper": paper.get(policy, {}).get(measure),
            "live": live[policy].get(measure),
            "spread": live[policy]["spread"].get(measure),
            "simulated": simulated[policy].get(measure),
        }
        for policy in live
        for measure in _measures(live[policy], simulated[policy], paper.get(policy, {}))
    ]


def _measures(*documents: Mapping[str, Any]) -> Iterable[str]:
    """Those that anyone has, and that are not 0 everywhere."""
    for measure in (*MEASURES, *_CHANGES):
        if any(document.get(measure) for document in documents):
            yield measure
