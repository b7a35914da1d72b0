# SPDX-License-Identifier: BSD-3-Clause
"""Runs one trial: a job that checks its data, resizes, strikes, and what was seen."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

from chaos_plan import Role, Step, Strike, Trial
from chaos_verdict import Observed
from chaos_victims import Victims, program_of

from conftest import Site, end, shared_memory
from nereus.launch import LaunchError, NoAnswer, ask

#: Longer than all limits of a resize together: 6 s to come, 6 s for each vote, what releases take.
LIMIT = 60.0
_GONE_WITHIN = 15.0
_LOOK_EVERY = 0.02
_Process = subprocess.Popen[str]


class Hang(Exception):
    """Something did not come about within the limit."""


class Run:
    """One trial while it runs."""

    def __init__(self, trial: Trial, site: Site, observed: Observed) -> None:
        """`observed` is filled on the way."""
        self._trial, self._site, self._observed = trial, site, observed
        self._random = Random(trial.name)
        self._folder = site.folder / "application"
        self._folder.mkdir(parents=True)

    def go(self) -> None:
        """From the start of the job to its end."""
        with self._hangs_noted():
            self._go()
        self._observed.damaged = bool(self._events("damaged"))
        self._observed.closed_intact = any(event["intact"] for event in self._events("closes"))
        self._observed.damaged |= any(not event["intact"] for event in self._events("closes"))

    def _go(self) -> None:
        with self._daemon() as daemon, self._job() as process:
            victims = Victims(self._site, process.pid, daemon)
            with self._hangs_noted():
                self._until(
                    lambda: self._has_ended(process) or self._events("opened"), "the job does not open"
                )
                for step in self._trial.steps:
                    if not self._has_ended(process):
                        self._resize(process, victims, step)
                (self._folder / "stop").touch()
                self._take_end(process)

    @contextmanager
    def _hangs_noted(self) -> Iterator[None]:
        """Stacks are taken while what hangs is still there."""
        try:
            yield
        except Hang as hang:
            self._observed.hung = str(hang)
            self._keep_stacks()

    @contextmanager
    def _daemon(self) -> Iterator[int | None]:
        if not self._trial.daemon:
            yield None
            return
        with self._site.started("daemon", "--policy", "none", "--store", self._folder / "store") as process:
            up = (self._site.runtime / "nereus" / "daemon.line").exists
            self._until(lambda: self._has_ended(process) or up(), "the daemon does not come up")
            if self._has_ended(process):
                raise Hang(f"the daemon ended at once: {process.communicate()[1]}")
            try:
                yield process.pid
            finally:
                if process.poll() is None:
                    end(process)
                process.communicate()

    @contextmanager
    def _job(self) -> Iterator[_Process]:
        trial = self._trial
        program = self._site.program(trial.mpi, "resizable")
        words = ("run", "--mpi", trial.mpi, "-n", str(trial.founders), "--", program, self._folder)
        preload = program.parent / "libkill-at.so"
        own = {"LD_PRELOAD": str(preload), "NEREUS_TEST_KILL_FILE": str(self._folder / "kill-at")}
        with self._site.started(*words, **trial.settings, **own) as process:
            yield process

    def _resize(self, process: _Process, victims: Victims, step: Step) -> None:
        victims.note_members()
        self._prepare_strike_at_call(step.strike)
        with ThreadPoolExecutor(1) as other:
            answer = other.submit(self._ask, process, step)
            if step.strike is not None and not step.strike.call:
                self._strike(victims, step.strike, answer)
            if step is self._trial.steps[-1] and self._trial.closes_at_once:
                (self._folder / "stop").touch()
            self._observed.answers.append(f"{step.ranks}: {answer.result()}")
        self._count_strikes_at_calls()

    def _ask(self, process: _Process, step: Step) -> str:
        doors = [path for path in (self._site.runtime / "nereus").glob("*.door") if path.stem != "daemon"]
        if not doors:
            return "no job"
        question = {"kind": "resize", "ranks": step.ranks, "options": step.options, "wait": True}
        try:
            answer = ask(doors[0], question, LIMIT)
        except (NoAnswer, LaunchError) as problem:
            if "in time" in str(problem) and not self._has_ended(process):
                raise Hang(f"no answer to a resize to {step.ranks} ranks") from problem
            return str(problem)
        return str(answer.get("name") or answer.get("kind"))

    def _strike(self, victims: Victims, strike: Strike, answer: "Future[str]") -> None:
        time.sleep(strike.after)
        if strike.role is Role.NEWCOMER:
            self._wait_for_newcomers(victims, answer)
        number = signal.SIGKILL if strike.kill else signal.SIGSTOP
        victim = victims.strike(strike.role, number, self._random)
        if victim is None:
            return
        if strike.kill:
            self._observed.kills += 1
            self._observed.supervisor_killed |= strike.role is Role.SUPERVISOR
            self._observed.daemon_killed |= strike.role is Role.DAEMON
            return
        self._observed.stops += 1
        time.sleep(strike.stopped)
        with suppress(ProcessLookupError):
            os.kill(victim, signal.SIGCONT)

    def _wait_for_newcomers(self, victims: Victims, answer: "Future[str]") -> None:
        while not answer.done() and not victims.of(Role.NEWCOMER):
            time.sleep(_LOOK_EVERY)

    def _prepare_strike_at_call(self, strike: Strike | None) -> None:
        call = strike.call if strike is not None else ""
        (self._folder / "kill-at").write_text(call)

    def _count_strikes_at_calls(self) -> None:
        self._observed.kills_at_calls = len(list(self._folder.glob("kill-at.done.*")))

    def _take_end(self, process: _Process) -> None:
        try:
            _, self._observed.errors = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            raise Hang("the job does not end") from None
        self._observed.code = process.returncode

    def _has_ended(self, process: _Process) -> bool:
        return process.poll() is not None

    def _events(self, kind: str) -> list[dict[str, Any]]:
        path = self._folder / "events"
        lines = path.read_text().split("\n")[:-1] if path.exists() else []
        return [event for event in map(json.loads, lines) if event["event"] == kind]

    def _until(self, condition: Callable[[], object], otherwise: str) -> None:
        deadline = time.monotonic() + LIMIT
        while not condition():
            if time.monotonic() > deadline:
                raise Hang(otherwise)
            time.sleep(_LOOK_EVERY)

    def _keep_stacks(self) -> None:
        with (self._site.folder / "stacks.txt").open("w") as file:
            for pid in self._site.processes():
                print(f"== {pid} {program_of(pid)}", file=file, flush=True)
                with suppress(subprocess.TimeoutExpired):
                    command = ["eu-stack", "-p", str(pid)]
                    subprocess.run(command, stdout=file, stderr=file, timeout=30, check=False)


def run_trial(trial: Trial, folder: Path) -> Observed:
    """Run it in a folder of its own; nothing is left of it afterwards but that folder."""
    observed = Observed()
    before = shared_memory()
    site = Site(folder, folder.parent / "cache")
    try:
        Run(trial, site, observed).go()
    finally:
        if observed.daemon_killed:  # who is killed cannot remove its files, nor can anybody else know of them
            for path in (site.runtime / "nereus").glob("daemon.*"):
                path.unlink()
        observed.left = _left(site, before, observed.supervisor_killed)
        shutil.rmtree(site.temporary, ignore_errors=True)
        shutil.rmtree(site.runtime, ignore_errors=True)
    return observed


def _left(site: Site, before: set[Path], supervisor_killed: bool) -> list[str]:
    """What is still there; who is killed cannot remove files, which docs/reference/commands.md says."""
    deadline = time.monotonic() + _GONE_WITHIN
    while site.processes() and time.monotonic() < deadline:
        time.sleep(_LOOK_EVERY)
    left = [f"process {pid} {program_of(pid)}" for pid in site.processes()]
    for pid in site.processes():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    if supervisor_killed:
        for path in shared_memory() - before:
            path.unlink(missing_ok=True)
        return left
    left += [str(path) for path in site.temporary.iterdir()]
    left += [str(path) for path in site.runtime.rglob("*") if not path.is_dir()]
    while (more := shared_memory() - before) and time.monotonic() < deadline:
        time.sleep(0.5)
    return left + [str(path) for path in more]
