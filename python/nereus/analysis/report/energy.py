# SPDX-License-Identifier: BSD-3-Clause
"""The file of a results folder that says what energy the host used meanwhile (docs/formats/results.md)."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nereus.reading import MOST_RECORDED, content_of

FILE_NAME = "energy.json"

_Amount = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]


class Energy(BaseModel):
    """Of all processor packages of the host on which the run was started, whatever else ran there."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    package_joules: _Amount
    seconds: _Amount
    packages: Annotated[int, Field(ge=1, le=10**6)]
    watts: _Amount


def read_energy(folder: Path) -> Energy | None:
    """None where there is no such file, as on hosts that do not count it, or it is damaged."""
    try:
        return Energy.model_validate_json(content_of(folder / FILE_NAME, MOST_RECORDED))
    except (OSError, ValidationError):
        return None
