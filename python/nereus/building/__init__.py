# SPDX-License-Identifier: BSD-3-Clause
"""A build of Nereus for an MPI that is there already.

In:  the MPI's compiler wrapper for C, or its launcher.
Out: a build beside the others: the programs of one that came in a wheel, where the MPI has the same ABI, else
     compiled from the source, which a wheel has too.
Knows nothing of jobs.
"""

from nereus.building.compilation import Compilation
from nereus.building.error import BuildingError
from nereus.building.mpi import ForeignMpi, usual_name
from nereus.building.shared_build import ShareableBuild, shareable_build
from nereus.building.source import Source, source
from nereus.building.tools import MpiTools, mpi_tools

__all__ = [
    "BuildingError",
    "Compilation",
    "ForeignMpi",
    "MpiTools",
    "ShareableBuild",
    "Source",
    "mpi_tools",
    "shareable_build",
    "source",
    "usual_name",
]
