# SPDX-License-Identifier: BSD-3-Clause
"""Becomes the interpreter that its first argument names.

The library starts newcomers with the file of the running program. For an interpreter in a virtual environment
that is the one the environment was made from, which does not find the environment's packages.
"""

import os
import sys

if __name__ == "__main__":
    os.execv(sys.argv[1], sys.argv[1:])
