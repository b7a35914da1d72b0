# SPDX-License-Identifier: BSD-3-Clause
"""A job from inside a Python program, and redistributions without one: NumPy arrays, communicators of mpi4py.

In:  an application that mpiexec or `nereus run` started, and the build of Nereus for mpi4py's MPI.
Out: everything that nereus.h says of a job, and distributed.h of other arrays. `import nereus` brings
     these names when they are asked for.
Needs mpi4py, which nothing else does.
"""

from nereus.binding.array import Array, Value
from nereus.binding.codes import (
    Code,
    Failure,
    Kind,
    Layout,
    Outcome,
    Placement,
    ProcessMethod,
    ProcessStrategy,
    RedistributionStep,
    ReleaseUnit,
    Survivors,
    TransferMethod,
    TransferStrategy,
)
from nereus.binding.distributed import Distributed
from nereus.binding.job import Job, run
from nereus.binding.own_data import Sides, on_resize, on_save
from nereus.binding.redistribution import redistribute, transpose
from nereus.binding.structures import ResizeOptions, ResizeReport

BLOCK = Layout.BLOCK
REPLICATED = Layout.REPLICATED
WEIGHTED = Layout.WEIGHTED
CYCLIC = Layout.CYCLIC
GRID = Layout.GRID
CONSTANT = Kind.CONSTANT
VARIABLE = Kind.VARIABLE

__all__ = [
    "BLOCK",
    "CONSTANT",
    "CYCLIC",
    "GRID",
    "REPLICATED",
    "VARIABLE",
    "WEIGHTED",
    "Array",
    "Code",
    "Distributed",
    "Failure",
    "Job",
    "Kind",
    "Layout",
    "Outcome",
    "Placement",
    "ProcessMethod",
    "ProcessStrategy",
    "RedistributionStep",
    "ReleaseUnit",
    "ResizeOptions",
    "ResizeReport",
    "Sides",
    "Survivors",
    "TransferMethod",
    "TransferStrategy",
    "Value",
    "on_resize",
    "on_save",
    "redistribute",
    "run",
    "transpose",
]
