# SPDX-License-Identifier: BSD-3-Clause
"""The functions of the library for one job: codes below 0 become exceptions."""

import ctypes
from typing import Any

from mpi4py import MPI

from nereus.binding.codes import Code, Failure
from nereus.binding.handles import communicator
from nereus.binding.library import library
from nereus.binding.structures import CDistribution


class Calls:
    """An open job, and what can be called with it. A closed one is NULL, which each function refuses."""

    def __init__(self) -> None:
        self.job = ctypes.c_void_p()
        self.comm = MPI.Intracomm()

    def check(self, name: str, *arguments: Any) -> Code:
        """What nereus_NAME(job, arguments...) returned; Failure for an error."""
        return self.checked(name, getattr(library(), f"nereus_{name}")(self.job, *arguments))

    def checked(self, name: str, code: int) -> Code:
        """The code; Failure for an error."""
        if code < 0:
            raise Failure(Code(code), self.message() or f"nereus_{name}: NEREUS_{Code(code).name}")
        return Code(code)

    def number(self, name: str, *arguments: Any) -> int:
        """The number that nereus_NAME(job, arguments...) returned; below 0 it is a code."""
        return int(getattr(library(), f"nereus_{name}")(self.job, *arguments))

    def checked_number(self, name: str, *arguments: Any) -> int:
        """The number; Failure where it is a code."""
        number = self.number(name, *arguments)
        if number < 0:
            raise Failure(Code(number), f"nereus_{name}: NEREUS_{Code(number).name}")
        return number

    def distribution(self, name: str) -> CDistribution | None:
        """How an array is distributed now; None where the library is one that cannot change it."""
        if not hasattr(library(), "nereus_array_distribution"):
            return None
        now = CDistribution()
        self.check("array_distribution", name.encode(), ctypes.byref(now))
        return now

    def message(self) -> str:
        """The latest thing worth saying."""
        said: bytes = library().nereus_message(self.job) or b""
        return said.decode(errors="replace")

    def renew_comm(self) -> None:
        """The communicator of the present processes."""
        self.comm = communicator(library().nereus_comm(self.job))
