# SPDX-License-Identifier: BSD-3-Clause
"""How a job of a scenario is run, by which program; and what the daemon knows of it beforehand. Pure."""

from collections.abc import Sequence
from itertools import pairwise

from nereus.policy.performance import Measured
from nereus.simulation.jobs import Scenario
from nereus.simulation.jobs.scenario import Job
from nereus.simulation.live.model import Live

#: Iterations are waits, or those of Jacobi's method.
WAITS, COMPUTES = "nereus-phases", "nereus-jacobi"
#: Of its environment: the date of the first iteration. No option: jobs of one command line are one program,
#: whose times the daemon remembers.
START_AT = "NEREUS_START_AT"
_DOUBLE_BYTES = 8

Options = dict[str, str | float]


def file_of(job: Job) -> str:
    return f"{job.name}.bin"


def program_of(live: Live, job: Job) -> str:
    return COMPUTES if job.name in live.jacobi else WAITS


def arguments_of(scenario: Scenario, live: Live, number: int) -> list[str]:
    """Of the job of this number, from 0."""
    job = scenario.jobs[number]
    amount = job.io_amount(scenario.storage.bandwidth)
    if program_of(live, job) == COMPUTES:
        options = _of_jacobi(job, live, amount)
    else:
        options = _of_waits(job, live, amount) | {"--seed": scenario.seed * len(scenario.jobs) + number}
    return [word for name, value in {**options, "--label": job.name}.items() for word in (name, f"{value}")]


def _of_waits(job: Job, live: Live, amount: float) -> Options:
    assert job.time is not None  # findings() says so
    options: Options = {
        "--iterations": job.iterations,
        "--fixed": job.time.fixed,
        "--divided": job.time.divided,
        "--per-rank": job.time.per_rank,
        "--noise": job.noise,
    }
    if job.io_every is None:
        return options
    file: Options = {"--file": file_of(job), "--bytes": max(8, round(amount)), "--piece": live.piece_bytes}
    return options | file | {"--every": job.io_every}


def _of_jacobi(job: Job, live: Live, amount: float) -> Options:
    """It writes whole copies of its solution: as many as come nearest."""
    equations = live.jacobi[job.name]
    options: Options = {"--size": equations, "--iterations": job.iterations, "--tolerance": 0}
    if job.io_every is None:
        return options
    copies = max(1, round(amount / (_DOUBLE_BYTES * equations)))
    file: Options = {"--write": file_of(job), "--copies": copies, "--piece": live.piece_bytes}
    return options | file | {"--write-every": job.io_every}


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
