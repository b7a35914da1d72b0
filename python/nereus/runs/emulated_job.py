# SPDX-License-Identifier: BSD-3-Clause
"""The job of an experiment, and those that continue it after failures."""

import json
import math
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from nereus.analysis.report import Progress
from nereus.analysis.report.energy import FILE_NAME as ENERGY
from nereus.analysis.report.epoch_costs import FILE_NAME as MEASURED
from nereus.analysis.report.reader import FILE_NAME as RESULTS
from nereus.config import Experiment
from nereus.launch import PROTECT_FOLDER, Build, Outcome
from nereus.launch.energy import PackageEnergy
from nereus.probe import Joining
from nereus.runs.ending import Ending
from nereus.runs.error import RunError
from nereus.runs.recovering import Attempt, Recovering, memory_epochs_for
from nereus.runs.recovery import Recoveries
from nereus.runs.results_file import drop_part_of_line, failures_in
from nereus.runs.saving import Saving
from nereus.runs.where import USUAL_HEARTBEAT_TIMEOUT, Where, founding
from nereus.supervisor import Job, MemoryEpochs, NameClaim, Supervision

RUN_FILE = "run.json"
_PROGRAM = "nereus-emulator"


@dataclass(frozen=True)
class Ended:
    """A job that is over: how it ended, or None when it was stopped, and what its programs complained of."""

    outcome: Outcome | None
    complaints: list[str]


@dataclass(frozen=True)
class Means:
    """What an experiment runs with: an MPI, hosts, and whether newcomers can join."""

    build: Build
    where: Where
    join: Joining


@dataclass
class EmulatedJob:
    """In a results folder that has the run file."""

    experiment: Experiment
    means: Means
    folder: Path
    progress: Progress
    stopped: Callable[[], bool]
    _energy: PackageEnergy = field(default_factory=PackageEnergy)
    #: How many jobs there were; how many failures of the experiment before the latest of them.
    _jobs: int = 0
    _failures_before: int = 0
    #: Of the latest job; of those before, with how they failed.
    _complaints: list[str] = field(default_factory=list)
    _earlier: list[str] = field(default_factory=list)

    def run(self, scratch: Path) -> Ended:
        """To its end; epochs on disk lie in a folder of `scratch`, for so long."""
        recoveries = self.experiment.protection.recoveries if self.experiment.protection is not None else 0
        again = Recoveries(recoveries, math.inf)
        with self._saving(scratch) as saving, memory_epochs_for(saving, "protection.level = memory") as kept:
            recovering = Recovering(again, kept, self.stopped, self._note_failure, self._note)
            timeout = USUAL_HEARTBEAT_TIMEOUT if recoveries > 0 else 0.0
            where = replace(self.means.where, heartbeat_timeout=timeout)
            first = Attempt(where, self.experiment.groups[0].ranks, saving)
            ending = recovering.run(None, _PROGRAM, first, partial(self._once, kept))
        self._keep_energy()
        return Ended(ending.outcome, [*self._earlier, *self._complaints])

    def _once(self, kept: MemoryEpochs | None, attempt: Attempt, claim: NameClaim) -> Ending:
        self._jobs += 1
        output = self.folder / ("output.txt" if self._jobs == 1 else f"output-{self._jobs}.txt")
        drop_part_of_line(self._results)
        self._failures_before = failures_in(self._results)
        with Job(self._supervision(kept, attempt), output, claim) as job:
            self.progress.follow(
                self._results, lambda: job.running() and not self.stopped(), self._attend(job)
            )
            outcome = None if job.running() else job.outcome()
        self._complaints = _complaints(job.text())
        if output.exists() and output.stat().st_size == 0:
            output.unlink()
        return Ending(outcome, job.stopped, job.was_opened, job.ranks, job.lost_hosts, job.hosts)

    def _supervision(self, kept: MemoryEpochs | None, attempt: Attempt) -> Supervision:
        founders, settings = founding(attempt.ranks, self.experiment.groups[0].release_unit)
        settings["NEREUS_MAX_RANKS"] = str(self.experiment.max_ranks)  # no more are made
        arguments = [str(self.folder / RUN_FILE), "--results", str(self._results)]
        protection = self.experiment.protection
        if protection is not None:
            settings |= attempt.saving.settings
            settings[PROTECT_FOLDER] = str(kept.folder) if kept is not None else ""
            settings["NEREUS_RESULTS"] = str((self.folder / MEASURED).absolute())
            arguments += ["--failures-done", str(self._failures_before)]
        program = self.means.build.program(_PROGRAM)
        start = attempt.where.supervision(
            self.means.build, program, tuple(arguments), founders, self.means.join, settings
        )
        recovers = protection is not None and protection.recoveries > 0
        return replace(start, launch=replace(start.launch, recovers=recovers), memory_epochs=kept)

    @contextmanager
    def _saving(self, scratch: Path) -> Iterator[Saving]:
        protection = self.experiment.protection
        if protection is None:
            yield Saving()
            return
        every = protection.every if isinstance(protection.every, str) else repr(protection.every)
        if protection.level == "memory":
            yield Saving(protect_every=every)
            return
        try:
            made = tempfile.TemporaryDirectory(prefix="nereus-epochs-", dir=scratch)
        except OSError as problem:
            raise RunError(f"scratch = {scratch}: cannot be written: {problem.strerror}") from problem
        with made as folder:
            yield Saving(Path(folder), every)

    @property
    def _results(self) -> Path:
        return self.folder / RESULTS

    def _attend(self, job: Job) -> Callable[[float], None]:
        def attend(seconds: float) -> None:
            job.attend(seconds)
            self._energy.look()

        return attend

    def _note_failure(self, text: str) -> None:
        """What the experiment plans is no complaint, nor is what is left of a job then."""
        if failures_in(self._results) == self._failures_before:
            self._earlier += [*self._complaints, f"nereus: {text}"]

    def _note(self, text: str) -> None:
        self._complaints.append(f"nereus: {text}")

    def _keep_energy(self) -> None:
        """What this host used meanwhile, where that can be read."""
        used = self._energy.look()
        if used is not None:
            with suppress(OSError):  # a full disk: the run's own results are there
                (self.folder / ENERGY).write_text(json.dumps(used.document()) + "\n", encoding="utf-8")


def _complaints(text: str) -> list[str]:
    """What our own programs said; the rest of the output, the launcher's banners, stays in its file."""
    return [line for line in text.splitlines() if line.startswith("nereus")]
