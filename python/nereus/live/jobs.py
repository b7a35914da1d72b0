# SPDX-License-Identifier: BSD-3-Clause
"""How a job of a scenario is run: by nereus-phases; and what the daemon knows of it beforehand. Pure."""

from collections.abc import Sequence
from itertools import pairwise

from nereus.policy.performance import Measured
from nereus.simulate import Scenario
from nereus.simulate.scenario import Job

PROGRAM = "nereus-phases"
#: Of its environment: the date of the first iteration. No option: jobs of one command line are one program,
#: whose times the daemon remembers.
START_AT = "NEREUS_PHASES_START_AT"


def file_of(job: Job) -> str:
    return f"{job.name}.bin"


def arguments_of(scenario: Scenario, number: int, piece_bytes: int) -> list[str]:
    """Of the job of this number, from 0."""
    job = scenario.jobs[number]
    assert job.time is not None  # findings() says so
    options: dict[str, str | float] = {
        "--iterations": job.iterations,
        "--fixed": job.time.fixed,
        "--divided": job.time.divided,
        "--per-rank": job.time.per_rank,
        "--noise": job.noise,
        "--seed": scenario.seed * len(scenario.jobs) + number,
        "--file": file_of(job),
        "--bytes": max(8, round(job.io_amount(scenario.storage.bandwidth))),
        "--piece": piece_bytes,
    }
    if job.io_every is None:
        del options["--file"], options["--bytes"]
        return [*_words(options), "--label", job.name]
    return [*_words({**options, "--every": job.io_every}), "--label", job.name]


def _words(options: dict[str, str | float]) -> list[str]:
    return [word for name, value in options.items() for word in (name, f"{value}")]


def known_beforehand(job: Job) -> list[Measured]:
    """What a simulated job says when it comes."""
    model = job.model()
    return [Measured(ranks, model.seconds(ranks)) for ranks in job.profile]


def name_in(command: Sequence[str]) -> str | None:
    """Of the job whose command line this is."""
    for word, value in pairwise(command):
        if word == "--label":
            return value
    return None
