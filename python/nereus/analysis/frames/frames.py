# SPDX-License-Identifier: BSD-3-Clause
"""All data frames of one path, by name and as attributes, and how they get into files."""

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from nereus import printable
from nereus.analysis.frames.error import FramesError

if TYPE_CHECKING:
    from pandas import DataFrame

FORMATS = ("csv", "parquet")


class Frames(Mapping[str, "DataFrame"]):
    """What `nereus.load` returns: `frames["resizes"]` is `frames.resizes`.

    `kind` says what the path is: "result", "measured", "study", "record" or "workload". `notes` has a line
    for all that is not in the frames, as the rest of a file that breaks off. `frames.resizes.attrs["units"]`
    has the units of columns that have one.
    """

    kind: str
    path: Path
    notes: tuple[str, ...]

    def __init__(
        self, kind: str, path: Path, frames: Mapping[str, "DataFrame"], notes: tuple[str, ...] = ()
    ) -> None:
        self.kind, self.path, self.notes = kind, path, notes
        self._frames = dict(frames)

    def __getitem__(self, name: str) -> "DataFrame":
        return self._frames[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._frames)

    def __len__(self) -> int:
        return len(self._frames)

    def __getattr__(self, name: str) -> "DataFrame":
        frames = self.__dict__.get("_frames", {})  # those that make a copy ask before there are any
        if name in frames:
            return frames[name]
        there = f"frames of a {self.kind} have no {name!r}: there are {', '.join(self)}" if frames else name
        raise AttributeError(there)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    # That of a mapping compares data frames, which have no answer to whether they are equal.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        sizes = [f"  {name}: {len(frame)} rows" for name, frame in self.items()]
        return "\n".join([f"{self.kind} {self.path}", *sizes, *(f"  ({note})" for note in self.notes)])

    def save(self, folder: str | Path, format: str = "csv") -> list[Path]:
        """Write each frame into the folder as NAME.csv or NAME.parquet; the paths. FramesError.

        Files of these names are replaced: take a folder of their own, not that of a study with its report.
        Parquet keeps types and units and needs PyArrow; in CSV, a value that is not there is empty.
        """
        if format not in FORMATS:
            raise FramesError(f"format = {format!r}: allowed are {', '.join(FORMATS)}")
        if format == "parquet" and find_spec("pyarrow") is None:
            raise FramesError("format = 'parquet': pyarrow is not installed; pip install pyarrow installs it")
        written = [Path(folder) / f"{name}.{format}" for name in self]
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
            for path, frame in zip(written, self.values(), strict=True):
                _write(frame, path, format)
        except (OSError, ValueError, OverflowError) as problem:
            why = getattr(problem, "strerror", None) or printable(str(problem))
            raise FramesError(f"{folder}: cannot be written: {why}") from None
        return written


def _write(frame: "DataFrame", path: Path, format: str) -> None:
    if format == "csv":
        frame.to_csv(path, index=False, lineterminator="\n")
    else:
        frame.to_parquet(path, engine="pyarrow", index=False)
