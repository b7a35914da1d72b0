# SPDX-License-Identifier: BSD-3-Clause
"""Files of shared memory that outlive the processes of a job, because the supervisor has them open.

Arrays lie in files without a name, which are gone with the last process that has them
(docs/decisions/0011-arrays-in-shared-files.md). Others find one through /proc of any process that has it.
"""

import math
import os
import resource
import stat
from collections.abc import Sequence
from contextlib import suppress

from nereus.supervisor.messages import MemoryHandle


class KeptMemory:
    """Of one job."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._descriptors: list[int] = []

    def keep(self, handles: Sequence[MemoryHandle | None]) -> list[MemoryHandle | None]:
        """Open these in the place of those before; None for what cannot be, or is another file by now.

        Where they are so many that descriptors could run short for all else, none is.
        """
        self.let_go()
        if sum(handle is not None for handle in handles) > _most_descriptors():
            return [None] * len(handles)
        return [self._kept(handle) if handle is not None else None for handle in handles]

    def let_go(self) -> None:
        """The memory is gone with the last process that uses it."""
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors.clear()

    def _kept(self, handle: MemoryHandle) -> MemoryHandle | None:
        descriptor = -1
        with suppress(OSError):
            # What is no file of memory must not hold us up: a pipe waits for its other end.
            descriptor = os.open(f"/proc/{handle.pid}/fd/{handle.descriptor}", os.O_RDWR | os.O_NONBLOCK)
        if descriptor < 0:
            return None
        self._descriptors.append(descriptor)
        found = os.fstat(descriptor)
        same = (found.st_dev, found.st_ino) == (handle.device, handle.inode)
        if not same or not stat.S_ISREG(found.st_mode):
            return None
        return handle.model_copy(update={"pid": os.getpid(), "descriptor": descriptor})


def _most_descriptors() -> float:
    """Of a job there may be two sets for epochs and one for a restart."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return math.inf if limit == resource.RLIM_INFINITY else limit // 4
