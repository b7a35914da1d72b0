# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of the policies from a command line: `--set uncertainty=0.2`."""

from collections.abc import Sequence
from dataclasses import fields
from math import isfinite
from typing import Any

from nereus.cli.messages import Refused
from nereus.policy.parameters import Parameters

_DEFAULTS = Parameters()
#: Without these much or any time, nothing would ever be predicted, or everybody always be silent.
_ABOVE_ZERO = {"lease", "silence", "window"}
_LEAST = {"least_phases": 2, "played_phases": 5}


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
    least = _LEAST.get(name, 0)
    if not isfinite(number) or number < least or (number == 0 and name in _ABOVE_ZERO):
        kind = "whole numbers" if whole else "numbers"
        allowed = f"above {least}" if name in _ABOVE_ZERO else f"from {least}"
        raise Refused(f"--set {text}: {kind} {allowed} are allowed")
    return name, number
