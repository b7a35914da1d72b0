# SPDX-License-Identifier: BSD-3-Clause
"""Runs: how the job of a program, of an experiment or of a study is started, and how it ended.

In:  a build, hosts, and what is to run: a program, an experiment, a run that a study has planned.
Out: a supervised job, or one that is over with its results folder; a UserError where it cannot be had.
Prints nothing: what is doubtful is told to a function of the caller's, and so is progress.
`where` says where processes go; `experiment` and `study` need more packages, and are imported by themselves.
"""

from nereus.runs.ending import TO_BE_CONTINUED, Ending
from nereus.runs.error import RunError
from nereus.runs.process_method import ProcessMeans
from nereus.runs.recovery import Recoveries
from nereus.runs.recovery_limit import RecoveryLimit
from nereus.runs.saving import Saving
from nereus.runs.where import Warn, Where, founding

__all__ = [
    "TO_BE_CONTINUED",
    "Ending",
    "ProcessMeans",
    "Recoveries",
    "RecoveryLimit",
    "RunError",
    "Saving",
    "Warn",
    "Where",
    "founding",
]
