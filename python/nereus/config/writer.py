# SPDX-License-Identifier: BSD-3-Clause
"""Writes an experiment as TOML that reads as a person would write it; loading it gives an equal model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nereus.config.model import (
    DEFAULT_GRANULARITY,
    DEFAULT_MESSAGE,
    METHOD_KEYS,
    Experiment,
    Group,
    Phase,
    Stage,
)

_DIGITS_IN_GROUPS = 100_000  # from here on numbers are written as 1_000_000

_AT_THE_END = {"protection", "failures"}


def write_toml(experiment: Experiment) -> str:
    """The text of an experiment file; keys that have their default value are left out."""
    top = experiment.model_dump(exclude_defaults=True, exclude={"data", "phases", "groups", *_AT_THE_END})
    common = _common(experiment.groups)
    parts = ["# docs/formats/experiment.md says what each key means.\n" + _lines(top)]
    data = experiment.data.model_dump(exclude_defaults=True)
    parts += ["[data]\n" + _lines(data)] if data else []
    parts += [_phase(phase) for phase in experiment.phases]
    parts += ["[resize]\n" + _lines(common)] if common else []
    *others, last = experiment.groups
    parts += [_group(group, common, {"iterations": group.iterations}) for group in others]
    parts.append(_group(last, common, {}))
    if experiment.protection is not None:
        parts.append("[protection]\n" + _lines(experiment.protection.model_dump(exclude_defaults=True)))
    parts += [
        "[[failures]]\n" + _lines(failure.model_dump(exclude_defaults=True))
        for failure in experiment.failures
    ]
    return "\n".join(parts)


def _common(groups: Iterable[Group]) -> dict[str, object]:
    """Resize settings that all groups share; worth a table of their own when they are not the defaults."""
    _, *resized = groups
    values = [{key: getattr(group, key) for key in METHOD_KEYS} for group in resized]
    if not values:
        return {}
    defaults = {key: field.get_default() for key, field in Group.model_fields.items()}
    return {
        key: value
        for key, value in values[0].items()
        if all(v[key] == value for v in values) and value != defaults[key]
    }


def _phase(phase: Phase) -> str:
    stages = ["[[phases.stages]]\n" + _lines(_stage(stage)) for stage in phase.stages]
    return "\n".join([f"[[phases]]\niterations = {_value(phase.iterations)}\n", *stages])


def _stage(stage: Stage) -> dict[str, object]:
    values = stage.model_dump(exclude_defaults=True)
    if stage.granularity == DEFAULT_GRANULARITY.get(stage.type, DEFAULT_MESSAGE):
        del values["granularity"]
    return values


def _group(group: Group, common: Mapping[str, object], needed: dict[str, object]) -> str:
    values = group.model_dump(exclude_defaults=True) | needed
    return "[[groups]]\n" + _lines({key: value for key, value in values.items() if key not in common})


def _lines(values: Mapping[str, object]) -> str:
    return "".join(f"{key} = {_value(value)}\n" for key, value in values.items())


def _value(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and value >= _DIGITS_IN_GROUPS:
        return f"{value:_}"
    return _quoted(value) if isinstance(value, str) else _plain(value)


def _quoted(text: str) -> str:
    from tomlkit import item  # most commands that read experiments write none

    return item(text).as_string()


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return repr(value)
