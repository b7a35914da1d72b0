# SPDX-License-Identifier: BSD-3-Clause
"""--bytes of commands that measure with so much data."""

from nereus.cli.messages import Refused
from nereus.config.quantities import bytes_of
from nereus.launch import memory_bytes

# What a resize needs at once: the data before, after, and in flight.
_COPIES = 3


def data_bytes(text: str) -> int:
    """Of "1000000" or "64MiB"; Refused where it is no size, or more than a third of this machine's memory."""
    try:
        count = int(text) if text.isascii() and text.isdigit() else bytes_of(text)
    except ValueError as problem:
        raise Refused(f"--bytes = {text}: {problem}; allowed is a size such as 1000000 or 64MiB") from None
    most = memory_bytes() // _COPIES
    if not isinstance(count, int) or not 8 <= count <= most:
        raise Refused(f"--bytes = {text}: allowed is 8 B .. {most} B, a third of this machine's memory")
    return count
