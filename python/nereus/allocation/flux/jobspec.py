# SPDX-License-Identifier: BSD-3-Clause
"""What is asked of Flux, as it is written (RFC 14, RFC 25: "Job Specification Version 1").

Each host that comes later is a job of its own: Flux cannot take one host of a job back (decision 0028).
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nereus.allocation.contract import AllocationError

# Where a job goes and on whose account; also the rest would be the first job's own.
_LIKE_THE_FIRST = ("queue", "bank", "project")


@dataclass(frozen=True)
class Limits:
    """What the first job asked for, as far as the jobs beside it are to ask for the same."""

    cores_each: int = 1
    #: Attributes by their names below `system`.
    system: "tuple[tuple[str, str], ...]" = ()
    #: RFC 31 ("Job Constraints Specification"), as JSON; "": none.
    constraints: str = ""

    @property
    def queue(self) -> str:
        """ "": the only one, or the default."""
        return dict(self.system).get("queue", "")


def read_limits(text: str, whose: str) -> Limits:
    """Out of the job's jobspec; AllocationError where it is none."""
    try:
        spec = json.loads(text)
        attributes = spec["attributes"]["system"]
        cores = [int(part["count"]) for part in _parts(spec["resources"]) if part["type"] == "core"]
        given = [(name, attributes[name]) for name in _LIKE_THE_FIRST if name in attributes]
        constraints = _general(attributes.get("constraints"))
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise AllocationError(f"the jobspec of {whose} cannot be read: {problem!r}") from None
    if not cores or not 1 <= cores[0] <= 1_000_000 or not all(isinstance(text, str) for _, text in given):
        raise AllocationError(f"the jobspec of {whose} cannot be read: its cores or its queue")
    return Limits(cores[0], tuple(given), json.dumps(constraints) if constraints else "")


def _general(constraints: Any) -> Any:
    """None where they name hosts: those are meant for the first job alone."""
    text = json.dumps(constraints)
    return None if '"hostlist"' in text or '"ranks"' in text else constraints


def _parts(resources: "list[dict[str, Any]]") -> "Iterator[dict[str, Any]]":
    for part in resources:
        yield part
        yield from _parts(part.get("with", []))


@dataclass(frozen=True)
class OneHost:
    """A host that nobody else uses, for a command that holds it; `name`: "": any."""

    job_name: str
    name: str
    slots: int
    #: Seconds; 0: no limit.
    duration: float

    def jobspec(self, limits: Limits, command: Sequence[str], environment: "dict[str, str]") -> str:
        """For `flux job submit`."""
        core = {"type": "core", "count": limits.cores_each}
        slot = {"type": "slot", "count": self.slots, "label": "task", "with": [core]}
        node = {"type": "node", "count": 1, "exclusive": True, "with": [slot]}
        # One task, however many cores the host has.
        task = {"command": list(command), "slot": "task", "count": {"total": 1}}
        system: dict[str, Any] = {
            "duration": self.duration,
            "cwd": "/",
            "environment": environment,
            "shell": {"options": {"per-resource": {"type": "node", "count": 1}}},
            "job": {"name": self.job_name},
            **dict(limits.system),
            **self._constraints(limits),
        }
        return json.dumps(
            {"version": 1, "resources": [node], "tasks": [task], "attributes": {"system": system}}
        )

    def _constraints(self, limits: Limits) -> "dict[str, Any]":
        all_of = [json.loads(limits.constraints)] if limits.constraints else []
        all_of += [{"hostlist": [self.name]}] if self.name else []
        if not all_of:
            return {}
        return {"constraints": all_of[0] if len(all_of) == 1 else {"and": all_of}}
