# SPDX-License-Identifier: BSD-3-Clause
"""Costs of transfers: what is stored is handed to jobs only where it is whole, and of this installation."""

import json
import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from nereus.bench import stored_costs, usual_costs
from nereus.bench.costs import Cost, Costs, new_costs, store_costs
from nereus.launch import Build, Host

NUMBERS = ("fixed_seconds", "seconds_per_array", "seconds_per_byte", "pause_seconds", "omega", "deviation")


def cost(**changes: Any) -> Cost:
    numbers = dict.fromkeys(NUMBERS, 0.5) | {"omega": 1.5}
    return Cost.model_validate({"method": "p2p", "strategy": "thread", **numbers, **changes})


@pytest.fixture
def build(stage: Any) -> Build:
    assert isinstance(stage.build, Build)
    return stage.build


def test_stored_costs_are_read_back(build: Build) -> None:
    costs = new_costs(build, [cost(), cost(strategy="blocking")])
    path = store_costs(build, costs)
    assert stored_costs(build).costs == costs
    assert stored_costs(build).path == path
    assert (costs.mpi, costs.library) == (build.name, build.library_version)


def test_without_measurement_there_is_no_complaint(build: Build) -> None:
    stored = stored_costs(build)
    assert (stored.costs, stored.complaint) == (None, "")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "nereus-costs"}'])
def test_damaged_file_is_ignored_and_reported(build: Build, text: str) -> None:
    path = store_costs(build, new_costs(build, [cost()]))
    path.write_text(text)
    stored = stored_costs(build)
    assert stored.costs is None
    assert stored.complaint.startswith(
        f"{path}: these costs of transfers cannot be read; run `nereus calibrate"
    )


def test_costs_of_an_older_installation_are_ignored(build: Build) -> None:
    store_costs(build, new_costs(build, [cost()]))
    build.description.write_text(build.description.read_text() + " ")
    stored = stored_costs(build)
    assert stored.costs is None
    assert "of another installation" in stored.complaint


def test_each_build_has_its_own_costs(build: Build, tmp_path: Path) -> None:
    store_costs(build, new_costs(build, [cost()]))
    assert stored_costs(replace(build, prefix=tmp_path)).costs is None


def test_file_named_by_the_user_takes_precedence(build: Build) -> None:
    store_costs(build, new_costs(build, [cost()]))
    assert usual_costs(build, (), {"NEREUS_COSTS": "/home/a/costs.json"}) is None
    assert usual_costs(build, (), {"NEREUS_COSTS": ""}) is None
    stored = usual_costs(build, (), {})
    assert stored is not None
    assert stored.costs is not None


def test_job_on_other_hosts_gets_no_costs_of_this_host(build: Build) -> None:
    assert usual_costs(build, (Host("localhost", 2),), {}) is not None
    assert usual_costs(build, (Host("localhost", 2), Host("elsewhere.invalid", 2)), {}) is None


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("bad", [-1.0, 1e300, math.inf, math.nan, None, "x"])
def test_impossible_numbers_are_refused(name: str, bad: Any) -> None:
    with pytest.raises(ValidationError):
        cost(**{name: bad})


def test_duplicate_method_is_refused(build: Build) -> None:
    with pytest.raises(ValidationError):
        new_costs(build, [cost(), cost()])


def test_file_has_the_keys_the_library_reads(build: Build) -> None:
    document = json.loads(store_costs(build, new_costs(build, [cost()])).read_text())
    assert (document["format"], document["version"]) == ("nereus-costs", 1)
    assert document["library"] == build.library_version
    assert set(document["costs"][0]) == {"method", "strategy", *NUMBERS}


def test_age_is_never_negative() -> None:
    made = datetime.now(UTC) + timedelta(days=1)
    assert Costs(mpi="a", library="b", host="c", made=made, costs=()).age == timedelta()
