# SPDX-License-Identifier: BSD-3-Clause
"""What a command writes, read while it runs: a pipe that nobody empties would stop it."""

import os

_MOST = 1 << 20


class Output:
    """`stdout` and `stderr` are for the command; closed once, when it has ended."""

    def __init__(self) -> None:
        self.stdout = os.memfd_create("stdout", os.MFD_CLOEXEC)
        self.stderr = os.memfd_create("stderr", os.MFD_CLOEXEC)

    @property
    def text(self) -> str:
        """What it has written so far, up to 1 MiB."""
        return _read(self.stdout)

    @property
    def reason(self) -> str:
        """Its last complaint, without what comes before the reason in "salloc: error: REASON"; "": none."""
        lines = [line.strip() for line in _read(self.stderr).splitlines() if line.strip()]
        return lines[-1].split("error: ")[-1] if lines else ""

    @property
    def complaints(self) -> str:
        """All that it complained of."""
        return _read(self.stderr)

    def close(self) -> None:
        """Once; nothing can be read any more."""
        os.close(self.stdout)
        os.close(self.stderr)


def _read(descriptor: int) -> str:
    # The offset is the command's too, and stays where it is.
    return os.pread(descriptor, _MOST, 0).decode(errors="backslashreplace")
