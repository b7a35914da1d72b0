# SPDX-License-Identifier: BSD-3-Clause
"""What runs, studies, records and simulated workloads left, as pandas data frames whose columns have units.

In:  a path, of which `loading` finds out what is there; the readers are those of the rooms that own a format.
Out: `Frames`: a data frame for each table. `columns` has the columns of all of them, with types and units.
Every other file makes the rows of one kind. Readers and pandas are imported when something is loaded.
"""

from nereus.analysis.frames.frames import Frames
from nereus.analysis.frames.loading import load

__all__ = ["Frames", "load"]
