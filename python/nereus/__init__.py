# SPDX-License-Identifier: BSD-3-Clause
"""Nereus: makes MPI jobs malleable.

This package is what runs beside the jobs and after them. To a program that is itself a job it brings the
names of nereus.binding when they are asked for, as `nereus.Job`: they need mpi4py, commands do without.
To a program that looks at results it brings `nereus.load`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nereus.analysis.frames import Frames as Frames
    from nereus.analysis.frames import load as load
    from nereus.binding import *  # noqa: F403

__version__: str

_BINDING = frozenset(
    [
        "BLOCK",
        "CONSTANT",
        "CYCLIC",
        "GRID",
        "REPLICATED",
        "VARIABLE",
        "WEIGHTED",
        "Array",
        "Code",
        "Distributed",
        "Failure",
        "Job",
        "Kind",
        "Layout",
        "Outcome",
        "Placement",
        "ProcessMethod",
        "ProcessStrategy",
        "RedistributionStep",
        "ReleaseUnit",
        "ResizeOptions",
        "ResizeReport",
        "Sides",
        "Survivors",
        "TransferMethod",
        "TransferStrategy",
        "Value",
        "on_resize",
        "on_save",
        "redistribute",
        "run",
        "transpose",
    ]
)
_FRAMES = frozenset(["Frames", "load"])


class UserError(Exception):
    """What a user can mend: the text is one line that says what is wrong."""

    @property
    def lines(self) -> tuple[str, ...]:
        """All that is wrong, a line each."""
        return (str(self),)


def printable(text: str) -> str:
    """Text from outside on one line: what is no character to a terminal, or of no encoding, as JSON's escape.

    Whatever people are shown of a job, a file, a host or a policy goes through here: in commands by
    nereus.cli.messages and nereus.analysis.report.console, which do so with all that they print.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def printable_lines(text: str) -> str:
    """The same, where the ends of lines are ours."""
    return "\n".join(map(printable, text.split("\n")))


def names_from(package: str, files: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose names come from its files when they are asked for.

    For packages of which most commands need a small part: to import all of one takes longer than they run.
    Not for the checker of types, to which a package with such a function has any name.
    """
    file_of = {name: file for file, names in files.items() for name in names}

    def found(name: str) -> Any:
        if name in file_of:
            return getattr(import_module(f"{package}.{file_of[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return found


def __getattr__(name: str) -> Any:
    """The version, and names that take long to import: for those that ask."""
    if name == "__version__":
        return _version()
    if name in _BINDING:
        return getattr(import_module("nereus.binding"), name)
    if name in _FRAMES:
        return getattr(import_module("nereus.analysis.frames"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("nereus-mpi")
    except PackageNotFoundError:  # run from a checkout that was never installed
        return "unknown"
