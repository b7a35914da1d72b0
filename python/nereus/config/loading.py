# SPDX-License-Identifier: BSD-3-Clause
"""From a file, the environment and flags to one experiment that knows where each value came from."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nereus import printable
from nereus.config.document import Document, KeyPath, Place, parse_path, path_text
from nereus.config.errors import fail, show
from nereus.config.model import RESIZE_KEYS, Experiment
from nereus.config.proteo_codes import Codes
from nereus.config.proteo_ini import read_ini
from nereus.config.proteo_json import read_json
from nereus.config.rules import AMOUNTS, doubts_about
from nereus.config.toml_reader import read_experiment
from nereus.config.validation import place_of, validated

FROM_ENVIRONMENT: dict[str, KeyPath] = {
    "NEREUS_NAME": ("name",),
    "NEREUS_SEED": ("seed",),
    "NEREUS_BARRIER": ("barrier",),
    "NEREUS_CAPTURE": ("capture",),
    "NEREUS_VERIFY": ("verify",),
    "NEREUS_SCRATCH": ("scratch",),
    "NEREUS_MEMORY": ("data", "memory"),
}
SWITCHES = (("barrier",), ("verify",))
SWITCH = {"on": "true", "off": "false"}  # how the library's settings write the same variables
LARGEST_FILE = 16 * 1024 * 1024  # bytes; an experiment is a few kilobytes, more is another kind of file


@dataclass(frozen=True)
class Loaded:
    """An experiment and how it came about."""

    experiment: Experiment
    origins: dict[str, str]
    warnings: list[str]
    dialect: str


def load(
    path: Path,
    overrides: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
    *,
    proteo_codes: Codes | None = None,
) -> Loaded:
    """Read an experiment; a flag wins over the environment, that over the file, that over the defaults.

    overrides: values of flags by key path, as {"groups[1].ranks": "4"}; "resize.KEY" is for all groups.
    environment: the variables of FROM_ENVIRONMENT are read from it.
    proteo_codes: the code table of a Proteo file, when the choice by its shape is wrong.
    """
    path = Path(path)
    name = str(path)
    document = _read(_text(path, name), path, name, proteo_codes)
    _override_from_environment(document, environment or {})
    for key, value in (overrides or {}).items():
        _override_from_flag(document, key, value)
    document.tree.setdefault("name", _name_of(path))
    experiment = validated(document, name)
    _check_scratch(document, experiment, name)
    for doubt in doubts_about(experiment):
        place = place_of(document, doubt.path, name)
        document.warnings.append(printable(f"{place.where}: {place.key}: {doubt.message}"))
    return Loaded(experiment, _origins(document, experiment), document.warnings, document.dialect)


def _text(path: Path, name: str) -> str:
    try:
        if path.is_dir():
            raise fail(name, "is a folder; an experiment is a file")
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise fail(name, "there is no such file") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise fail(name, f"cannot be read: {reason}") from None
    if len(content) > LARGEST_FILE:
        raise fail(name, "is larger than 16 MiB; an experiment is smaller")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise fail(f"{name}:{line}", f"is not UTF-8 text: byte 0x{content[error.start]:02x}") from None


def _read(text: str, path: Path, name: str, codes: Codes | None) -> Document:
    suffix = path.suffix.lower()
    if suffix == ".toml":
        return read_experiment(text, name)
    if suffix == ".json":
        return read_json(text, name, codes)
    if suffix == ".ini":
        return read_ini(text, name, codes)
    raise fail(name, "the name of an experiment ends in .toml (ours), .json or .ini (Proteo's)")


def _name_of(path: Path) -> str:
    cleaned = re.sub(r"[^A-Za-z0-9._-]+", "-", path.stem).lstrip("._-")
    return cleaned[:64] or "experiment"


def _override_from_environment(document: Document, environment: Mapping[str, str]) -> None:
    for variable, path in FROM_ENVIRONMENT.items():
        if environment.get(variable):
            text = environment[variable]
            value = SWITCH.get(text, text) if path in SWITCHES else text
            _set(document, path, _value(value), Place(f"environment {variable}", path_text(path)))


def _override_from_flag(document: Document, key: str, text: str) -> None:
    path = parse_path(key)
    if path is None:
        raise fail("flag", "a key is written as groups[1].ranks", show(key), show(text))
    value = _value(text)
    if len(path) == 2 and path[0] == "resize" and path[1] in RESIZE_KEYS:
        groups = document.tree.get("groups")
        for index in range(len(groups) if isinstance(groups, list) else 0):
            _set(document, ("groups", index, path[1]), value, Place("flag", key))
        return
    _set(document, path, value, Place("flag", key))


def _value(text: str) -> object:
    """A value as TOML would read it; what is no TOML value is a text, so that no quotes are needed."""
    try:
        tree = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return tree["value"] if len(tree) == 1 else text


def _set(document: Document, path: KeyPath, value: object, place: Place) -> None:
    parent: Any = document.tree
    for at, part in enumerate(path):
        last = at == len(path) - 1
        if isinstance(part, str) and isinstance(parent, dict):
            if last:
                parent[part] = value
            else:
                if part not in parent:
                    document.places[path[: at + 1]] = place
                parent = parent.setdefault(part, {})
        elif isinstance(part, int) and isinstance(parent, list) and part < len(parent):
            if last:
                parent[part] = value
            else:
                parent = parent[part]
        else:
            raise fail(place.where, f"there is no {path_text(path[: at + 1])}", place.key, show(value))
    for known in [known for known in document.places if known[: len(path)] == path]:
        del document.places[known]
    document.places[path] = place


def _check_scratch(document: Document, experiment: Experiment, name: str) -> None:
    if experiment.scratch is None:
        return
    try:
        exists = Path(experiment.scratch).is_dir()
    except (OSError, ValueError):
        exists = False
    if not exists:
        where = place_of(document, ("scratch",), name).where
        raise fail(where, "the name of an existing folder", "scratch", show(experiment.scratch))


def _origins(document: Document, experiment: Experiment) -> dict[str, str]:
    return {path_text(path): _origin(document, path) for path in leaves(experiment.model_dump())}


def _origin(document: Document, path: KeyPath) -> str:
    share: KeyPath = ("data", "constant_percent")
    if path[:1] == ("data",) and path[-1] in AMOUNTS and share in document.places:
        return document.places[share].where
    if path in document.places:
        return document.places[path].where
    around = [document.places[path[:n]].where for n in range(1, len(path)) if path[:n] in document.places]
    # A table in the file says nothing about a key that is not in it; a flag may have set a whole table.
    return "flag" if "flag" in around else "default"


def leaves(value: object, path: KeyPath = ()) -> list[KeyPath]:
    """The paths of all single values and of lists of such, in the order of the model."""
    if isinstance(value, dict):
        return [leaf for key, below in value.items() for leaf in leaves(below, (*path, key))]
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [leaf for index, below in enumerate(value) for leaf in leaves(below, (*path, index))]
    return [path]
