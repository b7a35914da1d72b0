# SPDX-License-Identifier: BSD-3-Clause
"""JSON Schema (draft 2020-12) of TOML files, for editors and other programs.

A schema comes from the model that reads the file. It says less: rules that join several keys are the models'
own, so that a file which a schema takes may still be refused.
"""

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from nereus.config.quantities import AUTO

Schema = dict[str, Any]
DRAFT = "https://json-schema.org/draft/2020-12/schema"
_NULL = {"type": "null"}


def number_or_text(kind: str, most: float, texts: str) -> Schema:
    """Of a quantity: from 0, or a text with a unit."""
    return {"anyOf": [{"type": kind, "minimum": 0, "maximum": most}, {"type": "string", "pattern": texts}]}


def interval(least: float, most: float, texts: str) -> Schema:
    """Of the time between two: "auto", a number, or a text with a unit."""
    seconds = {"type": "number", "minimum": least, "maximum": most}
    return {"anyOf": [{"const": AUTO}, seconds, {"type": "string", "pattern": texts}]}


def not_needed(*keys: str) -> Callable[[Schema], None]:
    """For a model's `json_schema_extra`: what is filled in before its fields are looked at."""

    def change(schema: Schema) -> None:
        schema["required"] = [key for key in schema.get("required", []) if key not in keys]

    return change


def schema_of(model: type[BaseModel], title: str) -> Schema:
    """Of a file whose tables the model describes."""
    return {"$schema": DRAFT, "title": title, **_for_editors(model.model_json_schema())}


def _for_editors(node: Any) -> Any:
    """Ends of texts as ECMA 262 has them; no titles, which repeat the keys, and no null, which TOML lacks."""
    if isinstance(node, list):
        return [_for_editors(each) for each in node]
    if not isinstance(node, dict):
        return node
    made = {key: _for_editors(value) for key, value in node.items() if not _says_nothing(key, value)}
    if isinstance(made.get("pattern"), str):
        made["pattern"] = made["pattern"].replace("\\z", "$")
    choices = made.get("anyOf")
    if isinstance(choices, list) and _NULL in choices:
        made["anyOf"] = [each for each in choices if each != _NULL]
        if len(made["anyOf"]) == 1:
            made |= made.pop("anyOf")[0]
    return made


def _says_nothing(key: str, value: object) -> bool:
    return (key == "title" and isinstance(value, str)) or (key == "default" and value is None)
