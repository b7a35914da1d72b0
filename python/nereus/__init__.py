# SPDX-License-Identifier: BSD-3-Clause
"""Nereus: makes MPI jobs malleable. This package is what runs beside the jobs and after them."""

__version__: str


class UserError(Exception):
    """What a user can mend: the text is one line that says what is wrong."""


def __getattr__(name: str) -> str:
    """The version, which takes long to find out: for those that ask."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("nereus")
    except PackageNotFoundError:  # run from a checkout that was never installed
        return "unknown"
