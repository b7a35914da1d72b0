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
from nereus.allocation import Event, EventKind
from nereus.launch import Outcome, SaveSignals
from nereus.launch.error import LaunchError
from nereus.runs import Ending, RecoveryLimit, RunError
from nereus.supervisor import NameClaim
from nereus.supervisor.frames import CODES
from nereus.supervisor.sockets import Sockets

_ATTEND_SECONDS = 0.05
_CODES = {name: number for number, name in CODES.items()}
_PROCESS, _TIMEOUT, _STATE = (_CODES[f"NEREUS_ERR_{name}"] for name in ("PROCESS", "TIMEOUT", "STATE"))
_STOPPED = "the job is stopped"


@dataclass(frozen=True)
class _Trial:
    """The program was started on other ranks, and is not known yet to run there.

    When it was asked to save, and when it had ended.
    """

    request: Request
    before: int
    asked_at: float
    ended_at: float


class AdaptedJob:
    def __init__(
        self,
        start: Start,
        claim: NameClaim,
        ranks: int,
        again: RecoveryLimit,
        signals: SaveSignals,
        say: Callable[[str], None],
    ) -> None:
        """`again`: how often it goes on from what it saved by itself before it failed.

        `signals`: the first one has the program save and end, the second one ends it as it is.
        """
        self._start, self._claim, self._ranks, self._again = start, claim, ranks, again
        self._signals, self._say = signals, say
        self._at_first = SavedFiles.now(start.adapter.save.files)
        #: For which the program was asked to save.
        self._request: Request | None = None
        self._trial: _Trial | None = None
        #: Stopped in a trial: what was saved for the resize is there.
        self._stopped_in_trial = False
        self._stopping = self._gives_up = False
        progress = start.adapter.progress
        self._progress = ProgressReader(progress) if progress is not None else None
        self._told_at = 0.0  # when it said last how far it is

    def run(self, stopped: Callable[[], bool]) -> Ending:
        """Until it is over; `stopped`: whether it is to be ended as it is."""
        with ExitStack() as undone:
            # Of this path on each of its hosts, where something is there.
            folder = Path(tempfile.gettempdir()) / f"nereus-{self._claim.key}"
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
            asked = self._request is not None and not self._request.stops
            self._requests.turn(resizing=asked or self._trial is not None)
            for event in self._allocation.turn():
                self._say(f"{', '.join(event.hosts)}: {event.kind.sentence}: {event.reason}")
                if self._needs(event):
                    return Ending(Outcome(False, f"host {event.hosts[0]} was lost: {event.reason}", 1))
            if self._program.is_running():
                self._look_at_signals()
                if stopped() or self._gives_up:
                    return Ending(None)
                self._look_at_program()
                self._program.attend(_ATTEND_SECONDS)
            elif (ending := self._after_its_end()) is not None:
                return ending

    def _needs(self, event: Event) -> bool:
        """Whether the job cannot go on after it; its launcher may not notice."""
        hosts = self._start.hosts(self._ranks)
        return event.kind is EventKind.HOST_LOST and not set(hosts).isdisjoint(event.hosts)

    def _begin(self, ranks: int, restarts: bool) -> None:
        if self._progress is not None:
            self._progress.forget()
        command, here = self._start.command(ranks, restarts), self._start.ranks_here(ranks)
        self._program = SavingProgram(self._start.adapter.save, command, here)
        self._ranks, self._told_at = ranks, time.monotonic()
        self._requests.runs(ranks)

    def _begin_again(self, ranks: int) -> str:
        """From what was saved; why that was not possible, or ""."""
        self._program.close()
        try:
            self._begin(ranks, restarts=True)
        except (LaunchError, RunError, OSError) as problem:
            return str(problem)
        return ""

    def _look_at_signals(self) -> None:
        if self._signals.first is not None and not self._stopping:
            self._say(f"{self._signals.first.name}: it saves and ends")
            self._stop()
        if self._signals.second is not None:
            self._gives_up = True

    def _stop(self) -> None:
        """At once, whatever is under way: who sends the signal may end all soon."""
        self._stopping = True
        self._fail(_STATE, _STOPPED)
        if self._trial is not None:
            self._requests.failed(self._trial.request, _STATE, _STOPPED)
            self._stopped_in_trial, self._trial = True, None
        self._request = Request(0, stops=True)
        self._ask()

    def _look_at_program(self) -> None:
        """While it runs: how far it is, whether it is late, and what to begin with next."""
        self._look_at_progress()
        if self._trial is not None:
            if self._runs_there():
                self._finish_resize(self._trial)
        elif self._request is None:
            self._request = self._requests.next()
            if self._request is not None:
                self._ask()
        elif (overdue := self._program.overdue) is not None:
            self._fail(_TIMEOUT, overdue)

    def _look_at_progress(self) -> None:
        if self._progress is None or not self._progress.turn() or self._progress.iteration is None:
            return
        now = time.monotonic()
        self._requests.progress(self._progress.iteration, now - self._told_at)
        self._told_at = now

    def _ask(self) -> None:
        """For the request under way."""
        try:
            if self._request is not None and not self._request.stops:
                self._start.shares(self._request.ranks)  # whether there are slots for so many
            self._program.ask()
        except (RunError, LaunchError) as problem:
            self._fail(_PROCESS, str(problem))

    def _fail(self, code: int, why: str) -> None:
        request, self._request = self._request, None
        if request is None:
            return
        if request.is_signal:
            self._say(f"nothing was saved: {why}")
            self._gives_up = True
        else:
            self._requests.failed(request, code, why)

    def _has_told(self) -> bool:
        """Whether it said how far it is since it was started."""
        return self._progress is not None and self._progress.iteration is not None

    def _runs_there(self) -> bool:
        return (
            self._has_told() or time.monotonic() >= self._program.began_at + self._start.adapter.stable_after
        )

    def _finish_resize(self, trial: _Trial) -> None:
        self._trial = None
        runs_at = time.monotonic() if self._has_told() else self._program.began_at
        how = Resized(trial.before, self._ranks, runs_at - trial.asked_at, runs_at - trial.ended_at)
        self._requests.resized(trial.request, how)

    def _after_its_end(self) -> Ending | None:
        """None where another program runs now."""
        outcome, ended_at = self._program.outcome(), time.monotonic()
        if self._program.asked_at is not None and not self._program.ended_by_itself():
            return self._after_it_was_asked(outcome, self._program.asked_at, ended_at)
        if self._trial is not None and not outcome.good:
            return self._roll_back(self._trial, outcome)
        if self._trial is not None:
            if self._progress is not None and not self._has_told():
                self._say("it ended well before it told how far it is")
            self._finish_resize(self._trial)
        return self._over(outcome)

    def _after_it_was_asked(self, outcome: Outcome, asked_at: float, ended_at: float) -> Ending | None:
        saved = self._program.saved()
        if saved.problem:
            return self._after_nothing_was_saved(saved.problem, outcome)
        request, self._request = self._request, None
        if request is None:
            self._say(f"it has saved and ended after all: it is started again on {self._ranks} ranks")
            return self._go_on(self._ranks)
        if request.stops:
            self._requests.saved(request, saved.files.bytes, ended_at - asked_at)
            return self._stopped()
        return self._start_trial(_Trial(request, self._ranks, asked_at, ended_at))

    def _after_nothing_was_saved(self, problem: str, outcome: Outcome) -> Ending | None:
        if self._stopped_in_trial:
            self._say(f"{problem}: it continues from what it had saved for the resize")
            return self._stopped()
        self._fail(_PROCESS, problem)
        return self._over(Outcome(False, problem, outcome.code or 1))

    def _start_trial(self, trial: _Trial) -> Ending | None:
        if problem := self._begin_again(trial.request.ranks):
            return self._go_on_as_before(trial, problem)
        self._trial = trial
        return None

    def _roll_back(self, trial: _Trial, outcome: Outcome) -> Ending | None:
        """What was saved is there yet."""
        self._trial = None
        return self._go_on_as_before(trial, outcome.text)

    def _go_on_as_before(self, trial: _Trial, problem: str) -> Ending | None:
        failed = f"on {trial.request.ranks} ranks: {problem}"
        self._say(f"{failed}: it goes on with {trial.before}")
        ending = self._go_on(trial.before)
        self._requests.failed(trial.request, _PROCESS, f"{failed}; the job goes on with {trial.before}")
        return ending

    def _go_on(self, ranks: int) -> Ending | None:
        if problem := self._begin_again(ranks):
            words = self._start.continued(ranks, str(self._start.program))
            return Ending(Outcome(False, f"it cannot be started again: {problem}; to continue: {words}", 1))
        return None

    def _stopped(self) -> Ending:
        return Ending(Outcome(True, _STOPPED), stopped=True, ranks=self._ranks)

    def _over(self, outcome: Outcome) -> Ending | None:
        """Unless it failed, and goes on from what it saved by itself."""
        over = Ending(outcome, ranks=self._ranks)
        if outcome.good or self._again.most == 0 or self._stopping:
            return over
        missing = SavedFiles.now(self._at_first.patterns).not_since(self._at_first)
        unsaved = (
            f"it is not started again: {missing[0]} was not written since the job began" if missing else ""
        )
        if refusal := self._again.refusal or unsaved:
            self._say(refusal)
            return over
        self._again.count()
        self._fail(_PROCESS, f"the program failed: {outcome.text}")
        number = self._again.number
        self._say(f"it failed: {outcome.text}; it goes on from what it saved last (recovery {number})")
        return self._go_on(self._ranks)
