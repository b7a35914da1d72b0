# SPDX-License-Identifier: BSD-3-Clause
"""Nereus: makes MPI jobs malleable. This package is what runs beside the jobs and after them."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("nereus")
except PackageNotFoundError:  # run from a checkout that was never installed
    __version__ = "unknown"
