# SPDX-License-Identifier: BSD-3-Clause
"""One run: a folder for control sockets, a daemon with the policy, the jobs at their times, an end to all."""

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from nereus.daemon.sessions import Session
from nereus.daemon.store import Store
from nereus.launch import LaunchError
from nereus.launch.processes import dying_with_us
from nereus.simulation.jobs import Scenario
from nereus.simulation.jobs.emulated import commanded_run, emulated, resize_settings
from nereus.simulation.jobs.scenario import Job
from nereus.simulation.live.error import LiveError
from nereus.simulation.live.event_results import Told
from nereus.simulation.live.jobs import START_AT, Of, arguments_of, kind_of, known_beforehand, run_file
from nereus.simulation.live.model import Live
from nereus.supervisor import NoAnswer, ask
from nereus.supervisor.daemon_address import daemon_control_socket, daemon_line

EVENTS, RUN, STORE = "events.jsonl", "run.json", "daemon.sqlite"
_LOOK_EVERY = 0.02
_HEARS_WITHIN, _ENDS_WITHIN = 20.0, 30.0
_SILENT = "NEREUS_CONTROLLER"  # a variable that would lead jobs to another daemon


@dataclass(frozen=True)
class Means:
    """`nereus`: the command; `programs`: of the MPI, by name; `store`: the folder that jobs write to."""

    nereus: Sequence[str]
    mpi: str
    programs: Mapping[str, Path]
    store: Path
    live: Live
    stopped: Callable[[], bool]

    def command_of(self, of: Of) -> list[str]:
        return [str(self.programs[kind_of(self.live, of.job).program]), *arguments_of(of)]


@dataclass(frozen=True)
class Run:
    """What was heard of it; times count from `begin`."""

    begin: float
    told: list[Told]


def make(scenario: Scenario, policy: str, folder: Path, means: Means) -> Run | None:
    """None where it was stopped; LiveError where something went wrong, with the reason."""
    with ExitStack() as stack:
        making = _Making(scenario, means, folder, stack)
        making.start_daemon(policy)
        begin = time.time() + means.live.lead
        making.attend_to_the_end(begin)
        if means.stopped():
            return None
    about = {"policy": policy, "begin_unix": begin, "own": making.own}
    (folder / RUN).write_text(json.dumps(about), encoding="utf-8")
    return kept(folder)


def kept(folder: Path) -> Run | None:
    """What is on record of a run that came to its end; None where there is none."""
    if not (folder / RUN).exists():
        return None
    about = json.loads((folder / RUN).read_text(encoding="utf-8"))
    told = [*_read(folder / EVENTS), *about["own"]]
    return Run(about["begin_unix"], sorted(told, key=lambda event: float(event["time_unix"])))


class _Making:
    def __init__(self, scenario: Scenario, means: Means, folder: Path, stack: ExitStack) -> None:
        self._scenario, self._means, self._stack = scenario, means, stack
        self._folder = folder.absolute()  # jobs have another working folder
        runtime = stack.enter_context(tempfile.TemporaryDirectory(prefix="nereus-live-"))
        inherited = {key: value for key, value in os.environ.items() if key != _SILENT}
        self._environment = inherited | {"XDG_RUNTIME_DIR": runtime}
        self._queue = sum(job.ranks for job in scenario.jobs) > scenario.cluster.cores
        self._jobs: list[subprocess.Popen[bytes]] = []
        self._daemon: subprocess.Popen[bytes] | None = None
        self._seen = 0  # bytes of the file of events
        self._reserved = 0  # jobs that have their cores
        self.own: list[Told] = []

    def start_daemon(self, policy: str) -> None:
        store = self._folder / STORE
        remember(self._scenario, self._means, self._folder)
        settings = [
            word for each in self._scenario.parameters.items() for word in ("--set", "{}={}".format(*each))
        ]
        cores = str(self._scenario.cluster.cores)
        command = ["daemon", "--policy", policy, "--cores", cores, "--store", str(store), "--json", *settings]
        with (self._folder / EVENTS).open("wb") as out, (self._folder / "daemon.txt").open("wb") as err:
            self._daemon = daemon = self._start(command, out, err)
        deadline = time.monotonic() + _HEARS_WITHIN
        sockets = daemon_line(self._environment), daemon_control_socket(self._environment)
        while not all(path.is_socket() for path in sockets):
            if daemon.poll() is not None or time.monotonic() > deadline:
                raise LiveError(f"the daemon did not start: {_last_line(self._folder / 'daemon.txt')}")
            time.sleep(_LOOK_EVERY)

    def attend_to_the_end(self, begin: float) -> None:
        """Of all jobs, or of the time that the scenario has."""
        deadline = begin + self._means.live.timeout
        until = begin + self._scenario.until if self._scenario.until is not None else None
        waiting = sorted(range(len(self._scenario.jobs)), key=self._begins)
        while waiting or any(job.poll() is None for job in self._jobs):
            now = time.time()
            self._look()
            while waiting and now >= begin + self._begins(waiting[0]) and self._all_are_in_the_queue():
                self._start_job(waiting.pop(0), begin)
            if self._means.stopped():
                return
            if until is not None and now >= until:
                self._note_the_end()
                return
            self._check(now > deadline)
            time.sleep(_LOOK_EVERY)
        self._check(False)

    def _start_job(self, number: int, begin: float) -> None:
        job = self._scenario.jobs[number]
        most = job.most or self._scenario.cluster.cores
        options = ["--mpi", self._means.mpi, "-n", str(job.ranks), "--max-ranks", str(most), "--quiet"]
        queue = ["--queue"] if self._queue else []
        own = {START_AT: f"{begin + job.start:.6f}"} if job.experiment is None else self._emulate(job, most)
        with self._output(job.name).open("wb") as out:
            program = self._means.command_of(Of(self._scenario, self._means.live, number, self._folder))
            self._jobs.append(self._start(["run", *options, *queue, "--", *program], out, out, own))

    def _all_are_in_the_queue(self) -> bool:
        """Jobs come in their order: on a busy host one that is started later may be the first to ask."""
        if not self._queue or self._reserved >= len(self._jobs):
            return True
        return self._reserved + len(self._status().get("waiting_for_cores", [])) >= len(self._jobs)

    def _begins(self, number: int) -> float:
        """When it is started: before its time where it waits for that, and nobody else needs the cores."""
        job = self._scenario.jobs[number]
        early = kind_of(self._means.live, job).starts_at_a_date and not self._queue
        return job.start - (self._means.live.lead if early else 0.0)

    def _emulate(self, job: Job, most: int) -> dict[str, str]:
        """Write what it does at any size; the settings of its resizes."""
        assert job.experiment is not None
        experiment = emulated(Path(job.experiment))
        document = commanded_run(experiment, most, str(self._means.store))
        run_file(self._folder, job).write_text(json.dumps(document) + "\n", encoding="utf-8")
        return resize_settings(experiment)

    def _output(self, job: str) -> Path:
        return self._folder / f"{job}.txt"

    def _start(
        self, command: Sequence[str], out: IO[bytes], err: IO[bytes], own: dict[str, str] | None = None
    ) -> "subprocess.Popen[bytes]":
        """In a session of its own: Ctrl-C is for us, who end all in their order."""
        process = subprocess.Popen(
            [*self._means.nereus, *command],
            cwd=self._means.store if own is not None else None,
            env=self._environment | (own or {}),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
            preexec_fn=dying_with_us(),
        )
        self._stack.callback(_end, process)
        return process

    def _look(self) -> None:
        """At events that are new; after each I/O phase the daemon is asked what it predicts."""
        for event in self._fresh():
            if event["event"] == "reserved":
                self._reserved += 1
            elif event["event"] == "wrote":
                for job in self._jobs_of_daemon():
                    if job["job"] == event["job"]:
                        keys = ("phase", "next_io_unix", "period_seconds", "next_io_iteration")
                        self._tell("foretold", event["job"], **{key: job[key] for key in keys})

    def _fresh(self) -> Iterator[Told]:
        with (self._folder / EVENTS).open("rb") as file:
            file.seek(self._seen)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                self._seen += len(line)
                yield json.loads(line)

    def _status(self) -> dict[str, Any]:
        """Of the daemon; empty where it does not answer."""
        with suppress(NoAnswer, LaunchError):
            return ask(daemon_control_socket(self._environment), {"kind": "status"}, 2.0)
        return {}

    def _jobs_of_daemon(self) -> list[dict[str, Any]]:
        return list(self._status().get("jobs", []))

    def _note_the_end(self) -> None:
        iterations = {job["job"]: job["iteration"] for job in self._jobs_of_daemon()}
        self._tell("stopped", "", iterations=iterations)

    def _tell(self, event: str, job: str, **about: Any) -> None:
        self.own.append({"time_unix": time.time(), "job": job, "event": event, **about})

    def _check(self, late: bool) -> None:
        if late:
            raise LiveError(f"the jobs did not end within {self._means.live.timeout:g} s")
        if self._daemon is not None and self._daemon.poll() is not None:
            raise LiveError(f"the daemon has ended: {_last_line(self._folder / 'daemon.txt')}")
        for process in self._jobs:
            if process.poll() not in (None, 0):
                words = [_last_line(self._output(job.name)) for job in self._scenario.jobs]
                raise LiveError(
                    f"a job failed: {next((text for text in words if text), 'it printed nothing')}"
                )


def remember(scenario: Scenario, means: Means, folder: Path) -> None:
    """What the daemon knows of the jobs before they come: as of the same programs when they ran before."""
    made = Store(folder / STORE)
    try:
        for number, job in enumerate(scenario.jobs):
            command = means.command_of(Of(scenario, means.live, number, folder))
            before = Session(f"{number:016x}", command, means.mpi, 0, False, [], job.ranks, 0, 0, time.time())
            for measured in known_beforehand(job):
                made.sample(before, measured.ranks, measured.seconds, time.time())
        made.commit(time.time())
    finally:
        made.close()


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_ENDS_WITHIN)
    if process.poll() is None:
        process.kill()
        process.wait()


def _read(file: Path) -> list[Told]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _last_line(file: Path) -> str:
    """That no job wrote as a record."""
    with suppress(OSError):
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        spoken = [line.strip() for line in lines if line.strip() and not line.startswith("{")]
        return spoken[-1][:300] if spoken else ""
    return ""
