# SPDX-License-Identifier: BSD-3-Clause
"""Reads a study file; what is wrong with it is said with file, line and key."""

from pathlib import Path

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from nereus.analysis.study.model import Application, Study
from nereus.config import ConfigError, Problem
from nereus.config.document import Document, KeyPath
from nereus.config.suggest import unknown_key
from nereus.config.text import text_of
from nereus.config.toml_reader import read_tables
from nereus.config.validation import problem_at


def load_study(path: Path, there: bool = True) -> Study:
    """Read a study file; a ConfigError of one line says what is wrong with it.

    `there`: experiment files that it names must be there; whoever runs them looks at what stands in them.
    """
    name = str(path)
    document = read_tables(text_of(path), name)
    try:
        study = Study.model_validate(document.tree)
    except ValidationError as error:
        # A misspelt key is told before the missing one that it should have been.
        errors = sorted(error.errors(), key=lambda details: details["type"] != "extra_forbidden")
        raise ConfigError([p for details in errors for p in _problems(document, details, name)]) from None
    missing = [
        problem_at(document, ("applications", index, "experiment"), "the name of a file that is there", name)
        for index, application in enumerate(study.applications)
        if there and application.experiment and not (path.parent / application.experiment).is_file()
    ]
    if missing:
        raise ConfigError(missing)
    return study


def _problems(document: Document, details: ErrorDetails, name: str) -> list[Problem]:
    path: KeyPath = tuple(part for part in details["loc"] if part != "function-after[_known(), str]")
    if details["type"] == "rules":
        return [problem_at(document, where, text, name) for where, text in details["ctx"]["findings"]]
    if details["type"] == "conflict":
        return [problem_at(document, path, details["ctx"]["text"], name)]
    return [problem_at(document, path, _allowed(details["type"], path), name)]


def _allowed(kind: str, path: KeyPath) -> str:
    in_application = path[0] == "applications" and len(path) > 2
    table: type[BaseModel] = Application if in_application else Study
    key = str(path[2] if in_application else path[0])
    if key not in table.model_fields:
        return unknown_key(key, list(table.model_fields))
    description = table.model_fields[key].description or f"a value of {key}"
    return f"is missing: {description}" if kind == "missing" else description
