# SPDX-License-Identifier: BSD-3-Clause
"""Hosts and cores that Flux gave (RFC 20, "Resource Set Specification": R)."""

from typing import Annotated

from pydantic import BaseModel, Field, ValidationError

from nereus.allocation.contract import AllocationError
from nereus.allocation.flux.ranges import names_in, numbers_of
from nereus.launch.hosts import MOST_SLOTS, Host, is_name


class _Children(BaseModel):
    core: str


class _Entry(BaseModel):
    rank: str
    children: _Children


class _Execution(BaseModel):
    R_lite: Annotated[list[_Entry], Field(min_length=1)]
    nodelist: Annotated[list[str], Field(min_length=1)]


class _Resources(BaseModel):
    execution: _Execution


def read_resources(text: str, whose: str) -> tuple[Host, ...]:
    """Hosts with their cores as slots, in the order of Flux's ranks; AllocationError where they are none."""
    try:
        given = _Resources.model_validate_json(text).execution
    except ValidationError as problem:
        first = problem.errors()[0]
        where = ".".join(map(str, first["loc"])) or "text"
        raise AllocationError(f"the resources of {whose} cannot be read: {where}: {first['msg']}") from None
    cores = {
        rank: len(numbers_of(entry.children.core))
        for entry in given.R_lite
        for rank in numbers_of(entry.rank)
    }
    names = [name for part in given.nodelist for name in names_in(part)]
    if len(names) != len(cores) or not all(map(is_name, names)) or max(cores.values()) > MOST_SLOTS:
        raise AllocationError(f"{whose} has {len(cores)} nodes, and {len(names)} names of them")
    if len(set(names)) != len(names):
        raise AllocationError(f"{whose} has several brokers on one host; --hosts names the hosts")
    return tuple(Host(name, cores[rank]) for name, rank in zip(names, sorted(cores), strict=True))
