# SPDX-License-Identifier: BSD-3-Clause
"""Options that say how one resize is carried out: one for each row of the table (src/base/methods.toml)."""

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Annotated, Any, Literal

import typer

from nereus.methods import RESIZE_OPTIONS, allowed

#: Names of options that were given, and their values as the job reads them.
GivenOptions = dict[str, str]


def takes_resize_options(command: Callable[..., None]) -> Callable[..., None]:
    """Has the command's parameter `options` filled from an option for each row."""
    signature = inspect.signature(command, eval_str=True)
    parameters: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        parameters += map(_parameter, RESIZE_OPTIONS) if parameter.name == "options" else [parameter]

    @wraps(command)
    def with_options(**values: Any) -> None:
        given = {row["name"]: _text(values.pop(_variable(row))) for row in RESIZE_OPTIONS}
        command(**values, options={name: text for name, text in given.items() if text is not None})

    with_options.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {one.name: one.annotation for one in parameters}
    return with_options


def _variable(row: Mapping[str, str]) -> str:
    return row["name"].replace("-", "_")


def _parameter(row: Mapping[str, str]) -> inspect.Parameter:
    help_text = f"{row['help'][0].upper()}{row['help'][1:]}."
    if row["values"] == "switch":
        kind: Any = Annotated[bool, typer.Option(f"--{row['name']}", help=help_text)]
    elif row["values"] == "process_strategies":
        metavar = "auto|none|WORD+WORD"
        kind = Annotated[str | None, typer.Option(metavar=metavar, help=help_text, show_default=False)]
    else:
        words: Any = Literal[allowed(row["values"])]
        kind = Annotated[words | None, typer.Option(help=help_text, show_default=False)]
    default = False if row["values"] == "switch" else None
    return inspect.Parameter(
        _variable(row), inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=kind
    )


def _text(value: str | bool | None) -> str | None:
    """None: it was not given."""
    if value is None or value is False:
        return None
    return "on" if value is True else value
