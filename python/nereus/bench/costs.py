# SPDX-License-Identifier: BSD-3-Clause
"""What ways to carry data cost on this host with an MPI: measured once, kept in the user's cache folder.

The file is the one that jobs read (docs/formats/costs.md), so what is handed to a job was checked here.
"""

import json
import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator

from nereus.launch.builds import Build
from nereus.launch.hosts import Host, is_here
from nereus.methods import ChosenTransferMethod, ChosenTransferStrategy
from nereus.probe.cache import place, recall, remember
from nereus.reading import beginning_of

_KIND = "costs"
_VARIABLE = "NEREUS_COSTS"

Seconds = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]


class Cost(BaseModel):
    """What one way has cost."""

    model_config = ConfigDict(frozen=True)

    method: ChosenTransferMethod
    strategy: ChosenTransferStrategy
    fixed_seconds: Seconds
    seconds_per_array: Seconds
    seconds_per_byte: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
    pause_seconds: Seconds
    omega: Annotated[float, Field(ge=1, le=1e6, allow_inf_nan=False)]
    #: Median distance of the trials from what the numbers above say, as a share of that.
    deviation: Seconds


class Costs(BaseModel):
    """All that was measured with one MPI on one host."""

    model_config = ConfigDict(frozen=True)

    format: Literal["nereus-costs"] = "nereus-costs"
    version: Literal[1] = 1
    mpi: str
    library: str
    host: str
    made: AwareDatetime
    costs: tuple[Cost, ...]

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        ways = [(cost.method, cost.strategy) for cost in self.costs]
        if len(set(ways)) < len(ways):
            raise ValueError("a way is there twice")
        return self

    @property
    def age(self) -> timedelta:
        """How long ago it was measured; nothing where the clock was set back since."""
        return max(datetime.now(UTC) - self.made, timedelta())


@dataclass(frozen=True)
class StoredCosts:
    """What is kept for a build on this host: the costs, or why there are none; "": none were measured."""

    path: Path
    costs: Costs | None = None
    complaint: str = ""


def new_costs(build: Build, costs: Sequence[Cost]) -> Costs:
    """Costs that were measured just now."""
    made = datetime.now(UTC).replace(microsecond=0)
    library, host = build.library_version, socket.gethostname()
    return Costs(mpi=build.name, library=library, host=host, made=made, costs=tuple(costs))


def store_costs(build: Build, costs: Costs) -> Path:
    """Keep them while the build's files stay as they are; where."""
    remember(_KIND, _key(build), build.files(), costs.model_dump(mode="json"))
    return place(_KIND, _key(build))


def stored_costs(build: Build) -> StoredCosts:
    """What is kept for `build` on this host."""
    path = place(_KIND, _key(build))
    again = f"run `nereus calibrate --mpi {build.name}` again"
    try:
        costs = Costs.model_validate(json.loads(beginning_of(path)))
    except FileNotFoundError:
        return StoredCosts(path)
    except (OSError, ValueError, RecursionError):
        return StoredCosts(path, None, f"{path}: these costs of transfers cannot be read; {again}")
    if recall(_KIND, _key(build), build.files()) is None:
        return StoredCosts(path, None, f"{path}: costs of transfers of another installation; {again}")
    return StoredCosts(path, costs)


def usual_costs(
    build: Build, hosts: Sequence[Host], environment: Mapping[str, str] = os.environ
) -> StoredCosts | None:
    """What a job takes when the user has not said it; None where he has.

    None too where the job has other hosts: nothing was measured about the network between them.
    """
    if _VARIABLE in environment or not all(is_here(host.name) for host in hosts):
        return None
    return stored_costs(build)


def _key(build: Build) -> str:
    # A home folder may be one for many hosts.
    return json.dumps([str(build.prefix), socket.gethostname()])
