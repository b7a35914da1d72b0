# SPDX-License-Identifier: BSD-3-Clause
"""The file that keeps what was simulated: a header that says of which workload, and a line for each case.

Each line outlives the end of this process and of the machine. What is compared, orders, strategies, shares
and seeds, is no part of the header, so that more of it can be added later.
"""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Set
from dataclasses import MISSING, asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import nereus
from nereus import UserError
from nereus.reading import MOST_RECORDED, content_of
from nereus.simulation.workload.comparison import Case, Comparison, Variant
from nereus.simulation.workload.figures import Figures

_FORMAT = {"format": "nereus-workload-results", "version": 1}
_COMPARED = ("order", "strategy", "malleable", "seed", "seeds")
_OF_CASE = (*(each.name for each in fields(Variant)), "seed")
_OF_FIGURES = tuple(each.name for each in fields(Figures))
_COUNTED = ("killed", "resizes", "failures", "failed")
_MOST = 10**15
#: Some figures are told of some workloads only.
_NEEDED = {*_OF_CASE, *(each.name for each in fields(Figures) if each.default is MISSING)}


class ResultsError(UserError):
    """The file cannot be used; the text is one sentence that says where and why."""


@dataclass(frozen=True)
class Kept:
    """What a file has. `was_cut`: its last line is half written, and is left out."""

    cases: Mapping[Case, Figures]
    was_cut: bool


def read_results(path: Path) -> Kept:
    """Of any workload and version of Nereus. ResultsError where it is another file, or damaged; OSError."""
    content = content_of(path, MOST_RECORDED)
    header = _document(path, 1, content.partition(b"\n")[0])
    for key, wanted in _FORMAT.items():
        if header.get(key) != wanted:
            raise ResultsError(f"{path}:1: {key} = {header.get(key)!r:.60}: {wanted!r} is allowed")
    whole = content.rfind(b"\n") + 1
    return Kept(dict(_cases(path, content[:whole])), whole < len(content))


class ResultsFile:
    """Use it in a `with` statement; until its end no other process may write there."""

    def __init__(self, path: Path, comparison: Comparison) -> None:
        """Make it, or go on with one of the same workload. `was_cut`: a half-written line was removed."""
        self._path = path
        self._file = _locked(path)
        try:
            self._header = _line({**_FORMAT, "nereus": nereus.__version__, "workload": _hash_of(comparison)})
            content = self._file.read()
            self._check_header(content)
            whole = content.rfind(b"\n") + 1
            self.was_cut = whole < len(content)
            self.found = dict(_cases(path, content[:whole]))
            self._file.truncate(whole)
            if not whole:
                self._write(self._header)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        """Nothing to do: it is open already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let others write there."""
        self._file.close()

    def add(self, case: Case, figures: Figures) -> None:
        """A case is over."""
        self.found[case] = figures
        self._write(_line({**asdict(case.variant), "seed": case.seed, **figures.document()}))

    def _write(self, line: bytes) -> None:
        self._file.write(line)
        self._file.flush()
        os.fsync(self._file.fileno())

    def _check_header(self, content: bytes) -> None:
        """Before anything of the file is changed: it may be somebody's data."""
        first, end, _ = content.partition(b"\n")
        if not end and self._header.startswith(first):
            return  # empty, or cut in the header
        header = _document(self._path, 1, first)
        for key, wanted in json.loads(self._header).items():
            if header.get(key) == wanted:
                continue
            if key == "workload":
                raise ResultsError(
                    f"{self._path}:1: its results are of another workload: the same jobs and keys are "
                    f"allowed, with other {', '.join(_COMPARED[:-1])} and {_COMPARED[-1]}"
                )
            raise ResultsError(f"{self._path}:1: {key} = {header.get(key)!r:.60}: {wanted!r} is allowed")


def _cases(path: Path, content: bytes) -> Iterator[tuple[Case, Figures]]:
    told: Set[str] = frozenset()
    for number, line in enumerate(content.splitlines()[1:], start=2):
        document = _document(path, number, line)
        if not _NEEDED <= document.keys() <= {*_OF_CASE, *_OF_FIGURES}:
            raise ResultsError(
                f"{path}:{number}: allowed are the keys {', '.join((*_OF_CASE, *_OF_FIGURES))}"
            )
        figures = {key: document[key] for key in _OF_FIGURES if key in document}
        told = told or figures.keys()
        if figures.keys() != told:
            allowed = ", ".join(told)
            raise ResultsError(f"{path}:{number}: the figures of the line before are allowed: {allowed}")
        for key, value in figures.items():
            _check_figure(f"{path}:{number}", key, value)
        yield _case_of(f"{path}:{number}", document), Figures(**figures)


def _check_figure(where: str, key: str, value: object) -> None:
    """Figures are added up and squared later."""
    is_count = isinstance(value, int) and value >= 0
    if not _is_number(value) or (key in _COUNTED and not is_count):
        allowed = "a number from 0" if key in _COUNTED else "a number"
        raise ResultsError(f"{where}: {key} = {value!r:.60}: {allowed} is allowed")


def _case_of(where: str, document: Mapping[str, Any]) -> Case:
    order, strategy, percent, seed = (document[key] for key in _OF_CASE)
    if not (isinstance(order, str) and isinstance(strategy, str)):
        raise ResultsError(f"{where}: order and strategy: names are allowed")
    if not (_is_number(percent) and isinstance(seed, int) and not isinstance(seed, bool)):
        raise ResultsError(f"{where}: malleable_percent and seed: numbers are allowed")
    if not 0 <= seed < 2**64:
        raise ResultsError(f"{where}: seed = {seed!r:.60}: a number from 0 is allowed")
    return Case(Variant(order, strategy, percent), seed)


def _document(path: Path, number: int, line: bytes) -> Mapping[str, Any]:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise ResultsError(f"{path}:{number}: an object in JSON is allowed")
    return document


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -_MOST <= value <= _MOST


def _line(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document).encode() + b"\n"


def _locked(path: Path) -> IO[bytes]:
    if not path.absolute().parent.is_dir() or (path.exists() and not path.is_file()):
        raise ResultsError(f"--results = {path}: allowed is a file in a folder that exists")
    file = path.open("ab+")
    file.seek(0)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise ResultsError(f"{path}: another simulation writes there now") from None
    return file


def _hash_of(comparison: Comparison) -> str:
    """Of the bytes of a trace, and of all keys but what is compared; the name of the trace does not count."""
    workload = comparison.workload
    keys = workload.model_dump(mode="json", exclude={*_COMPARED, "trace"})
    # Jobs without a limit may be left out where an order needs limits: then these are other jobs.
    kept = {"keys": keys, "left_out": dict(comparison.left_out)}
    found = sha256(json.dumps(kept, sort_keys=True).encode())
    if workload.trace is not None:
        found.update(Path(workload.trace).read_bytes())
    return found.hexdigest()
