# SPDX-License-Identifier: BSD-3-Clause
"""How what makes documents is started: with the folder to write to, and with the programs that it needs."""

import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path


def main(script: str, needed: Sequence[str], make: Callable[[Path], int]) -> int:
    """The exit code: of `make`, or 2 where something is missing. Each program is in a package of its name."""
    if len(sys.argv) != 2:
        print(f"nereus: usage: python docs/make/{script} FOLDER", file=sys.stderr)
        return 2
    for program in needed:
        if shutil.which(program) is None:
            print(f"nereus: {program}: not found; the package {program} has it", file=sys.stderr)
            return 2
    return make(Path(sys.argv[1]).absolute())
