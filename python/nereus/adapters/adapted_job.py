# SPDX-License-Identifier: BSD-3-Clause
"""A job of a program that saves its own state: to be resized, it saves, ends, and is started on other ranks.

In:  requests from the job's control socket and from the daemon, or a signal that has it save and end.
Out: one program after the other, what came of each request, and how the job ended.
"""

import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from nereus.adapters.progress_reader import ProgressReader
from nereus.adapters.requests import Request, Requests, Resized
from nereus.adapters.saved_files import SavedFiles
from nereus.adapters.saving_program import SavingProgram
from nereus.adapters.start import Start
from nereus.launch import Outcome, SaveSignals
from nereus.launch.error import LaunchError
from nereus.runs import Ending, RunError
from nereus.supervisor import NameClaim
from nereus.supervisor.frames import CODES
from nereus.supervisor.sockets import Sockets

_ATTEND_SECONDS = 0.05
_CODES = {name: number for number, name in CODES.items()}
_PROCESS, _TIMEOUT = _CODES["NEREUS_ERR_PROCESS"], _CODES["NEREUS_ERR_TIMEOUT"]


@dataclass(frozen=True)
class _Trial:
    """The program was started on other ranks, and is not known yet to run there.

    When it was asked to save, and when it had ended.
    """

    request: Request
    before: int
    asked: float
    ended: float


class AdaptedJob:
    def __init__(
        self, start: Start, claim: NameClaim, ranks: int, signals: SaveSignals, say: Callable[[str], None]
    ) -> None:
        """`signals`: the first one has the program save and end, the second one ends it as it is."""
        self._start, self._claim, self._ranks = start, claim, ranks
        self._signals, self._say = signals, say
        self._request: Request | None = None
        self._trial: _Trial | None = None
        self._asked_by_signal = self._gives_up = False
        progress = start.adapter.progress
        self._progress = ProgressReader(progress) if progress is not None else None
        self._told = 0.0  # when it said last how far it is, or was started

    def run(self, stopped: Callable[[], bool]) -> Ending:
        """Until it is over; `stopped`: whether it is to be ended as it is."""
        with ExitStack() as undone:
            folder = Path(undone.enter_context(tempfile.TemporaryDirectory(prefix="nereus-")))
            self._allocation = self._start.where.manager.open(self._claim.key, folder)
            undone.callback(self._allocation.close)
            sockets = undone.enter_context(Sockets())
            self._requests = Requests(sockets, self._start, self._claim, self._ranks, self._say)
            undone.callback(self._requests.end)
            self._begin(self._ranks, restarts=False)
            undone.callback(lambda: self._program.close())
            return self._attend_to_the_end(stopped)

    def _attend_to_the_end(self, stopped: Callable[[], bool]) -> Ending:
        while True:
            self._requests.turn(resizing=self._request is not None or self._trial is not None)
            for event in self._allocation.turn():
                self._say(f"{', '.join(event.hosts)}: {event.kind.sentence}: {event.reason}")
            if self._program.is_running():
                self._look_at_signals()
                if stopped() or self._gives_up:
                    return Ending(None)
                self._look_at_program()
                self._program.attend(_ATTEND_SECONDS)
            elif (ending := self._after_its_end()) is not None:
                return ending

    def _begin(self, ranks: int, restarts: bool) -> None:
        if self._progress is not None:
            self._progress.forget()
        self._program = SavingProgram(self._start.adapter.save, self._start.command(ranks, restarts), ranks)
        self._ranks, self._told = ranks, time.monotonic()
        self._requests.runs(ranks)

    def _look_at_signals(self) -> None:
        if self._signals.first is not None and not self._asked_by_signal:
            self._asked_by_signal = True
            self._say(f"{self._signals.first.name}: it saves and ends")
            self._requests.stop(self._give_up)
        if self._signals.second is not None:
            self._gives_up = True

    def _give_up(self, why: str) -> None:
        self._say(f"nothing was saved: {why}")
        self._gives_up = True

    def _look_at_program(self) -> None:
        """While it runs: how far it is, whether it is late, and what to begin with next."""
        self._look_at_progress()
        if self._trial is not None:
            if self._is_stable():
                self._has_resized(self._trial)
            return
        if self._request is None:
            self._request = self._requests.next()
            if self._request is not None:
                self._ask(self._request)
        elif (overdue := self._program.overdue) is not None:
            self._fail(_TIMEOUT, overdue)

    def _look_at_progress(self) -> None:
        if self._progress is None or not self._progress.turn():
            return
        now = time.monotonic()
        assert self._progress.iteration is not None
        self._requests.progress(self._progress.iteration, now - self._told)
        self._told = now

    def _ask(self, request: Request) -> None:
        try:
            if request.ranks:
                self._start.shares(request.ranks)  # whether there are slots for so many
            self._program.ask()
        except (RunError, LaunchError) as problem:
            self._fail(_PROCESS, str(problem))

    def _fail(self, code: int, why: str) -> None:
        request, self._request = self._request, None
        if request is not None:
            self._requests.failed(request, code, why)

    def _is_stable(self) -> bool:
        if self._progress is not None and self._progress.iteration is not None:
            return True
        return time.monotonic() >= self._program.began + self._start.adapter.stable_after

    def _after_its_end(self) -> Ending | None:
        """None where another program runs now."""
        outcome, ended = self._program.outcome(), time.monotonic()
        if self._program.asked is not None:
            return self._after_it_was_asked(outcome, self._program.asked, ended)
        if self._trial is not None and not outcome.good:
            self._roll_back(self._trial, outcome)
            return None
        if self._trial is not None:
            self._has_resized(self._trial)
        return self._over(outcome)

    def _after_it_was_asked(self, outcome: Outcome, asked: float, ended: float) -> Ending | None:
        saved = self._program.saved()
        if isinstance(saved, str):
            if outcome.good:
                self._say(f"it is not started again: {saved}")
            return self._over(outcome)
        request, self._request = self._request, None
        if request is not None and request.stops:
            return self._stopped(request, saved, ended - asked)
        before = self._ranks
        self._begin_again(request.ranks if request is not None else before)
        if request is not None:
            self._trial = _Trial(request, before, asked, ended)
        return None

    def _begin_again(self, ranks: int) -> None:
        self._program.close()
        self._begin(ranks, restarts=True)

    def _has_resized(self, trial: _Trial) -> None:
        self._trial = None
        now = time.monotonic()
        told = self._progress is not None and self._progress.iteration is not None
        runs = now if told else self._program.began
        how = Resized(trial.before, self._ranks, runs - trial.asked, runs - trial.ended)
        self._requests.resized(trial.request, how)

    def _roll_back(self, trial: _Trial, outcome: Outcome) -> None:
        """What was saved is there yet."""
        self._trial = None
        failed = f"on {self._ranks} ranks: {outcome.text}"
        self._say(f"{failed}: it goes on with {trial.before}")
        self._begin_again(trial.before)
        self._requests.failed(trial.request, _PROCESS, f"{failed}; the job goes on with {trial.before}")

    def _stopped(self, request: Request, saved: SavedFiles, seconds: float) -> Ending:
        self._requests.saved(request, saved, seconds)
        return Ending(Outcome(True, "the job was stopped"), stopped=True, ranks=self._ranks)

    def _over(self, outcome: Outcome) -> Ending:
        return Ending(outcome, ranks=self._ranks)
