# SPDX-License-Identifier: BSD-3-Clause
"""Runs one trial: a job that checks its data, resizes, injections, and what was seen."""

import json
import os
import shutil
import signal
import subprocess
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

from chaos_memory import MemoryWatch
from chaos_plan import MOST_RANKS, Injection, Role, Step, Trial
from chaos_targets import Targets, program_of
from chaos_verdict import Answer, Hit, Observed
from commands import COMMAND, started

from conftest import Site
from nereus.launch import LaunchError
from nereus.supervisor import NoAnswer, ask

#: Longer than all limits of a resize together: 6 s to come, 6 s for each vote, what releases take.
LIMIT = 60.0
_GONE_WITHIN = 15.0
# The program is so small that an epoch takes about a millisecond.
_PROTECTION = ("--protect", "memory", "--protect-every", "0.05", "--recoveries", "100")
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
        self._kill_file = self._folder / "kill-at"

    def go(self) -> None:
        """From the start of the job to its end."""
        with self._hangs_noted():
            self._go()
        self._observed.damaged = bool(self._events("damaged"))
        self._observed.closed_intact = any(event["intact"] for event in self._events("closes"))
        self._observed.damaged |= any(not event["intact"] for event in self._events("closes"))

    def _go(self) -> None:
        with self._daemon() as daemon, self._job() as process:
            targets = Targets(self._site, process.pid, daemon, self._kill_file)
            with self._hangs_noted():
                self._until(
                    lambda: self._has_ended(process) or self._events("opened"), "the job does not open"
                )
                for number, step in enumerate(self._trial.steps):
                    if not self._has_ended(process):
                        self._wait_for_recovery(process)
                        self._resize(process, targets, number, step)
                (self._folder / "stop").touch()
                self._take_end(process)

    def _wait_for_recovery(self, process: _Process) -> None:
        """A protected job may have no root, since one of its processes was killed."""
        if self._trial.protected:
            self._until(lambda: self._has_ended(process) or self._control_sockets(), "the job does not go on")

    @contextmanager
    def _hangs_noted(self) -> Iterator[None]:
        """Stacks are taken while what hangs is still there."""
        try:
            yield
        except Hang as hang:
            self._observed.hung = str(hang)
            _keep_stacks(self._site)

    @contextmanager
    def _daemon(self) -> Iterator[int | None]:
        if not self._trial.daemon:
            yield None
            return
        words = ("daemon", "--policy", "none", "--store", self._folder / "store")
        with self._started(*words, output="daemon") as process:
            up = (self._site.runtime / "nereus" / "daemon.line").exists
            self._until(lambda: self._has_ended(process) or up(), "the daemon does not come up")
            if self._has_ended(process):
                raise Hang("the daemon ended at once")
            yield process.pid

    @contextmanager
    def _job(self) -> Iterator[_Process]:
        trial = self._trial
        program = self._site.program(trial.mpi, "resizable")
        options = ("--mpi", trial.mpi, "-n", str(trial.founders), *(_PROTECTION if trial.protected else ()))
        words = ("run", *options, "--", program, self._folder)
        preload = program.parent / "libkill-at.so"
        own = {"LD_PRELOAD": str(preload), "NEREUS_TEST_KILL_FILE": str(self._kill_file)}
        with self._started(*words, output="job", **trial.settings, **own) as process:
            yield process

    @contextmanager
    def _started(self, *arguments: str | Path, output: str, **environment: str) -> Iterator[_Process]:
        """One command, ended with the block. It writes to files: nobody reads pipes while it runs."""
        own = self._site.environment | environment
        with (
            (self._folder / f"{output}.out").open("w") as out,
            (self._folder / f"{output}.err").open("w") as errors,
            started([*COMMAND, *arguments], self._site.folder, own, out, errors) as process,
        ):
            yield process

    def _resize(self, process: _Process, targets: Targets, number: int, step: Step) -> None:
        targets.note_members(step)
        ranks = step.ranks if step.ranks != targets.ranks else step.ranks % MOST_RANKS + 1
        injection = step.injection
        self._write_kill_file(number, injection, targets)
        with ThreadPoolExecutor(1) as other:
            answer = other.submit(self._ask, process, ranks, step.options)
            if injection is not None and not injection.call:
                self._inject(targets, injection, answer)
            if step is self._trial.steps[-1] and self._trial.closes_at_once:
                (self._folder / "stop").touch()
            self._observed.answers.append(answer.result())
        if injection is not None and injection.call:
            self._note_hit_at_call(number, injection)

    def _ask(self, process: _Process, ranks: int, options: dict[str, str]) -> Answer:
        control_sockets = self._control_sockets()
        if not control_sockets:
            return Answer.CUT_OFF
        question = {"kind": "resize", "ranks": ranks, "options": options, "wait": True}
        try:
            answer = ask(control_sockets[0], question, LIMIT)
        except (NoAnswer, LaunchError) as problem:
            if "in time" in str(problem) and not self._has_ended(process):
                raise Hang(f"no answer to a resize to {ranks} ranks") from problem
            self._observed.answer_texts.append(f"{ranks}: {problem}")
            return Answer.CUT_OFF
        self._observed.answer_texts.append(f"{ranks}: {answer.get('name', '')} {answer.get('message', '')}")
        if answer.get("name") == "NEREUS_RESIZED":
            return Answer.DONE
        if "ended before" in str(answer.get("message")):
            return Answer.CUT_OFF
        return Answer.UNDONE if answer.get("report") else Answer.REFUSED

    def _control_sockets(self) -> list[Path]:
        with suppress(FileNotFoundError):  # the folder goes with the last job
            return [
                path for path in (self._site.runtime / "nereus").glob("*.control") if path.stem != "daemon"
            ]
        return []

    def _inject(self, targets: Targets, injection: Injection, answer: "Future[Answer]") -> None:
        time.sleep(injection.after)
        if injection.role is Role.NEWCOMER:
            self._wait_for_newcomers(targets, answer)
        number = signal.SIGKILL if injection.kill else signal.SIGSTOP
        target = targets.hit(injection.role, number, self._random)
        self._observed.hits.append(Hit(injection.role, injection.kill, reached=target is not None))
        if target is not None and not injection.kill:
            time.sleep(injection.stopped)
            with suppress(ProcessLookupError):
                os.kill(target, signal.SIGCONT)

    def _wait_for_newcomers(self, targets: Targets, answer: "Future[Answer]") -> None:
        while not answer.done() and not targets.of(Role.NEWCOMER):
            time.sleep(_LOOK_EVERY)

    def _write_kill_file(self, number: int, injection: Injection | None, targets: Targets) -> None:
        """As tests/system/programs/kill_at.c reads it; all at once, since it may be read at any moment."""
        line = ""
        if injection is not None and injection.call:
            who = "newcomer" if injection.role is Role.NEWCOMER else "member"
            pids = targets.leavers if injection.role is Role.LEAVER else targets.members
            line = f"{number} {who} {injection.call} {' '.join(map(str, pids))}\n"
        new = self._kill_file.with_name("kill-at.new")
        new.write_text(line)
        new.replace(self._kill_file)

    def _note_hit_at_call(self, number: int, injection: Injection) -> None:
        reached = self._kill_file.with_name(f"{self._kill_file.name}.done.{number}").exists()
        function = injection.call.partition(":")[0]
        self._observed.hits.append(Hit(injection.role, True, function, reached))

    def _take_end(self, process: _Process) -> None:
        try:
            self._observed.code = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            raise Hang("the job does not end") from None
        finally:
            self._observed.errors = (self._folder / "job.err").read_text(errors="replace")

    def _has_ended(self, process: _Process) -> bool:
        return process.poll() is not None

    def _events(self, kind: str) -> list[dict[str, Any]]:
        path = self._folder / "events"
        lines = path.read_text().split("\n")[:-1] if path.exists() else []
        found = []
        for line in lines:
            with suppress(ValueError):  # whoever writes it may be killed meanwhile
                found.append(json.loads(line))
        return [event for event in found if event["event"] == kind]

    def _until(self, condition: Callable[[], object], otherwise: str) -> None:
        deadline = time.monotonic() + LIMIT
        while not condition():
            if time.monotonic() > deadline:
                raise Hang(otherwise)
            time.sleep(_LOOK_EVERY)


def run_trial(trial: Trial, folder: Path) -> Observed:
    """Run it in a folder of its own; nothing is left of it afterwards but that folder. Never raises."""
    observed, begin = Observed(), time.monotonic()
    try:
        site = Site(folder, folder.parent / "cache")
        with MemoryWatch(site) as watch:
            try:
                Run(trial, site, observed).go()
            finally:
                _note_left(site, watch, observed)
    except Exception:  # the others are to go on, and this one is to be counted
        observed.broke = traceback.format_exc()
    observed.seconds = time.monotonic() - begin
    return observed


def _note_left(site: Site, watch: MemoryWatch, observed: Observed) -> None:
    """What is still there, and an end to it.

    Who is killed cannot remove files, which docs/reference/commands.md says.
    """
    try:
        if observed.killed(Role.DAEMON):
            for path in (site.runtime / "nereus").glob("daemon.*"):
                path.unlink()
        deadline = time.monotonic() + _GONE_WITHIN
        while site.processes() and time.monotonic() < deadline:
            time.sleep(_LOOK_EVERY)
        observed.left = [f"process {pid} {program_of(pid)}" for pid in site.processes()]
        if observed.left:
            _keep_stacks(site)
        _kill_all(site)
        if not observed.killed(Role.SUPERVISOR):
            observed.left += _files_left(site, watch, deadline)
        for path in watch.left():
            path.unlink(missing_ok=True)
    finally:
        _kill_all(site)
        shutil.rmtree(site.temporary, ignore_errors=True)
        shutil.rmtree(site.runtime, ignore_errors=True)


def _keep_stacks(site: Site) -> None:
    with (site.folder / "stacks.txt").open("w") as file:
        for pid in site.processes():
            print(f"== {pid} {program_of(pid)}", file=file, flush=True)
            try:
                command = ["eu-stack", "-p", str(pid)]
                subprocess.run(command, stdout=file, stderr=file, timeout=30, check=False)
            except (OSError, subprocess.SubprocessError) as problem:
                print(f"no stack: {problem}", file=file, flush=True)


def _files_left(site: Site, watch: MemoryWatch, deadline: float) -> list[str]:
    left = [str(path) for path in site.temporary.iterdir()]
    left += [str(path) for path in site.runtime.rglob("*") if not path.is_dir()]
    while watch.left() and time.monotonic() < deadline:
        time.sleep(0.5)
    return left + sorted(map(str, watch.left()))


def _kill_all(site: Site) -> None:
    for pid in site.processes():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
