# SPDX-License-Identifier: BSD-3-Clause
"""A malleable job as one of its processes sees it."""

import ctypes
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self, Unpack

import numpy as np
from mpi4py import MPI
from numpy.typing import ArrayLike, DTypeLike

from nereus.binding.array import Array, Value
from nereus.binding.calls import Calls
from nereus.binding.codes import (
    Code,
    Kind,
    Layout,
    Outcome,
)
from nereus.binding.distribution import Block, distribution_of
from nereus.binding.grid import Grid
from nereus.binding.handles import comm_handle
from nereus.binding.library import library
from nereus.binding.memory import KeptMemory, SharedMemory
from nereus.binding.structures import CResizeOptions, CResizeReport, ResizeOptions, ResizeReport, report_of

_MOST_RANKS = 2**31 - 1
_MOST_BYTES = 2**63 - 1

#: The library writes to the arrays of an open job, also when nobody has a name for it any more.
_OPEN: "set[Job]" = set()


class Job:
    """An open job. All means what nereus.h says of the function of that name; errors are Failures."""

    def __init__(self, comm: MPI.Comm | None = None, argv: Sequence[str] | None = None) -> None:
        """Open it: collective over `comm`, MPI.COMM_WORLD if not given.

        Newcomers are started as this process was, or as `python argv[0] argv[1] ...`.
        """
        self._calls = Calls()
        self._arrays: list[Array] = []
        self._values: list[Value] = []
        words = _newcomers_words(argv)
        c_words = (ctypes.c_char_p * (len(words) + 1))(*map(os.fsencode, words))
        world = comm_handle(MPI.COMM_WORLD if comm is None else comm)
        code = library().nereus_open(world, len(words), c_words, ctypes.byref(self._calls.job))
        #: Whether this process is to leave its loop and close the job.
        self.leaving = self._calls.checked("open", code) is Code.LEAVE
        #: After close(): whether this process is wanted again, and has to open the job anew.
        self.woken = False
        self._calls.renew_comm()
        _OPEN.add(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the job, but not when an exception is on its way: closing is collective."""
        if kind is None:
            self.close()

    def close(self) -> bool:
        """Leave the job. Arrays keep their parts, but for those that are shared. @return `woken`"""
        for array in self._arrays:
            array.check_not_viewed()
        if self._calls.job.value is not None:
            code = library().nereus_close(ctypes.byref(self._calls.job))
            self.woken = self._calls.checked("close", code) is Code.WOKEN
            self._calls.renew_comm()
            for array in self._arrays:
                array.end()
            _OPEN.discard(self)
        return self.woken

    def array(
        self,
        name: str,
        shape: int | Sequence[int],
        dtype: DTypeLike = np.float64,
        layout: Layout = Layout.BLOCK,
        *,
        kind: Kind = Kind.VARIABLE,
        weights: Sequence[int] = (),
        block: Block | None = None,
        grid: Grid = (0, 0),
        shared: bool = False,
    ) -> Array:
        """Register a global array: collective. Founders get zeroed parts, newcomers theirs with its data."""
        whole = np.dtype(dtype)
        distribution = distribution_of(shape, whole, layout, weights, block, grid)
        array = Array(self._calls, name, whole, distribution, SharedMemory() if shared else KeptMemory())
        array.register(Kind(kind))
        self._arrays.append(array)
        return array

    def value(self, name: str, initial: ArrayLike) -> Value:
        """Register a small value: collective. Newcomers get what rank 0 has instead of `initial`."""
        self._values.append(Value(self._calls, name, initial))
        return self._values[-1]

    def swap(self, one: Array, other: Array) -> None:
        """Swap what two arrays hold, by all processes alike: nothing is copied, and views keep their memory.

        `one, other = other, one` swaps names of this process: newcomers would have them the other way round.
        """
        one.swap(other)

    def resize(self, ranks: int, **options: Unpack[ResizeOptions]) -> Code:
        """Ask for another number of processes: on rank 0. @return OK, PENDING, UNCHANGED or REDUCED"""
        wanted = CResizeOptions()
        self._calls.check("resize_options_init", ctypes.byref(wanted))
        for name, choice in options.items():
            if name not in ResizeOptions.__annotations__:
                raise TypeError(f"{name} = {choice}: allowed are {', '.join(ResizeOptions.__annotations__)}")
            setattr(wanted, name, choice.encode() if isinstance(choice, str) else choice)
        few = max(-1, min(ranks, _MOST_RANKS))  # ctypes cuts off what is too large for C, which refuses this
        return self._calls.check("resize", few, ctypes.byref(wanted), None)

    def save(self, stop: bool = False) -> None:
        """Ask for an epoch at a later checkpoint: on rank 0. `stop`: the job leaves there."""
        self._calls.check("save", int(stop), None)

    def protect_now(self) -> None:
        """Ask for an epoch in memory (`nereus run --protect memory`) at a later checkpoint: on rank 0."""
        self._calls.check("protect_now", None)

    def checkpoint(self) -> Outcome:
        """The point in the loop at which a resize may happen: collective."""
        for array in self._arrays:
            array.check_not_viewed()
        outcome = Outcome(self._calls.check("checkpoint"))
        if outcome is not Outcome.GO_ON:
            self.leaving = outcome is Outcome.LEAVE
            self._calls.renew_comm()
            for array in self._arrays:
                array.renew()
        return outcome

    @contextmanager
    def io_phase(self, size: int = 0) -> Iterator[Code]:
        """Within the block all processes write or read: collective. `size` is in bytes, of this process.

        Yields OK, or NO_TURN where the daemon does not answer.
        """
        yield self._calls.check("io_begin", max(-1, min(size, _MOST_BYTES)))
        self._calls.check("io_end")  # not behind an exception: the others may not come here then

    @property
    def comm(self) -> MPI.Intracomm:
        """The communicator of the present processes: another one after each resize, or COMM_NULL."""
        return self._calls.comm

    @property
    def generation(self) -> int:
        """How many resizes of this job were committed."""
        return self._calls.number("generation")

    @property
    def message(self) -> str:
        """The latest thing worth saying, or an empty text."""
        return self._calls.message()

    def last_resize(self) -> ResizeReport:
        """What became of the latest resize that ended."""
        report = CResizeReport()
        self._calls.check("last_resize", ctypes.byref(report))
        return report_of(report)


def run(stay: Callable[[Job], Any], comm: MPI.Comm | None = None, argv: Sequence[str] | None = None) -> None:
    """Call `stay(job)` for this process' stay in a job, and again for as long as it is wanted again."""
    wanted = True
    while wanted:
        with Job(comm, argv) as job:
            if not job.leaving:
                stay(job)
        wanted = job.woken


def _newcomers_words(argv: Sequence[str] | None) -> list[str]:
    """The command line of newcomers; the library sets its first word to the file that this process runs."""
    words = sys.orig_argv[1:] if argv is None else list(argv)
    if sys.prefix == sys.base_prefix:
        return [sys.executable, *words]
    starter = Path(__file__).with_name("newcomer.py")
    return [sys.executable, "-I", "-S", str(starter), sys.executable, *words]
