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


def test_what_is_stored_is_found_again(build: Build) -> None:
    costs = new_costs(build, [cost(), cost(strategy="blocking")])
    path = store_costs(build, costs)
    assert stored_costs(build).costs == costs
    assert stored_costs(build).path == path
    assert (costs.mpi, costs.library) == (build.name, build.library_version)


def test_where_nothing_was_measured_nothing_is_said(build: Build) -> None:
    stored = stored_costs(build)
    assert (stored.costs, stored.complaint) == (None, "")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "nereus-costs"}'])
def test_a_damaged_file_is_not_used_and_told_of(build: Build, text: str) -> None:
    path = store_costs(build, new_costs(build, [cost()]))
    path.write_text(text)
    stored = stored_costs(build)
    assert stored.costs is None
    assert stored.complaint.startswith(
        f"{path}: these costs of transfers cannot be read; run `nereus calibrate"
    )


def test_costs_of_an_older_installation_are_not_used(build: Build) -> None:
    store_costs(build, new_costs(build, [cost()]))
    build.description.write_text(build.description.read_text() + " ")
    stored = stored_costs(build)
    assert stored.costs is None
    assert "of another installation" in stored.complaint


def test_builds_have_costs_of_their_own(build: Build, tmp_path: Path) -> None:
    store_costs(build, new_costs(build, [cost()]))
    assert stored_costs(replace(build, prefix=tmp_path)).costs is None


def test_a_user_who_names_a_file_or_none_is_not_overruled(build: Build) -> None:
    store_costs(build, new_costs(build, [cost()]))
    assert usual_costs(build, (), {"NEREUS_COSTS": "/home/a/costs.json"}) is None
    assert usual_costs(build, (), {"NEREUS_COSTS": ""}) is None
    stored = usual_costs(build, (), {})
    assert stored is not None
    assert stored.costs is not None


def test_a_job_with_other_hosts_gets_no_costs_of_this_one(build: Build) -> None:
    assert usual_costs(build, (Host("localhost", 2),), {}) is not None
    assert usual_costs(build, (Host("localhost", 2), Host("elsewhere.invalid", 2)), {}) is None


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("bad", [-1.0, 1e300, math.inf, math.nan, None, "x"])
def test_numbers_that_no_machine_has_are_refused(name: str, bad: Any) -> None:
    with pytest.raises(ValidationError):
        cost(**{name: bad})


def test_one_way_twice_is_refused(build: Build) -> None:
    with pytest.raises(ValidationError):
        new_costs(build, [cost(), cost()])


def test_the_file_has_what_the_library_reads(build: Build) -> None:
    document = json.loads(store_costs(build, new_costs(build, [cost()])).read_text())
    assert (document["format"], document["version"]) == ("nereus-costs", 1)
    assert document["library"] == build.library_version
    assert set(document["costs"][0]) == {"method", "strategy", *NUMBERS}


def test_the_age_is_never_below_nothing() -> None:
    made = datetime.now(UTC) + timedelta(days=1)
    assert Costs(mpi="a", library="b", host="c", made=made, costs=()).age == timedelta()
