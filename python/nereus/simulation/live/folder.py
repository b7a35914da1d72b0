# SPDX-License-Identifier: BSD-3-Clause
"""The folder of a live study: its file, and a folder for each run with all that was heard of it."""

import shutil
from pathlib import Path

from nereus.simulation.live.error import LiveError
from nereus.simulation.live.plan import Planned

FILE_NAME = "study.toml"


class Folder:
    def __init__(self, place: Path, text: str) -> None:
        """`text`: of the study's file. LiveError where something else is in the folder."""
        self.place = place
        file = place / FILE_NAME
        if file.exists():
            if file.read_text(encoding="utf-8") != text:
                raise LiveError(f"{place}: is the folder of another study; --folder names another one")
        elif place.exists() and any(place.iterdir()):
            raise LiveError(
                f"{place}: is not empty; --folder names an empty folder, or one that is not there"
            )
        else:
            place.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def of(self, planned: Planned) -> Path:
        return self.place / "runs" / planned.name

    def anew(self, planned: Planned) -> Path:
        """An empty folder: what an attempt that came to no end left is gone."""
        run = self.of(planned)
        shutil.rmtree(run, ignore_errors=True)
        run.mkdir(parents=True)
        return run
