# SPDX-License-Identifier: BSD-3-Clause
"""Makes the runs of a study: programs of the user's and emulations, each in a folder of its own."""

import shutil
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import nereus
from nereus import UserError
from nereus.analysis.report import Progress
from nereus.analysis.report.reader import FILE_NAME
from nereus.analysis.study import (
    Application,
    Planned,
    Record,
    Store,
    Study,
    StudyError,
    Variant,
    measure,
    model_runs,
    original,
)
from nereus.analysis.study.emulation import fixed, joined, resized
from nereus.analysis.study.plan import median_run
from nereus.analysis.study.store import attempt_folder
from nereus.analysis.study.variants import common_memory, variant
from nereus.config import ConfigError, Experiment, emulation_of, load, write_toml
from nereus.launch import Build, Outcome, cores
from nereus.methods.strategies import in_a_word
from nereus.runs.emulated_job import Means
from nereus.runs.experiment import run as run_experiment
from nereus.runs.where import Warn
from nereus.supervisor import Job

_ATTEND_SECONDS = 0.05
_NO_PROGRESS = partial(Progress, quiet=True)


def check_programs(study: Study, file: Path, build: Build, warn: Warn) -> None:
    """Refuse a study whose programs or experiments are not there or cannot be read; nothing was started.

    `warn` is told which experiments are for another MPI than `build`.
    """
    for application in study.applications:
        if application.command is not None:
            _program(application.command[0], file, build)
        elif application.experiment is not None:
            experiment = load(file.parent / application.experiment).experiment
            if experiment.failures:
                raise StudyError(
                    f"{file}: experiment = {application.experiment}: runs of a study have no failures"
                )
            warn(_doubts(experiment, application.experiment, build))
    if not all(application.real for application in study.applications):
        build.program("nereus-emulator")


def _doubts(experiment: Experiment, name: str, build: Build) -> list[str]:
    """All runs of a study have the MPI that it was started for: figures of several could not be compared."""
    if experiment.mpi in (None, build.name):
        return []
    return [f"{name}: mpi = {experiment.mpi}: this study runs it with {build.name} (--mpi)"]


def _program(name: str, file: Path, build: Build) -> Path:
    """Without a slash one of the MPI build's, else one in PATH; others are relative to the file's folder."""
    if "/" in name:
        found = shutil.which(file.parent / name)
    else:
        found = shutil.which(build.prefix / "bin" / name) or shutil.which(name)
    if found is None:
        raise StudyError(f"{file}: command = {name}: there is no such program that can be executed")
    # Absolute, because launchers look for names without a slash in PATH only.
    return Path(found).absolute()


@dataclass
class Runner:
    """Makes runs of one study and notes their outcomes."""

    study: Study
    file: Path
    means: Means
    store: Store
    stopped: Callable[[], bool]
    _experiments: dict[Path, Experiment] = field(default_factory=dict)

    def make(self, runs: Iterable[Planned]) -> Iterator[tuple[Planned, Record]]:
        """Make each once, and tell of each as soon as it is over. Ends early when stopped."""
        self._note_start()
        for planned in runs:
            record = self.run(planned)
            if record is None:
                return
            yield planned, record

    def _note_start(self) -> None:
        build = self.means.build
        about = {"host": socket.gethostname(), "cores": cores(), "mpi": build.name}
        started = {"started": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}", "nereus_version": nereus.__version__}
        self.store.write({"event": "started", **started, **about, "library": build.library_version})

    def run(self, planned: Planned) -> Record | None:
        """Make a run and note its outcome; None when it was stopped, then nothing is noted."""
        attempt, folder = self.store.new_attempt(planned.name)
        begin = time.monotonic()
        reason = self._fate(planned, folder)
        if self.stopped():
            return None
        record = Record(planned.name, attempt, not reason, reason, time.monotonic() - begin)
        self.store.add(record)
        return record

    def _fate(self, planned: Planned, folder: Path) -> str:
        """Why the run is not good; "" for a good one."""
        application = self.study.application(planned.application)
        deadline = time.monotonic() + self.study.timeout
        over = _Until(self.stopped, deadline)
        try:
            outcome = (self._real if application.real else self._emulated)(application, planned, folder, over)
            if outcome is None:
                return f"did not end within {self.study.timeout:g} s"
            if not outcome.good:
                return f"{outcome.text}{_last_words(folder)}"
            measure(folder, planned)
        except UserError as error:
            return str(error)
        return ""

    def _real(
        self, application: Application, planned: Planned, folder: Path, over: Callable[[], bool]
    ) -> Outcome | None:
        command = command_of(application, planned)
        program = _program(command[0], self.file, self.means.build)
        settings = {"NEREUS_RESULTS": str((folder / FILE_NAME).absolute())}
        if planned.variant is not None:
            way = variant(planned.variant)
            strategies = in_a_word(self.study.process_strategies)
            settings |= {**way.settings(), "NEREUS_PROCESS_STRATEGIES": strategies}
        elif memory := common_memory(self.study.variants):
            settings["NEREUS_MEMORY"] = memory
        start = self.means.where.supervision(
            self.means.build, program, tuple(command[1:]), planned.before, self.means.join, settings
        )
        with Job(start, folder / "output.txt") as job:
            while job.running() and not over():
                job.attend(_ATTEND_SECONDS)
            return None if job.running() else job.outcome()

    def _emulated(
        self, application: Application, planned: Planned, folder: Path, over: Callable[[], bool]
    ) -> Outcome | None:
        experiment = self._experiment(application, planned)
        return run_experiment(experiment, self.means, folder, _NO_PROGRESS, over).outcome

    def _experiment(self, application: Application, planned: Planned) -> Experiment:
        """What the emulator is to do in this run."""
        if application.experiment is not None:
            whole = load(self.file.parent / application.experiment).experiment
            return _for_run(whole, planned, self._way(planned), self.study.process_strategies)
        if not self.study.model_runs:
            return experiment_from(self._results(original(self.study, planned)))
        before = self._made(application, planned.before)
        whole = _for_run(before, planned, self._way(planned), self.study.process_strategies)
        if planned.variant is None:
            return whole
        return joined(before, self._made(application, planned.after), whole)

    def _results(self, of: Planned) -> Path:
        """The folder of a good run."""
        record = self.store.runs.get(of.name)
        if record is None or not record.good:
            raise StudyError(f"there is no good run {of.name} to be emulated")
        return attempt_folder(self.store.folder, of.name, record.attempt)

    def _way(self, planned: Planned) -> Variant | None:
        return None if planned.variant is None else variant(planned.variant)

    def _made(self, application: Application, size: int) -> Experiment:
        """The emulation of the real application at one size; made once and kept as a file."""
        file = self.store.folder / "emulations" / f"{application.name}_{size}.toml"
        if file not in self._experiments:
            if not file.exists():
                made = experiment_from(self._model(application, size))
                file.parent.mkdir(exist_ok=True)
                _write_whole(file, write_toml(made))
            self._experiments[file] = load(file).experiment
        return self._experiments[file]

    def _model(self, application: Application, size: int) -> Path:
        """The results of the model run with the median time, of all repetitions."""
        wanted = (application.emulates, size)
        runs = []
        for planned in model_runs(self.study):
            record = self.store.runs.get(planned.name)
            is_wanted = (planned.application, planned.before) == wanted
            if is_wanted and record and record.good:
                runs.append((planned, measure(self._results(planned), planned).total_seconds))
        chosen = median_run(runs)
        if chosen is None:
            raise StudyError(f"there is no good run of {application.emulates} on {size} ranks to be emulated")
        return self._results(chosen)


@dataclass(frozen=True)
class _Until:
    """Whether the study was stopped, or a run's time is over."""

    stopped: Callable[[], bool]
    deadline: float

    def __call__(self) -> bool:
        return self.stopped() or time.monotonic() > self.deadline


def command_of(application: Application, planned: Planned) -> list[str]:
    """Program and arguments of a run; numbers stand for the words in braces."""
    iterations = application.iterations or 0
    words = list(application.command or [])
    if planned.variant is not None:
        words += application.resize or []
    numbers = {
        "{iterations}": iterations,
        "{iteration}": iterations // 2,
        "{from}": planned.before,
        "{to}": planned.after,
    }
    return [_filled(word, numbers) for word in words]


def _filled(word: str, numbers: Mapping[str, int]) -> str:
    for name, number in numbers.items():
        word = word.replace(name, str(number))
    return word


def _for_run(
    experiment: Experiment, planned: Planned, way: Variant | None, strategies: Sequence[str]
) -> Experiment:
    if way is None:
        return fixed(experiment, planned.before)
    return resized(experiment, planned.before, planned.after, way, strategies)


def experiment_from(results: Path) -> Experiment:
    """The emulation of a program's run, as `nereus emulate --from` makes it."""
    try:
        return emulation_of(results / FILE_NAME)
    except ConfigError as error:
        raise StudyError(f"{results}: no emulation can be made of it: nereus: {error}") from None


def _write_whole(file: Path, text: str) -> None:
    """A file that is cut would be taken for the emulation after the next start."""
    beside = file.with_suffix(".new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(file)


def _last_words(folder: Path) -> str:
    """The last line that one of our programs, or else any, wrote."""
    with suppress(OSError):
        lines = (folder / "output.txt").read_text(encoding="utf-8", errors="replace").splitlines()
        spoken = [line.strip() for line in lines if line.strip()]
        ours = [line for line in spoken if line.startswith("nereus")]
        return f": {(ours or spoken)[-1][:200]}" if spoken else ""
    return ""
