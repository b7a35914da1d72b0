# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of jobs as Flux writes them (RFC 19, "Flux Locally Unique ID")."""

import re

from nereus.allocation.contract import AllocationError

# F58 in ASCII, or decimal.
_ID = re.compile(r"f[1-9A-HJ-NP-Za-km-z]{1,20}|[0-9]{1,20}")


def id_of(text: str, source: str) -> str:
    """In ASCII, which Flux takes as well; AllocationError, naming the source, where it is something else."""
    plain = text.replace("\u0192", "f")
    if not _ID.fullmatch(plain):
        raise AllocationError(f"{source}: {text[:80]!r}: allowed is the number of a job, as Flux writes it")
    return plain
