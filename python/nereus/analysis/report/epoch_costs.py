# SPDX-License-Identifier: BSD-3-Clause
"""What epochs of a run took: events of the measured file beside its results (docs/formats/measured.md)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from nereus.analysis.report.events import Strict
from nereus.reading import MOST_RECORDED, content_of

FILE_NAME = "measured.jsonl"


class EpochSaved(Strict):
    """The job was held up for so many seconds."""

    seconds: float


@dataclass(frozen=True)
class EpochCosts:
    """Of all epochs of a run, also of what a failure undid."""

    epochs: Sequence[EpochSaved]
    #: That could not be made.
    failed: int

    @property
    def seconds(self) -> float:
        return sum(epoch.seconds for epoch in self.epochs)


def read_epoch_costs(folder: Path) -> EpochCosts | None:
    """None where there is no such file, as of runs that were not protected. Damaged lines are passed over."""
    try:
        lines = content_of(folder / FILE_NAME, MOST_RECORDED).split(b"\n")
    except OSError:
        return None
    epochs, failed = list[EpochSaved](), 0
    for line in lines:
        try:
            event = json.loads(line)
            if event["event"] == "epoch_saved":
                epochs.append(EpochSaved.model_validate(event))
            failed += event["event"] == "epoch_not_saved"
        except (ValueError, KeyError, TypeError, RecursionError, ValidationError):
            continue
    return EpochCosts(epochs, failed)
