# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of the policies from a command line: `--set uncertainty=0.2`."""

from collections.abc import Sequence
from dataclasses import fields
from math import isfinite
from typing import Any

from nereus.cli.messages import Refused
from nereus.policy.parameters import ABOVE_ZERO, LEAST, Parameters

_DEFAULTS = Parameters()


def parameters_of(settings: Sequence[str]) -> Parameters:
    """Refused where a name or a value is not allowed."""
    given: dict[str, Any] = dict(_read(text) for text in settings)
    return Parameters(**given)


def _read(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    names = {field.name for field in fields(Parameters)}
    if name not in names:
        raise Refused(f"--set {text}: {name or '(empty)'}: allowed are {', '.join(sorted(names))}")
    whole = isinstance(getattr(_DEFAULTS, name), int)
    try:
        number = int(value) if whole else float(value)
    except ValueError:
        number = -1
    least = LEAST.get(name, 0)
    if not isfinite(number) or number < least or (number == 0 and name in ABOVE_ZERO):
        kind = "whole numbers" if whole else "numbers"
        allowed = f"above {least}" if name in ABOVE_ZERO else f"from {least}"
        raise Refused(f"--set {text}: {kind} {allowed} are allowed")
    return name, number
