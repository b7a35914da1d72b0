# SPDX-License-Identifier: BSD-3-Clause
"""Reads a scenario that is run live; what is wrong with it is said with file, line and key."""

from pathlib import Path

from pydantic import ValidationError

from nereus.config import ConfigError
from nereus.config.document import Document
from nereus.config.suggest import unknown_key
from nereus.config.text import text_of
from nereus.config.toml_reader import read_tables
from nereus.config.validation import problem_at
from nereus.simulation.jobs import load_scenario
from nereus.simulation.live.marked import TABLE
from nereus.simulation.live.model import Live, Study, findings


def load_live(path: Path) -> Study:
    """Without a table [live] its defaults hold. A ConfigError of one line says what is wrong."""
    name, text = str(path), text_of(path)
    scenario = load_scenario(path)
    document = read_tables(text, name)
    live = _live(document, name)
    problems = [problem_at(document, where, allowed, name) for where, allowed in findings(scenario, live)]
    if problems:
        raise ConfigError(problems)
    return Study(path.stem, text, scenario, live)


def _live(document: Document, name: str) -> Live:
    try:
        return Live.model_validate(document.tree.get(TABLE, {}))
    except ValidationError as error:
        problems = []
        for details in sorted(error.errors(), key=lambda each: each["type"] != "extra_forbidden"):
            key = str(details["loc"][0])
            field = Live.model_fields.get(key)
            allowed = unknown_key(key, list(Live.model_fields)) if field is None else field.description or ""
            problems.append(problem_at(document, (TABLE, *details["loc"]), allowed, name))
        raise ConfigError(problems) from None
