# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with a command line, in our words: the parser of options has others for each kind of slip."""

import re
from enum import Enum
from typing import Any, get_args

import typer


def sentence(error: typer.TyperException) -> str:
    """For a value, what is allowed there; else what the parser says."""
    option = getattr(error, "param", None)
    allowed = None if option is None else allowed_of(option)
    text, problem = error.format_message(), getattr(error, "message", "")
    if allowed is None or not problem or not text.endswith(problem):
        return text
    value = re.search("'[^']*'", problem)
    return text.removesuffix(problem) + (f"{value[0]}: " if value else "") + f"{allowed} is allowed"


def allowed_of(option: Any) -> str | None:
    """None where any text is taken."""
    kinds = kinds_of(option)
    for number, name in ((int, "a whole number"), (float, "a number")):
        if number in kinds:
            return name + _limits(option.min, option.max)
    for kind in kinds:
        if issubclass(kind, Enum):
            return "one of " + ", ".join(str(each.value) for each in kind)
    return None


def kinds_of(option: Any) -> list[type]:
    """The types that its values may have."""
    return list(_kinds(option.type_descriptor.annotation))


def _kinds(annotation: Any) -> list[type]:
    """The types in `int | None` or `list[int]`."""
    inner = get_args(annotation)
    if inner:
        return [kind for each in inner for kind in _kinds(each)]
    return [annotation] if isinstance(annotation, type) else []


def _limits(least: float | None, most: float | None) -> str:
    # Up to where a number fits a word of the machine is nobody's concern.
    begin = "" if least is None else f" from {least:.12g}"
    end = "" if most is None or most >= 2**31 - 1 else f" to {most:.12g}"
    return begin + (end if begin or not end else f" up{end}")
