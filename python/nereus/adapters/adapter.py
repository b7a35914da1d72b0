# SPDX-License-Identifier: BSD-3-Clause
"""The model of an adapter's file; a field's description says what is allowed, and messages repeat it.

Format: docs/formats/adapter.md.
"""

import re
from pathlib import Path
from signal import Signals
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from nereus.config.quantities import SECONDS_TEXTS, seconds_of
from nereus.config.schema import number_or_text
from nereus.config.tables import Tables, validated_by
from nereus.config.text import text_of
from nereus.config.toml_reader import read_tables

_NOT_CAUGHT = ("KILL", "STOP")
_SIGNALS = sorted({each.name.removeprefix("SIG") for each in Signals} - {*_NOT_CAUGHT})
_TIME = 'a time from 0 to 86400 s, as 60 or "10 min"'
_FILE = "the name of a file, in the program's working folder or with its whole path"

_STABLE_AFTER, _PROGRESS_WITHIN = 2.0, 60.0

_MOST_SECONDS = 86_400.0
Seconds = Annotated[
    float,
    BeforeValidator(seconds_of),
    Field(ge=0, le=_MOST_SECONDS),
    WithJsonSchema(number_or_text("number", _MOST_SECONDS, SECONDS_TEXTS)),
]
FileName = Annotated[str, Field(min_length=1, max_length=4096, pattern=r"^[^\x00]+$")]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class Save(_Part):
    """How the program is asked to save and to end, and how it is known that it did."""

    signal: str | None = Field(None, description=f"one of {', '.join(_SIGNALS)}")
    request_file: FileName | None = Field(None, description=_FILE)
    files: list[FileName] = Field(
        min_length=1, max_length=100, description="a list of names of files, or of patterns such as state.*"
    )
    exit_codes: list[Annotated[int, Field(ge=0, le=255)]] = Field(
        [0], min_length=1, description="a list of numbers from 0 to 255"
    )
    within: Seconds = Field(60.0, description=_TIME)

    @property
    def number(self) -> Signals | None:
        """The signal that asks for it."""
        return Signals[f"SIG{self.signal}"] if self.signal is not None else None


class Restart(_Part):
    """How the program goes on from what it saved."""

    arguments: list[Annotated[str, Field(pattern=r"^[^\x00]*$")]] = Field(
        [], max_length=1000, description="a list of texts"
    )
    stable_after: Seconds | None = Field(None, description=_TIME)


class Progress(_Part):
    """Where the program says how far it is."""

    file: FileName = Field(description=_FILE)
    pattern: str = Field(
        min_length=1, max_length=1000, description="a regular expression with one group, of digits"
    )


class Adapter(_Part):
    save: Save = Field(description="a table with signal or request_file, files, exit_codes, within")
    restart: Restart = Field(Restart(), description="a table with arguments, stable_after")
    progress: Progress | None = Field(None, description="a table with file, pattern")

    @property
    def stable_after(self) -> float:
        """Seconds after which a program that has not failed counts as running, also where it does not say how
        far it is.
        """
        usual = _STABLE_AFTER if self.progress is None else _PROGRESS_WITHIN
        return usual if self.restart.stable_after is None else self.restart.stable_after

    @model_validator(mode="after")
    def _rules(self) -> Self:
        if found := self._findings():
            raise PydanticCustomError("rules", "findings", {"findings": found})
        return self

    def _findings(self) -> list[tuple[tuple[str, ...], str]]:
        found: list[tuple[tuple[str, ...], str]] = []
        if (self.save.signal is None) == (self.save.request_file is None):
            found.append((("save",), "needs signal or request_file, and not both"))
        if self.save.signal is not None and self.save.signal not in _SIGNALS:
            found.append((("save", "signal"), f"one of {', '.join(_SIGNALS)}"))
        if self.progress is not None and not _has_one_group(self.progress.pattern):
            found.append((("progress", "pattern"), "a regular expression with one group, of digits"))
        return found


def load_adapter(path: Path) -> Adapter:
    """ConfigError says what is wrong with it, with file, line and key."""
    document = read_tables(text_of(path), str(path))
    return validated_by(Adapter, _TABLES, document, str(path))


def _has_one_group(pattern: str) -> bool:
    try:
        return re.compile(pattern).groups == 1
    except (re.error, OverflowError, RecursionError):
        return False


_TABLES: Tables = {(): Adapter, ("save",): Save, ("restart",): Restart, ("progress",): Progress}
