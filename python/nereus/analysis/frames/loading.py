# SPDX-License-Identifier: BSD-3-Clause
"""Finds out what a path is, and has it read by the room that the format belongs to."""

from collections.abc import Callable, Mapping
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

from nereus.analysis.frames.error import FramesError
from nereus.analysis.frames.frames import Frames
from nereus.analysis.frames.tables import Tables

ALLOWED = (
    "allowed are a result file or its folder, a measured file, the folder of a study or of a trace, a record "
    "of the monitor, a .prof file, and results of a workload"
)
#: By `format` in the first line of a file: where the function is that reads it.
_FORMATS = {
    "nereus-results": ("results", "result_tables"),
    "nereus-measured": ("results", "measured_tables"),
    "nereus-monitor": ("record", "record_tables"),
    "nereus-workload-results": ("workload", "workload_tables"),
}


def load(path: str | PathLike[str]) -> Frames:
    """All that a run, a study, a trace, a record or a simulated workload left at the path, as data frames.

    nereus.UserError says in one line what is wrong. What breaks off is loaded up to there; `notes` says so.
    """
    place = Path(path)
    try:
        tables = _reader_of(place)(place)
    except OSError as problem:
        raise FramesError(f"{place}: cannot be read: {problem.strerror or problem}") from None
    return Frames(tables.kind, place, tables.frames(), tuple(tables.notes))


def _reader_of(path: Path) -> Callable[[Path], Tables]:
    from nereus.analysis.monitor.kinds import is_prof

    try:
        path.stat()
    except ValueError as problem:
        raise FramesError(f"{str(path)!r}: {problem}; {ALLOWED}") from None
    if path.is_dir():
        return _reader_of_folder(path)
    if not path.is_file():
        raise FramesError(f"{path}: is no regular file; {ALLOWED}")
    return _named("record", "prof_tables") if is_prof(path) else _reader_of_file(path)


def _reader_of_folder(folder: Path) -> Callable[[Path], Tables]:
    from nereus.analysis.report.reader import FILE_NAME
    from nereus.analysis.study import is_study
    from nereus.analysis.trace.kinds import is_trace

    if is_study(folder):
        return _named("study", "study_tables")
    if is_trace(folder):
        return _named("trace", "trace_tables")
    file = folder / FILE_NAME
    if not file.is_file():
        raise FramesError(f"{folder}: holds neither a study nor a trace nor a file {FILE_NAME}; {ALLOWED}")
    read = _reader_of_file(file)
    return lambda _: read(file)


def _reader_of_file(file: Path) -> Callable[[Path], Tables]:
    first = _first_of(file)
    found = first.get("format") if isinstance(first, Mapping) else None
    if not isinstance(found, str) or found not in _FORMATS:
        raise FramesError(f"{file}: is of none of the kinds that can be loaded; {ALLOWED}")
    return _named(*_FORMATS[found])


def _first_of(file: Path) -> Any:
    """Files of all kinds begin with an object that says which it is."""
    from nereus.analysis.monitor.encoding import DamagedError, items_in

    try:
        first = next(items_in(file), None)
    except DamagedError:
        raise FramesError(f"{file}: is cut at its beginning, or of none of the kinds; {ALLOWED}") from None
    if first is None:
        raise FramesError(f"{file}: is empty; {ALLOWED}")
    return first.value


def _named(file: str, function: str) -> Callable[[Path], Tables]:
    """Imported here, since readers bring along more than a program needs that asks for one kind."""
    read: Callable[[Path], Tables] = getattr(import_module(f"nereus.analysis.frames.{file}"), function)
    return read
