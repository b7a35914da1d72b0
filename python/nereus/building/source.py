# SPDX-License-Identifier: BSD-3-Clause
"""Where the source is from which builds are compiled: the checkout of this package, or what its wheel has."""

import re
from dataclasses import dataclass
from pathlib import Path

from nereus.building.error import BuildingError
from nereus.launch.builds import PACKAGED
from nereus.launch.origin import preset_names

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
#: What the wheel has beside the source: headers of other projects, and files by which CMake finds them.
THIRD_PARTY = "third_party"


@dataclass(frozen=True)
class Source:
    """`folder`: with CMakeLists.txt; `is_packaged`: it came in a wheel, and is not written to."""

    folder: Path
    is_packaged: bool

    @property
    def launched(self) -> Path:
        """The program that tells which MPI it runs with."""
        return self.folder / "tools" / "probe" / "launched.c"

    @property
    def third_party(self) -> Path | None:
        """Where CMake finds headers of other projects; None: where the system has them."""
        return self.folder / THIRD_PARTY if self.is_packaged else None

    def check_name(self, name: str) -> None:
        """BuildingError where no build of one's own may be called so."""
        asked = f"--name {name}"
        if not _NAME.fullmatch(name):
            raise BuildingError(
                f"{asked}: allowed are letters, digits and ._- behind one of the former, 64 at most"
            )
        if not self.is_packaged and name in preset_names(self.folder):
            raise BuildingError(f"{asked}: a preset has this name; take another one")


def source(folder: Path | None = None) -> Source:
    """That folder; else the checkout, or the wheel, of this package. BuildingError where there is none."""
    if folder is not None:
        if not _is_source(folder):
            raise BuildingError(
                f"--source {folder}: is no source of Nereus; CMakeLists.txt and src are looked for"
            )
        return Source(folder.resolve(), is_packaged=False)
    packaged, checkout = PACKAGED / "source", PACKAGED.parents[2]
    for place, is_packaged in ((packaged, True), (checkout, False)):
        if _is_source(place):
            return Source(place, is_packaged)
    raise BuildingError("--source is missing: this package was installed without its source")


def _is_source(folder: Path) -> bool:
    return (folder / "CMakeLists.txt").is_file() and (folder / "src" / "CMakeLists.txt").is_file()
