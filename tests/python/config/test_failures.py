# SPDX-License-Identifier: BSD-3-Clause
"""Failures of an experiment, and what protects from them: what is allowed, and what becomes of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nereus.config import ConfigError, describe, load, write_toml

BODY = """\
[[phases]]
iterations = 100
[[phases.stages]]
type = "pi"
time = "2 ms"
[[groups]]
ranks = 2
"""
PROTECTION = '[protection]\nlevel = "memory"\n'
FAILURES = '[[failures]]\niteration = 30\n[[failures]]\niteration = 60\nwhat = "host"\nrank = 1\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "experiment.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_failures_and_protection_reach_the_run_file(tmp_path: Path) -> None:
    every = 'level = "disk"\nevery = "10 s"\nrecoveries = 2\n'
    run = load(written(tmp_path, f"{BODY}[protection]\n{every}{FAILURES}")).experiment.to_run()
    assert run["protection"] == {"level": "disk", "every": 10.0, "recoveries": 2}
    assert run["failures"] == [
        {"iteration": 30, "what": "rank", "rank": None},
        {"iteration": 60, "what": "host", "rank": 1},
    ]


def test_run_file_without_protection_is_as_it_was_before(tmp_path: Path) -> None:
    run = load(written(tmp_path, BODY)).experiment.to_run()
    assert "protection" not in run and "failures" not in run


def test_protection_has_defaults_and_needs_no_failures(tmp_path: Path) -> None:
    experiment = load(written(tmp_path, BODY + PROTECTION)).experiment
    assert experiment.to_run()["protection"] == {"level": "memory", "every": "auto", "recoveries": 3}
    assert experiment.to_run()["failures"] == []


@pytest.mark.parametrize(
    "text",
    [
        BODY + PROTECTION,
        BODY + PROTECTION + FAILURES,
        BODY + '[protection]\nlevel = "disk"\nevery = "250 ms"\nrecoveries = 7\n' + FAILURES,
        BODY + PROTECTION + "every = 1\n",
    ],
)
def test_written_experiment_has_the_same_failures(tmp_path: Path, text: str) -> None:
    experiment = load(written(tmp_path, text)).experiment
    assert load(written(tmp_path, write_toml(experiment))).experiment == experiment


def test_values_of_failures_are_described_with_their_lines(tmp_path: Path) -> None:
    path = written(tmp_path, BODY + PROTECTION + FAILURES)
    rows = {key: (value, origin) for key, value, origin in describe(load(path))}
    assert rows["protection.level"] == ("memory", f"{path}:9")
    assert rows["protection.every"] == ("auto", "default")
    assert rows["failures[1].what"] == ("host", f"{path}:14")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (FAILURES, "8: failures[0] = a table: needs a table [protection]: without it the job ends"),
        (PROTECTION + "recoveries = 1\n" + FAILURES, "13: failures[1] = a table: as many [[failures]] as"),
        (
            PROTECTION + FAILURES.replace("60", "30"),
            "13: failures[1].iteration = 30: above 30, that of the failure before",
        ),
        (
            PROTECTION + FAILURES.replace("60", "100"),
            "13: failures[1].iteration = 100: below 100, the number",
        ),
        (PROTECTION + FAILURES.replace("30", "0"), "11: failures[0].iteration = 0: a whole number from 1"),
        (PROTECTION + FAILURES.replace("host", "node"), '14: failures[1].what = "node": one of rank, host'),
        (PROTECTION + FAILURES.replace("= 1", "= -1"), "15: failures[1].rank = -1: a whole number from 0"),
        (PROTECTION + FAILURES.replace("what", "wat"), '14: failures[1].wat = "host": unknown key; did you'),
        (PROTECTION + "[[failures]]\n", "10: failures[0].iteration: is missing: a whole number from 1"),
        (PROTECTION.replace("memory", "tape"), '9: protection.level = "tape": one of memory, disk'),
        ("[protection]\n", "8: protection.level: is missing: one of memory, disk"),
        (PROTECTION + "every = 0\n", "10: protection.every = 0: auto, or seconds from 0.001 to 1e6"),
        (PROTECTION + "every = 0.0005\n", "10: protection.every = 0.0005: auto, or seconds from 0.001"),
        (PROTECTION + "every = true\n", "10: protection.every = true: auto, or seconds from 0.001"),
        (PROTECTION + "every = nan\n", "10: protection.every = NaN: auto, or seconds from 0.001"),
        (PROTECTION + 'every = "2000000 s"\n', '10: protection.every = "2000000 s": auto, or seconds'),
        (PROTECTION + 'every = "often"\n', '10: protection.every = "often": auto, or seconds from 0.001'),
        (PROTECTION + "every = [1]\n", "10: protection.every = [1]: auto, or seconds from 0.001"),
        (PROTECTION + "recoveries = -1\n", "10: protection.recoveries = -1: a whole number from 0"),
        (
            'release_unit = "rank"\n' + PROTECTION,
            '8: groups[0].release_unit = "rank": job or host with a table [protection]',
        ),
    ],
)
def test_what_cannot_be_is_one_line_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    path = written(tmp_path, BODY + text)
    with pytest.raises(ConfigError, match=re.escape(f"{path}:{said}")) as caught:
        load(path)
    assert len(caught.value.lines) == 1
