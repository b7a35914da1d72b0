# SPDX-License-Identifier: BSD-3-Clause
"""nereus schema - the JSON Schema of a TOML file, for editors."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated

import typer

from nereus.cli.messages import show_json
from nereus.config.schema import Schema, schema_of


class Kind(StrEnum):
    """Of a file."""

    EXPERIMENT = "experiment"
    STUDY = "study"
    SCENARIO = "scenario"
    WORKLOAD = "workload"
    ADAPTER = "adapter"


def schema(
    kind: Annotated[
        Kind,
        typer.Argument(
            metavar="experiment|study|scenario|workload|adapter", help="Of which files (docs/formats)."
        ),
    ],
) -> None:
    """Print the JSON Schema of experiments, studies, scenarios, workloads or adapters, for editors.

    The same is in docs/schemas. A file names it in its first line: #:schema PATH.

    Example: nereus schema experiment
    """
    show_json(SCHEMAS[kind]())


def _experiment() -> Schema:
    """Its name may be that of the file; groups have what is in the table resize."""
    from nereus.config.model import RESIZE_KEYS, Experiment

    made = schema_of(Experiment, "Experiment of Nereus: docs/formats/experiment.md")
    group = made["$defs"]["Group"]["properties"]
    made["properties"]["resize"] = {
        "description": "what groups do not say themselves",
        "type": "object",
        "additionalProperties": False,
        "properties": {key: group[key] for key in RESIZE_KEYS},
    }
    made["required"].remove("name")
    return made


def _study() -> Schema:
    from nereus.analysis.study.model import Study

    return schema_of(Study, "Study of Nereus: docs/formats/study.md")


def _scenario() -> Schema:
    """With the table that says how real jobs run it."""
    from nereus.simulation.jobs import Scenario
    from nereus.simulation.live.model import Live

    made = schema_of(Scenario, "Scenario of Nereus: docs/formats/scenario.md")
    live = schema_of(Live, "how real jobs run it")
    made["properties"]["live"] = {key: live[key] for key in ("type", "properties", "additionalProperties")}
    return made


def _workload() -> Schema:
    from nereus.simulation.workload.model import Workload

    return schema_of(Workload, "Workload of Nereus: docs/formats/workload.md")


def _adapter() -> Schema:
    from nereus.adapters import Adapter

    return schema_of(Adapter, "Adapter of Nereus: docs/formats/adapter.md")


SCHEMAS: Mapping[Kind, Callable[[], Schema]] = {
    Kind.EXPERIMENT: _experiment,
    Kind.STUDY: _study,
    Kind.SCENARIO: _scenario,
    Kind.WORKLOAD: _workload,
    Kind.ADAPTER: _adapter,
}
