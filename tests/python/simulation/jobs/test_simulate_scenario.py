# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a scenario file that says what is wrong with it."""

import json
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest

from nereus.config import ConfigError
from nereus.policy.parameters import Parameters
from nereus.simulation.jobs import Scenario, load_scenario
from nereus.simulation.jobs.loading import _TABLES

ROOT = Path(__file__).parents[4]
JOB = '[cluster]\ncores = 4\n[[jobs]]\nname = "a"\nranks = 2\niterations = 3\n'
#: Beside these are workloads, which say so in their first line.
SCENARIOS = sorted(
    path
    for path in (ROOT / "examples" / "simulate").iterdir()
    if not path.read_text().startswith("#:schema ../../docs/schemas/workload.json")
)
GOOD = JOB + "time = { divided = 2.0 }\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[cluster]\ncores = 4\n",
            ":1: jobs: is missing: there is nothing to simulate without jobs and trace",
        ),
        (GOOD.replace("cores", "core"), ":2: cluster.core = 4: unknown key; did you mean cores?"),
        (GOOD.replace("ranks = 2", "ranks = 5"), ":5: jobs[0].ranks = 5: at most the 4 cores of the cluster"),
        (GOOD.replace("ranks = 2", "ranks = 0"), ":5: jobs[0].ranks = 0: a whole number from 1 to 10^7"),
        (GOOD.replace("iterations = 3\n", ""), ":3: jobs[0].iterations: is missing: a whole number"),
        (JOB, ":3: jobs[0].time: one of time and times says how long an iteration takes"),
        (JOB + "time = { fixed = 0.0 }\n", ":7: jobs[0].time = a table: a number above 0 in fixed"),
        (JOB + "time = { fix = 1.0 }\n", ":7: jobs[0].time.fix = 1.0: unknown key; did you mean fixed?"),
        (JOB + "times = [[2, 1.0], [1, 2.0]]\n", ":7: jobs[0].times[1] = [1, 2.0]: more ranks"),
        (JOB + "times = [[1.5, 1.0]]\n", ":7: jobs[0].times[0] = [1.5, 1.0]: [ranks, seconds"),
        (GOOD + "most = 1\n", ":8: jobs[0].most = 1: at least the 2 ranks that it starts with"),
        (GOOD + "io_every = 2\n", ":8: jobs[0].io_every = 2: goes with one of io_bytes and io_seconds"),
        (GOOD + "io_bytes = 2\n", ":8: jobs[0].io_bytes = 2: goes with io_every"),
        (
            GOOD + "[parameters]\nuncertain = 1\n",
            ":9: parameters.uncertain = 1: unknown key; did you mean unc",
        ),
        (GOOD + "[parameters]\nlease = -1\n", ":9: parameters.lease = -1: a number from 0"),
        (GOOD + '[trace]\nfile = "x.swf"\n', ":8: trace = a table: either this or [[jobs]]"),
        (
            '[cluster]\ncores = 4\n[trace]\nfile = "x.swf"\n',
            ':4: trace.file = "x.swf": the name of a file that',
        ),
        (
            GOOD + '[reconfiguration]\nseconds = 1\nmeasured = "e.jsonl"\n',
            ':10: reconfiguration.measured = "e.jsonl": either this, or seconds and per_rank',
        ),
        (
            GOOD + 'reconfiguration = { measured = "e.jsonl" }\n',
            ':8: jobs[0].reconfiguration.measured = "e.jsonl": the name of a file that is there, with events',
        ),
        (GOOD + GOOD[GOOD.index("[[") :], ':9: jobs[1].name = "a": another name'),
    ],
)
def test_errors_are_reported_with_line_key_and_allowed_values(
    scenario: Callable[[str], Scenario], tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        scenario(text)
    assert str(caught.value).startswith(f"{tmp_path / 'scenario.toml'}{said}")


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.name)
def test_shipped_scenario_can_be_read(path: Path) -> None:
    assert load_scenario(path).jobs


def test_policy_parameters_are_read_from_the_file(scenario: Callable[[str], Scenario]) -> None:
    tuned = scenario(GOOD + "[parameters]\nuncertainty = 0.5\nwindow = 3\n").tuned()
    assert tuned == Parameters(uncertainty=0.5, window=3)


def test_hosts_are_full_and_the_last_has_the_rest(scenario: Callable[[str], Scenario]) -> None:
    hosts = scenario(GOOD.replace("cores = 4", "cores = 10\ncores_per_host = 4")).cluster.hosts
    assert list(hosts.values()) == [4, 4, 2]


def test_measured_resize_times_are_read_from_events(
    scenario: Callable[[str], Scenario], tmp_path: Path
) -> None:
    took = [(2, 4, 0.5), (4, 2, 0.5), (4, 8, 0.7), (2, 4, 9.0), (8, 2, 0.9)]
    lines = [
        json.dumps({"event": "resized", "before": before, "ranks": ranks, "seconds": seconds})
        for before, ranks, seconds in took
    ]
    others = [
        '{"event": "resized", "before": 2, "ranks": 4, "seconds": null}',
        '{"event": "came"}',
        "[1]",
        "{",
    ]
    (tmp_path / "events.jsonl").write_text("\n".join([*others, *lines]))
    text = GOOD + 'reconfiguration = { measured = "events.jsonl" }\n'
    for found in (
        scenario(text).jobs[0].reconfiguration,
        scenario(GOOD + '[reconfiguration]\nmeasured = "events.jsonl"\n').reconfiguration,
    ):
        assert found is not None
        assert (found.seconds, found.per_rank) == pytest.approx((0.3, 0.1))


def test_every_key_is_explained_in_the_reference_page() -> None:
    page = (ROOT / "docs" / "formats" / "scenario.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"^\| `([^`]+)` \|", page, flags=re.MULTILINE))
    there = {(*path, key) for path, table in _TABLES.items() for key in table.model_fields}
    assert [".".join(key) for key in sorted(there) if ".".join(key) not in explained] == []


def test_every_parameter_is_explained_in_the_reference_page() -> None:
    page = (ROOT / "docs" / "formats" / "scenario.md").read_text(encoding="utf-8")
    assert [field.name for field in fields(Parameters) if f"| `{field.name}` |" not in page] == []
