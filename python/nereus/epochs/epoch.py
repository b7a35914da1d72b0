# SPDX-License-Identifier: BSD-3-Clause
"""What an epoch says of itself: attributes of its group, by the key `nereus`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

_MOST = 2**63 - 1
_LAYOUTS = ("block", "replicated", "weighted", "cyclic", "grid")


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")


class _Shape(_Part):
    layout: Annotated[int, Field(ge=0, le=len(_LAYOUTS) - 1)]
    elements: Annotated[int, Field(ge=0, le=_MOST)]


class SavedArray(_Part):
    """An array or a value that was registered."""

    name: str
    value: bool
    constant: bool
    extent: Annotated[int, Field(ge=1, le=_MOST)]
    halo: Annotated[int, Field(ge=0, le=1)]
    rows_of: str
    type: str
    shape: _Shape

    @property
    def elements(self) -> int:
        """All that are kept."""
        return self.shape.elements + self.halo

    @property
    def bytes(self) -> int:
        """Of all elements."""
        return self.elements * self.extent

    @property
    def kind(self) -> str:
        """In the words of the API."""
        return "value" if self.value else "constant" if self.constant else "variable"

    @property
    def layout(self) -> str:
        """How it was distributed; a value is whole everywhere."""
        return (
            "" if self.value else f"rows of {self.rows_of}" if self.rows_of else _LAYOUTS[self.shape.layout]
        )


class SavedPieces(_Part):
    """Data of the application's own, which it handed out in pieces (nereus_on_save())."""

    name: str
    counts: list[Annotated[int, Field(ge=0, le=2**40)]]
    #: Of all pieces, without the starts of each.
    bytes: Annotated[int, Field(ge=0, le=_MOST)]

    @property
    def pieces(self) -> int:
        """Of all ranks."""
        return sum(self.counts)


class _Document(_Part):
    format: Literal[1]
    epoch: Annotated[int, Field(ge=1, le=_MOST)]
    iteration: Annotated[int, Field(ge=0, le=_MOST)]
    generation: Annotated[int, Field(ge=0, le=_MOST)]
    ranks: Annotated[int, Field(ge=1, le=2**31 - 1)]
    program: str
    mpi: str
    saved_unix: Annotated[float, Field(ge=0, le=1e12, strict=False)]
    entries: list[SavedArray]
    own: list[SavedPieces] = []


@dataclass(frozen=True)
class EpochOnHosts:
    """The latest epoch in memory of several hosts, as far as it is known beside the job."""

    #: In which each host has a folder of its own.
    folder: Path
    number: int
    iteration: int


class Epoch:
    """One complete epoch."""

    def __init__(self, folder: Path, attributes: Any) -> None:
        """ValueError where the attributes are none of an epoch."""
        document = _Document.model_validate(attributes)
        self.folder = folder
        self.number, self.iteration = document.epoch, document.iteration
        self.generation, self.ranks = document.generation, document.ranks
        self.program, self.mpi, self.saved_unix = document.program, document.mpi, document.saved_unix
        self.arrays, self.own = tuple(document.entries), tuple(document.own)

    @property
    def bytes(self) -> int:
        """Of all arrays and values, and of the application's own data."""
        return sum(array.bytes for array in self.arrays) + sum(own.bytes for own in self.own)

    def document(self) -> dict[str, Any]:
        """For programs."""
        arrays = [
            {
                "name": array.name,
                "kind": array.kind,
                "layout": array.layout,
                "type": array.type or f"{array.extent} bytes",
                "elements": array.elements,
                "bytes": array.bytes,
            }
            for array in self.arrays
        ]
        known = ("number", "iteration", "generation", "ranks", "program", "mpi", "saved_unix", "bytes")
        return {
            "folder": str(self.folder),
            **{name: getattr(self, name) for name in known},
            "arrays": arrays,
            "own": [{"name": own.name, "pieces": own.pieces, "bytes": own.bytes} for own in self.own],
        }
