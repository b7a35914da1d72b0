# SPDX-License-Identifier: BSD-3-Clause
"""Files that a user names, read up to a size: nobody waits for the end of one that has none.

In:  a path, and how many bytes may be in it.
Out: the bytes. What they mean is for whoever asks.
"""

import os
import stat
from pathlib import Path

from nereus import UserError

#: Of what people write: experiments, scenarios, hosts, keys.
MOST_WRITTEN = 4 << 20
#: Of what programs write: traces of calls, workloads, results.
MOST_RECORDED = 1 << 30
#: Of a compressed file, when it is unpacked.
MOST_UNPACKED = 8 << 30
#: Of one event among many.
MOST_OF_AN_EVENT = 256 << 20


class NotReadError(UserError):
    """A file that is too long, or a device; the text names it and what is allowed."""


def content_of(path: Path, most: int = MOST_WRITTEN) -> bytes:
    """OSError where it cannot be read; NotReadError."""
    with path.open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            raise NotReadError(f"{path}: is a device; a regular file is required")
        content = file.read(most + 1)
    if len(content) > most:
        raise NotReadError(f"{path}: has more than {most} bytes, which are allowed")
    return content


def beginning_of(path: Path, most: int = 1 << 20) -> str:
    """What is there of a file of ours, which is smaller: of a longer one, the rest is damage."""
    with path.open("rb") as file:
        return file.read(most).decode("utf-8")
