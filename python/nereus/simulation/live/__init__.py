# SPDX-License-Identifier: BSD-3-Clause
"""A scenario with real jobs: a daemon, real resizes, real writes to one store; beside it the same simulated.

In:  a scenario with a table [live] (docs/reference/io-study.md), a folder for the results.
Out: of each run the daemon's events; of each policy what `nereus simulate --json` says of it, marked "live".
Iterations of the jobs are waits of the scenario's length, so that processes that share cores still scale.
"""

from typing import TYPE_CHECKING

from nereus import names_from

if TYPE_CHECKING:
    from nereus.simulation.live.error import LiveError
    from nereus.simulation.live.loading import load_live
    from nereus.simulation.live.marked import is_live
    from nereus.simulation.live.model import Live, Study
    from nereus.simulation.live.plan import Planned, planned_runs
else:
    __getattr__ = names_from(
        __name__,
        {
            "error": ["LiveError"],
            "loading": ["load_live"],
            "marked": ["is_live"],
            "model": ["Live", "Study"],
            "plan": ["Planned", "planned_runs"],
        },
    )

__all__ = ["Live", "LiveError", "Planned", "Study", "is_live", "load_live", "planned_runs"]
