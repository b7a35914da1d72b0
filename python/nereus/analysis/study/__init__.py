# SPDX-License-Identifier: BSD-3-Clause
"""A study: a matrix of runs, their outcomes, statistics over them, and the report on it.

In:  a study file, and result files of its runs (docs/formats/study.md).
Out: which runs are to be made, records of those that were, and figures, CSV and one HTML page about them.
Starts nothing itself: nereus.runs makes the runs.
`results` turns one result file into measures, `statistics`, `preferred` and `comparison` are pure functions
over those, `findings` has what the papers found, `document` puts all figures together, and every other file
makes one kind of output from it.
Heavy packages (scipy, scikit-posthocs, pandas, matplotlib, jinja2) are imported when a figure needs them,
and the files here when their names are asked for.
"""

from typing import TYPE_CHECKING

from nereus import names_from

if TYPE_CHECKING:
    from nereus.analysis.study.error import StudyError
    from nereus.analysis.study.loading import load_study
    from nereus.analysis.study.model import Application, Study
    from nereus.analysis.study.outcomes import runs_left, seconds_left, summary
    from nereus.analysis.study.plan import Planned, model_runs, original, planned_runs
    from nereus.analysis.study.results import Measures, measure
    from nereus.analysis.study.store import Record, Store, is_study
    from nereus.analysis.study.variants import PAPERS, Variant
else:
    __getattr__ = names_from(
        __name__,
        {
            "error": ["StudyError"],
            "loading": ["load_study"],
            "model": ["Application", "Study"],
            "outcomes": ["runs_left", "seconds_left", "summary"],
            "plan": ["Planned", "model_runs", "original", "planned_runs"],
            "results": ["Measures", "measure"],
            "store": ["Record", "Store", "is_study"],
            "variants": ["PAPERS", "Variant"],
        },
    )

__all__ = [
    "PAPERS",
    "Application",
    "Measures",
    "Planned",
    "Record",
    "Store",
    "Study",
    "StudyError",
    "Variant",
    "is_study",
    "load_study",
    "measure",
    "model_runs",
    "original",
    "planned_runs",
    "runs_left",
    "seconds_left",
    "summary",
]
