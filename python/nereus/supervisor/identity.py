# SPDX-License-Identifier: BSD-3-Clause
"""Which job it is."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Identity:
    """By what Nereus knows a job, and by what people do."""

    key: str
    name: str
    continues: str = ""  # key of the job that failed before, if it goes on from an epoch of that
