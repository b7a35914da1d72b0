# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of programs that save their own state and know nothing of Nereus, such as GROMACS and LAMMPS.

In:  an adapter's file, which says how such a program is asked to save and how it goes on; a program.
Out: a job that is resized by a restart of its program, and asked and listed as any other.
"""

from nereus.adapters.adapted_job import AdaptedJob
from nereus.adapters.adapter import Adapter, load_adapter
from nereus.adapters.start import Start

__all__ = ["AdaptedJob", "Adapter", "Start", "load_adapter"]
