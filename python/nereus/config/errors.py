# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with an experiment, said in one line that names the place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from nereus import UserError, printable

LONGEST_VALUE = 60  # characters of a value that a message repeats; more would hide the rest of the line


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where, which key, what stands there (None: nothing), what is allowed."""

    where: str
    key: str | None
    value: str | None
    allowed: str

    def __str__(self) -> str:
        key = (
            ""
            if self.key is None
            else f"{self.key}: "
            if self.value is None
            else f"{self.key} = {self.value}: "
        )
        return printable(f"{self.where}: {key}{self.allowed}")


class ConfigError(UserError):
    """An experiment that cannot be used. Its text is one line with all problems."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(str(self))

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(map(str, self.problems))

    def __str__(self) -> str:
        return "; ".join(self.lines)


def fail(where: str, allowed: str, key: str | None = None, value: str | None = None) -> ConfigError:
    """The error with one problem."""
    return ConfigError([Problem(where, key, value, allowed)])


def show(value: object) -> str:
    """A value as an experiment file would have it, cut when it is long."""
    if isinstance(value, dict):
        return "a table"
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):  # integers of thousands of digits, lists of a thousand levels
        text = f"a {type(value).__name__}"
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
