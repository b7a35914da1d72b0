# SPDX-License-Identifier: BSD-3-Clause
"""What a call of MPI is, by its name without `MPI_`."""

_COLLECTIVE = ("bcast", "reduce", "gather", "scatter", "alltoall", "barrier", "scan")


def is_of_files(call: str) -> bool:
    """Whether it opens, reads, writes or closes a file."""
    return call.startswith("File_")


def is_collective(call: str) -> bool:
    """Whether all of a communicator move data, or wait for each other, in it."""
    return any(word in call.lower() for word in _COLLECTIVE)
