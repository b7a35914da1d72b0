# SPDX-License-Identifier: BSD-3-Clause
"""Result files to what people look at: summary, JSON, CSV, picture, live progress, Proteo's text form.

In:  a results folder or its file `run.jsonl` (docs/formats/results.md).
Out: see docs/formats/report.md.
`reader` makes `Results` (model) from lines (events); every other file makes one kind of
output, from `Results` alone.
Heavy packages (pandas, matplotlib) are imported when an output needs them, so that commands start quickly; so
are the files here, since many commands need `units` alone.
"""

from typing import TYPE_CHECKING

from nereus import names_from

if TYPE_CHECKING:
    from nereus.analysis.report.frames import write_csv
    from nereus.analysis.report.model import ResultError, Results
    from nereus.analysis.report.picture import draw
    from nereus.analysis.report.progress import Progress
    from nereus.analysis.report.proteo import write_proteo
    from nereus.analysis.report.reader import read
    from nereus.analysis.report.summary import table
else:
    __getattr__ = names_from(
        __name__,
        {
            "frames": ["write_csv"],
            "model": ["ResultError", "Results"],
            "picture": ["draw"],
            "progress": ["Progress"],
            "proteo": ["write_proteo"],
            "reader": ["read"],
            "summary": ["table"],
        },
    )

__all__ = ["Progress", "ResultError", "Results", "draw", "read", "table", "write_csv", "write_proteo"]
