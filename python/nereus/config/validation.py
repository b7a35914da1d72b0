# SPDX-License-Identifier: BSD-3-Clause
"""Turns a document into the model, and what pydantic has to say into lines that name file, line and key."""

from __future__ import annotations

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from nereus.config.document import Document, KeyPath, Place, path_text
from nereus.config.errors import ConfigError, Problem, show
from nereus.config.model import Data, Experiment, Failure, Group, Phase, Protection, Stage
from nereus.config.suggest import unknown_key

_TABLES: dict[tuple[str, ...], type[BaseModel]] = {
    (): Experiment,
    ("data",): Data,
    ("phases",): Phase,
    ("phases", "stages"): Stage,
    ("groups",): Group,
    ("protection",): Protection,
    ("failures",): Failure,
}


def validated(document: Document, name: str) -> Experiment:
    """The experiment that the document describes."""
    missing = _missing_iterations(document, name)
    try:
        experiment = Experiment.model_validate(document.tree)
    except ValidationError as error:
        # A misspelt key is told before the missing one that it should have been.
        errors = sorted(error.errors(), key=lambda details: details["type"] != "extra_forbidden")
        problems = [p for details in errors for p in _problems(document, details, name)]
        raise ConfigError(problems + missing) from None
    if missing:
        raise ConfigError(missing)
    return experiment


def place_of(document: Document, path: KeyPath, name: str) -> Place:
    """The place of `path`, or the line of the nearest table around it with its full key."""
    if path in document.places:
        return document.places[path]
    for length in range(len(path) - 1, 0, -1):
        around = document.places.get(path[:length])
        if around is not None:
            return Place(around.where, f"{around.key}{_below(path[length:])}")
    return Place(f"{name}:1", path_text(path))


def _below(path: KeyPath) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)


def _problems(document: Document, details: ErrorDetails, name: str) -> list[Problem]:
    if details["type"] == "rules":
        findings = details["ctx"]["problems"]
        return [problem_at(document, finding.path, finding.message, name) for finding in findings]
    path: KeyPath = details["loc"]
    if details["type"] == "conflict":
        return [problem_at(document, path, details["ctx"]["text"], name)]
    return [problem_at(document, path, _allowed(details["type"], path), name)]


def problem_at(document: Document, path: KeyPath, allowed: str, name: str) -> Problem:
    """What is wrong at `path`, with its line and what stands there."""
    place = place_of(document, path, name)
    found, value = _found(document, path)
    return Problem(place.where, place.key, place.value or (show(value) if found else None), allowed)


def _found(document: Document, path: KeyPath) -> tuple[bool, object]:
    value: object = document.tree
    for part in path:
        is_key = isinstance(value, dict) and part in value
        is_index = isinstance(value, list) and isinstance(part, int) and part < len(value)
        if not is_key and not is_index:
            return False, None
        value = value[part]  # type: ignore[index]
    return True, value


def _allowed(kind: str, path: KeyPath) -> str:
    names = tuple(part for part in path if isinstance(part, str))
    if kind == "extra_forbidden":
        table = _TABLES[names[:-1]]
        known = list(table.model_fields) + (["resize"] if table is Experiment else [])
        return unknown_key(names[-1], known)
    description = _description(path, names)
    return f"is missing: {description}" if kind == "missing" else description


def _description(path: KeyPath, names: tuple[str, ...]) -> str:
    if names in _TABLES and isinstance(path[-1], int):
        return f"a table with {', '.join(_TABLES[names].model_fields)}"
    field = _TABLES[names[:-1]].model_fields[names[-1]]
    return field.description or f"a value of {names[-1]}"


def _missing_iterations(document: Document, name: str) -> list[Problem]:
    """Only the last group may leave out its iterations: it goes on to the end of the run."""
    groups = document.tree.get("groups")
    tables = groups[:-1] if isinstance(groups, list) else []
    paths: list[KeyPath] = [
        ("groups", index, "iterations")
        for index, group in enumerate(tables)
        if isinstance(group, dict) and "iterations" not in group
    ]
    text = "is missing: iterations before the next resize is asked for; only the last group needs none"
    return [problem_at(document, path, text, name) for path in paths]
