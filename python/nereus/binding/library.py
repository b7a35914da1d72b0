# SPDX-License-Identifier: BSD-3-Clause
"""libnereus of the MPI that mpi4py speaks to: found among the installed builds, and its functions."""

import ctypes
from functools import cache
from typing import Any

from mpi4py import MPI

from nereus.binding.codes import Code, Failure
from nereus.binding.structures import CDistributed, CDistribution, CMemory, CResizeOptions, CResizeReport
from nereus.launch.builds import Build, builds, builds_folder
from nereus.launch.error import LaunchError

# MPI handles are integers in MPICH and pointers in Open MPI.
COMM = ctypes.c_int if MPI._sizeof(MPI.Comm) == ctypes.sizeof(ctypes.c_int) else ctypes.c_void_p
DATATYPE = ctypes.c_int if MPI._sizeof(MPI.Datatype) == ctypes.sizeof(ctypes.c_int) else ctypes.c_void_p

_JOB = ctypes.c_void_p
_NAME = ctypes.c_char_p
_POINTER = ctypes.POINTER(ctypes.c_void_p)
_MEMORY = ctypes.POINTER(CMemory)
_DISTRIBUTED = ctypes.POINTER(CDistributed)
# Distribution, elements and processes.
_OVER_PROCESSES = [ctypes.POINTER(CDistribution), ctypes.c_int64, ctypes.c_int]

_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "open": (ctypes.c_int, [COMM, ctypes.c_int, ctypes.POINTER(_NAME), ctypes.POINTER(_JOB)]),
    "close": (ctypes.c_int, [ctypes.POINTER(_JOB)]),
    "array_distributed": (
        ctypes.c_int,
        [
            _JOB,
            _NAME,
            DATATYPE,
            ctypes.c_int64,
            ctypes.POINTER(CDistribution),
            ctypes.c_int,
            _POINTER,
            _MEMORY,
        ],
    ),
    "change_distribution": (ctypes.c_int, [_JOB, _NAME, ctypes.POINTER(CDistribution)]),
    "array_distribution": (ctypes.c_int, [_JOB, _NAME, ctypes.POINTER(CDistribution)]),
    "value": (ctypes.c_int, [_JOB, _NAME, DATATYPE, ctypes.c_int64, ctypes.c_void_p]),
    "swap": (ctypes.c_int, [_JOB, _NAME, _NAME]),
    "comm": (COMM, [_JOB]),
    "count": (ctypes.c_int64, [_JOB, _NAME]),
    "first": (ctypes.c_int64, [_JOB, _NAME]),
    "locate": (ctypes.c_int64, [_JOB, _NAME, ctypes.c_int64, ctypes.POINTER(ctypes.c_int)]),
    "grid": (ctypes.c_int, [ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int)]),
    "generation": (ctypes.c_int64, [_JOB]),
    "resize_options_init": (ctypes.c_int, [_JOB, ctypes.POINTER(CResizeOptions)]),
    "resize": (
        ctypes.c_int,
        [_JOB, ctypes.c_int, ctypes.POINTER(CResizeOptions), ctypes.POINTER(ctypes.c_uint64)],
    ),
    "save": (ctypes.c_int, [_JOB, ctypes.c_int, ctypes.POINTER(ctypes.c_uint64)]),
    "protect_now": (ctypes.c_int, [_JOB, ctypes.POINTER(ctypes.c_uint64)]),
    "on_save": (ctypes.c_int, [_NAME, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]),
    "on_resize": (ctypes.c_int, [_NAME, ctypes.c_void_p, ctypes.c_void_p]),
    "checkpoint": (ctypes.c_int, [_JOB]),
    "io_begin": (ctypes.c_int, [_JOB, ctypes.c_int64]),
    "io_end": (ctypes.c_int, [_JOB]),
    "last_resize": (ctypes.c_int, [_JOB, ctypes.POINTER(CResizeReport)]),
    "message": (ctypes.c_char_p, [_JOB]),
    "distributed_count": (ctypes.c_int64, [*_OVER_PROCESSES, ctypes.c_int]),
    "distributed_locate": (
        ctypes.c_int64,
        [*_OVER_PROCESSES, ctypes.c_int64, ctypes.POINTER(ctypes.c_int)],
    ),
    "distributed_relabel": (
        ctypes.c_int64,
        [ctypes.c_int64, ctypes.c_int, _DISTRIBUTED, _DISTRIBUTED, ctypes.POINTER(ctypes.c_int)],
    ),
    "redistribute": (
        ctypes.c_int,
        [
            COMM,
            DATATYPE,
            ctypes.c_int64,
            _DISTRIBUTED,
            ctypes.c_void_p,
            _DISTRIBUTED,
            ctypes.c_void_p,
        ],
    ),
    "transpose": (
        ctypes.c_int,
        [COMM, DATATYPE, _DISTRIBUTED, ctypes.c_void_p, _DISTRIBUTED, ctypes.c_void_p],
    ),
}


@cache
def library() -> ctypes.CDLL:
    """The library with its functions' types. The linker takes the MPI that mpi4py has loaded already."""
    loaded = ctypes.CDLL(str(_build().prefix / "lib" / "libnereus.so"))
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(loaded, f"nereus_{name}", None)
        if function is None:  # a build of an earlier version: what it has not is missed where it is called
            continue
        function.restype, function.argtypes = result, arguments
    return loaded


def _build() -> Build:
    """The build for the MPI of this process."""
    version = " ".join(MPI.Get_library_version().partition("\n")[0].rstrip("\0").split())
    try:
        installed = builds()
    except LaunchError as problem:
        raise Failure(Code.ERR_UNSUPPORTED, str(problem)) from problem
    for build in installed:
        if build.library_version == version:
            return build
    known = ", ".join(f"{build.name} ({build.library_version})" for build in installed) or "none"
    raise Failure(
        Code.ERR_UNSUPPORTED,
        f"{builds_folder()}: no build of Nereus is for the MPI of mpi4py, {version}; installed are: {known}. "
        "`nereus run --mpi NAME` chooses another one, as MPI4PY_LIBMPI = the folder of its library does",
    )
