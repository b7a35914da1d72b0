# SPDX-License-Identifier: BSD-3-Clause
"""Reads our own TOML files: the tables of any, and experiments, whose groups inherit from one of them."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from nereus.config.document import Document, KeyPath, Place, path_text
from nereus.config.errors import ConfigError, Problem, fail
from nereus.config.errors import show as show_value
from nereus.config.model import METHOD_KEYS, RESIZE_KEYS
from nereus.config.suggest import unknown_key
from nereus.config.toml_keys import MOST_PARTS, line_of_longest_key
from nereus.config.toml_lines import toml_lines

_AT_LINE = re.compile(r"(.*) \(at line (\d+), column \d+\)", re.DOTALL)
_AT_END = re.compile(r"(.*) \(at end of document\)", re.DOTALL)


def read_tables(text: str, name: str) -> Document:
    """The document in `text`; `name` is how messages call the file."""
    tree = _parse(text, name)
    lines = toml_lines(text)
    places = {path: Place(f"{name}:{line}", path_text(path)) for path, line in lines.items()}
    return Document("toml", tree, places)


def read_experiment(text: str, name: str) -> Document:
    """The same of an experiment (docs/formats/experiment.md)."""
    document = read_tables(text, name)
    _warn_of_first_methods(document)
    _inherit(document, name)
    return document


def _parse(text: str, name: str) -> dict[str, Any]:
    if (line := line_of_longest_key(text)) is not None:
        raise fail(f"{name}:{line}", f"TOML syntax: keys of up to {MOST_PARTS} parts are allowed")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, line = str(error), 1
        if match := _AT_LINE.fullmatch(message):
            message, line = match[1], int(match[2])
        elif match := _AT_END.fullmatch(message):
            message, line = f"{match[1]} at the end of the file", text.count("\n") + 1
        raise fail(f"{name}:{line}", f"TOML syntax: {message}") from None
    except RecursionError:
        raise fail(f"{name}:1", "TOML syntax: values are nested too deeply") from None
    except ValueError as error:  # a number with more digits than Python converts
        raise fail(f"{name}:1", f"TOML syntax: {error}") from None


def _inherit(document: Document, name: str) -> None:
    """Groups take what they do not say themselves from the table [resize]."""
    if "resize" not in document.tree:
        return
    common = document.tree.pop("resize")
    place = document.places.get(("resize",), Place(f"{name}:1", "resize"))
    if not isinstance(common, dict):
        raise fail(place.where, "a table with " + ", ".join(RESIZE_KEYS), "resize", show_value(common))
    problems = [
        _unknown(document, key, value, place) for key, value in common.items() if key not in RESIZE_KEYS
    ]
    if problems:
        raise ConfigError(problems)
    groups = document.tree.get("groups")
    for index, group in enumerate(groups if isinstance(groups, list) else []):
        for key, value in common.items():
            if isinstance(group, dict) and key not in group:
                group[key] = value
                path: KeyPath = ("groups", index, key)
                document.places[path] = document.places.get(("resize", key), place)


def _unknown(document: Document, key: str, value: object, place: Place) -> Problem:
    where = document.places.get(("resize", key), place).where
    return Problem(where, path_text(("resize", key)), show_value(value), unknown_key(key, RESIZE_KEYS))


def _warn_of_first_methods(document: Document) -> None:
    groups = document.tree.get("groups")
    if not isinstance(groups, list) or not groups or not isinstance(groups[0], dict):
        return
    for key in METHOD_KEYS:
        place = document.places.get(("groups", 0, key))
        if place is not None:
            document.warnings.append(
                f"{place.where}: {place.key}: of no effect, no resize leads to the first group"
            )
