# SPDX-License-Identifier: BSD-3-Clause
"""Which family of MPI an executable was linked with, by the names of the libraries that it says it needs.

A program of another MPI runs under a launcher as N jobs of one process each, and ends well. Programs that
load their MPI later, as Python does, are found out by nereus_open() alone.
"""

import re
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

# The ABI of MPICH, which Intel MPI, MVAPICH and others share, has version 12; Open MPI's has 20, 40 or 80.
_MPICH = re.compile(r"lib(mpich|mpi|mpicxx|mpichcxx|mpifort)\.so\.12$")
_OPEN_MPI = re.compile(r"lib(mpi|mpi_cxx|mpi_mpifh|open-rte|open-pal)\.so\.(20|40|80)$")


#: What Build.kind calls them.
FAMILIES = {"mpich": "MPICH or one of its relatives", "openmpi": "Open MPI"}


def family_of(program: Path) -> str | None:
    """One of FAMILIES; None where the file does not say."""
    try:
        with program.open("rb") as file:
            sections = [s for s in ELFFile(file).iter_sections() if isinstance(s, DynamicSection)]
            tags = [tag for section in sections for tag in section.iter_tags("DT_NEEDED")]
            needed = [str(getattr(tag, "needed", "")) for tag in tags]
    except (ELFError, OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # a script, or nothing that we can tell of
    if any(map(_MPICH.match, needed)):
        return "mpich"
    return "openmpi" if any(map(_OPEN_MPI.match, needed)) else None
