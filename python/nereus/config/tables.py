# SPDX-License-Identifier: BSD-3-Clause
"""Checks a document whose tables are models; what is wrong is said with file, line and key."""

from collections.abc import Mapping
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from nereus.config.document import Document, KeyPath
from nereus.config.errors import ConfigError, Problem
from nereus.config.suggest import unknown_key
from nereus.config.validation import problem_at

Model = TypeVar("Model", bound=BaseModel)
#: The model of each table by its keys; that of the whole file by none.
Tables = Mapping[tuple[str, ...], type[BaseModel]]


def validated_by(model: type[Model], tables: Tables, document: Document, name: str) -> Model:
    """The file's content. A rule of the model's own raises "rules", with its `findings`: paths and texts."""
    try:
        return model.model_validate(document.tree)
    except ValidationError as error:
        # A misspelt key is told before the missing one that it should have been.
        errors = sorted(error.errors(), key=lambda details: details["type"] != "extra_forbidden")
        problems = [each for details in errors for each in _problems(tables, document, details, name)]
        raise ConfigError(problems) from None


def _problems(tables: Tables, document: Document, details: ErrorDetails, name: str) -> list[Problem]:
    if details["type"] == "rules":
        return [problem_at(document, where, text, name) for where, text in details["ctx"]["findings"]]
    path: KeyPath = details["loc"]
    return [problem_at(document, path, _allowed(tables, details["type"], path), name)]


def _allowed(tables: Tables, kind: str, path: KeyPath) -> str:
    names = tuple(part for part in path if isinstance(part, str))
    if names[:-1] not in tables:  # below a list of numbers, or a table of them
        names = names[: next(length for length in range(len(names), 0, -1) if names[: length - 1] in tables)]
    table = tables[names[:-1]]
    if names[-1] not in table.model_fields:
        return unknown_key(names[-1], list(table.model_fields))
    description = table.model_fields[names[-1]].description or f"a value of {names[-1]}"
    return f"is missing: {description}" if kind == "missing" else description
