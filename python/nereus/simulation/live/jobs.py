# SPDX-License-Identifier: BSD-3-Clause
"""How a job of a scenario is run, by which program; and what the daemon knows of it beforehand. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from nereus.policy.performance import Measured
from nereus.simulation.jobs import Scenario
from nereus.simulation.jobs.scenario import Job
from nereus.simulation.live.model import Live

#: Of its environment: the date of the first iteration. No option: jobs of one command line are one program,
#: whose times the daemon remembers.
START_AT = "NEREUS_START_AT"
_DOUBLE_BYTES = 8

Options = dict[str, str | float]


def file_of(job: Job) -> str:
    return f"{job.name}.bin"


@dataclass(frozen=True)
class Kind:
    """What iterations of a job are: their word in documents, its program, and the arguments of that.

    `starts_at_a_date`: it begins its first iteration at START_AT, so that it can be started before.
    """

    word: str
    program: str
    arguments: Callable[["Of"], list[str]]
    starts_at_a_date: bool = True


@dataclass(frozen=True)
class Of:
    """The job of this number, from 0, and the folder of its run."""

    scenario: Scenario
    live: Live
    number: int
    folder: Path

    @property
    def job(self) -> Job:
        return self.scenario.jobs[self.number]

    @property
    def io_bytes(self) -> float:
        return self.job.io_amount(self.scenario.storage.bandwidth)


def kind_of(live: Live, job: Job) -> Kind:
    if job.experiment is not None:
        return EMULATED
    return COMPUTES if job.name in live.jacobi else WAITS


def arguments_of(of: Of) -> list[str]:
    return [*kind_of(of.live, of.job).arguments(of), "--label", of.job.name]


def run_file(folder: Path, job: Job) -> Path:
    """Of an emulated application."""
    return folder / f"{job.name}.run.json"


def _of_waits(of: Of) -> list[str]:
    return _words(_options_of_waits(of) | {"--seed": of.scenario.seed * len(of.scenario.jobs) + of.number})


def _words(options: Options) -> list[str]:
    return [word for name, value in options.items() for word in (name, f"{value}")]


def _options_of_waits(of: Of) -> Options:
    job, live, amount = of.job, of.live, of.io_bytes
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


def _of_jacobi(of: Of) -> list[str]:
    return _words(_options_of_jacobi(of))


def _options_of_jacobi(of: Of) -> Options:
    """It writes whole copies of its solution: as many as come nearest."""
    job, live, amount = of.job, of.live, of.io_bytes
    equations = live.jacobi[job.name]
    options: Options = {"--size": equations, "--iterations": job.iterations, "--tolerance": 0}
    if job.io_every is None:
        return options
    copies = max(1, round(amount / (_DOUBLE_BYTES * equations)))
    file: Options = {"--write": file_of(job), "--copies": copies, "--piece": live.piece_bytes}
    return options | file | {"--write-every": job.io_every}


def _of_emulated(of: Of) -> list[str]:
    return [str(run_file(of.folder, of.job)), "--results", str(of.folder / f"{of.job.name}.jsonl")]


WAITS = Kind("waits", "nereus-phases", _of_waits)
COMPUTES = Kind("jacobi", "nereus-jacobi", _of_jacobi)
EMULATED = Kind("emulated", "nereus-emulator", _of_emulated, starts_at_a_date=False)


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
