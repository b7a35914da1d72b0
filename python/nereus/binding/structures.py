# SPDX-License-Identifier: BSD-3-Clause
"""The structures of nereus.h as ctypes sees them, and as Python does."""

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import TypedDict

from nereus.binding.codes import (
    Code,
    Placement,
    ProcessMethod,
    ProcessStrategy,
    ReleaseUnit,
    Survivors,
    TransferMethod,
    TransferStrategy,
)
from nereus.methods import RESIZE_OPTIONS

_TEXT_BYTES = 256
_STATE_BYTES = 16

Allocate = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


class CDistribution(ctypes.Structure):
    """`nereus_distribution`"""

    _fields_ = (
        ("layout", ctypes.c_int),
        ("weights", ctypes.POINTER(ctypes.c_int32)),
        ("weight_count", ctypes.c_int),
        ("block", ctypes.c_int64),
        ("rows", ctypes.c_int64),
        ("columns", ctypes.c_int64),
        ("block_rows", ctypes.c_int64),
        ("block_columns", ctypes.c_int64),
        ("grid_rows", ctypes.c_int),
        ("grid_columns", ctypes.c_int),
    )


class CDistributed(ctypes.Structure):
    """`nereus_distributed`"""

    _fields_ = (
        ("distribution", ctypes.POINTER(CDistribution)),
        ("processes", ctypes.c_int),
        ("ranks", ctypes.POINTER(ctypes.c_int)),
    )


class CMemory(ctypes.Structure):
    """`nereus_memory`"""

    _fields_ = (("allocate", Allocate), ("release", Release), ("context", ctypes.c_void_p))


def _number_of(option: Mapping[str, str]) -> type[ctypes.c_int] | type[ctypes.c_uint]:
    return ctypes.c_uint if option["values"] == "process_strategies" else ctypes.c_int


class CResizeOptions(ctypes.Structure):
    """`nereus_resize_options`"""

    _fields_ = (
        *((option["name"].replace("-", "_"), _number_of(option)) for option in RESIZE_OPTIONS),
        ("hosts", ctypes.c_char * _TEXT_BYTES),
    )


class ResizeOptions(TypedDict, total=False):
    """What may differ from the job's settings in one resize: the fields of `nereus_resize_options`."""

    process_method: ProcessMethod
    transfer_method: TransferMethod
    transfer_strategy: TransferStrategy
    survivors: Survivors
    process_strategies: ProcessStrategy
    placement: Placement
    release_unit: ReleaseUnit
    oversubscribe: bool
    allow_fewer: bool
    hosts: str


class CResizeReport(ctypes.Structure):
    """`nereus_resize_report`"""

    _fields_ = (
        ("request", ctypes.c_uint64),
        ("code", ctypes.c_int),
        ("from", ctypes.c_int),
        ("to", ctypes.c_int),
        ("process_method", ctypes.c_int),
        ("transfer_method", ctypes.c_int),
        ("transfer_strategy", ctypes.c_int),
        ("process_strategies", ctypes.c_uint),
        ("process_seconds", ctypes.c_double),
        ("connect_seconds", ctypes.c_double),
        ("constant_seconds", ctypes.c_double),
        ("variable_seconds", ctypes.c_double),
        ("predicted_seconds", ctypes.c_double),
        ("pause_seconds", ctypes.c_double),
        ("background_iterations", ctypes.c_int64),
        ("constant_bytes", ctypes.c_int64),
        ("variable_bytes", ctypes.c_int64),
        ("shared_bytes", ctypes.c_int64),
        ("bytes_minimum", ctypes.c_int64),
        ("verified", ctypes.c_int),
        ("woken", ctypes.c_int),
        ("left", ctypes.c_int),
        ("parked", ctypes.c_int),
        ("usual_between_hosts", ctypes.c_double),
        ("between_hosts", ctypes.c_double),
        ("state", ctypes.c_char * _STATE_BYTES),
        ("reason", ctypes.c_char * _TEXT_BYTES),
        ("placed", ctypes.c_char * _TEXT_BYTES),
    )


@dataclass(frozen=True)
class ResizeReport:
    """What became of a resize: the fields of `nereus_resize_report`, as nereus.h explains them."""

    request: int
    code: Code
    from_: int
    to: int
    process_method: ProcessMethod
    transfer_method: TransferMethod
    transfer_strategy: TransferStrategy
    process_strategies: ProcessStrategy
    process_seconds: float
    connect_seconds: float
    constant_seconds: float
    variable_seconds: float
    predicted_seconds: float
    pause_seconds: float
    background_iterations: int
    constant_bytes: int
    variable_bytes: int
    shared_bytes: int
    bytes_minimum: int
    verified: int
    woken: int
    left: int
    parked: int
    usual_between_hosts: float
    between_hosts: float
    state: str
    reason: str
    placed: str


def report_of(raw: CResizeReport) -> ResizeReport:
    """A report with Python's types."""
    found = {}
    for field in fields(ResizeReport):
        value = getattr(raw, field.name.rstrip("_"))  # `from` is a word of Python's
        if isinstance(value, bytes):
            value = value.decode(errors="replace")
        elif isinstance(field.type, type) and issubclass(field.type, (IntEnum, ProcessStrategy)):
            value = field.type(value)
        found[field.name] = value
    return ResizeReport(**found)
