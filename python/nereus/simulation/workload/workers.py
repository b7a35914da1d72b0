# SPDX-License-Identifier: BSD-3-Clause
"""Simulates the cases of a comparison, side by side in processes of their own, or one by one in this one."""

import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing.connection import Pipe, wait
from types import TracebackType
from typing import Self

from nereus import UserError
from nereus.launch import cores
from nereus.simulation.workload import worker
from nereus.simulation.workload.comparison import Case, Comparison
from nereus.simulation.workload.ends import Ends, Stopped
from nereus.simulation.workload.figures import Figures
from nereus.simulation.workload.messages import Ended, Failed, Message, Task

#: To start a worker takes as long as to simulate some thousand jobs.
_FEW_JOBS = 20_000
_LOOK_SECONDS = 0.1  # between looks whether a signal came


class WorkerError(UserError):
    """A worker has failed or was killed; the text says in which case."""


@dataclass(frozen=True)
class Watcher:
    """Who is told what comes about. `ended`: so many more jobs, of that case; `done`: a case is over.

    `stopped`: whether the user wants an end.
    """

    ended: Callable[[int, Case], None]
    done: Callable[[Case, Figures], None]
    stopped: Callable[[], bool]


def usual_workers(comparison: Comparison, cases: Sequence[Case]) -> int:
    """One for each core that this process may use; where there is little to do, none beside this process."""
    return 1 if comparison.jobs_each * len(cases) < _FEW_JOBS else cores()


def simulate_all(comparison: Comparison, cases: Sequence[Case], workers: int, watcher: Watcher) -> None:
    """Until all are done, or the user wants an end; results do not depend on the number of workers."""
    count = min(workers, len(cases))
    if count > 1:
        _side_by_side(comparison, cases, count, watcher)
    else:
        _one_by_one(comparison, cases, watcher)


def _one_by_one(comparison: Comparison, cases: Sequence[Case], watcher: Watcher) -> None:
    for case in cases:

        def tell(jobs: int, case: Case = case) -> None:
            watcher.ended(jobs, case)

        if watcher.stopped():
            return
        ends = Ends(tell, watcher.stopped)
        try:
            figures = comparison.simulated(case, ends)
        except Stopped:
            return
        ends.tell_rest()
        watcher.done(case, figures)


def _side_by_side(comparison: Comparison, cases: Sequence[Case], count: int, watcher: Watcher) -> None:
    left = deque(cases)
    task = Task(comparison.workload, comparison.skip_bad)
    with ExitStack() as stack:
        team = []
        for _ in range(count):
            if watcher.stopped():
                return
            team.append(stack.enter_context(_Worker(task, left.popleft())))
        while team and not watcher.stopped():
            heard = wait([each.line for each in team], _LOOK_SECONDS)
            for each in [each for each in team if each.line in heard]:
                message = each.message()
                if isinstance(message, Ended):
                    watcher.ended(message.jobs, each.case)
                    continue
                watcher.done(each.case, message)
                if left:
                    each.begin(left.popleft())
                else:
                    team.remove(each)


class _Worker:
    """Use it in a `with` statement; the process is killed at its end."""

    def __init__(self, task: Task, case: Case) -> None:
        self.case = case
        self.line, theirs = Pipe()
        command = [sys.executable, "-P", "-m", worker.__name__, str(theirs.fileno())]
        with theirs:
            # In a group of its own: Ctrl-C is for this process, which ends its workers.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                process_group=0,
            )
        self._send(task)
        self._send(case)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        self.line.close()

    def begin(self, case: Case) -> None:
        """This one is next."""
        self.case = case
        self._send(case)

    def message(self) -> Ended | Figures:
        """The next; WorkerError where none can come any more."""
        try:
            message: Message = self.line.recv()
        except (EOFError, ConnectionError):
            raise self._error() from None
        if isinstance(message, Failed):
            raise WorkerError(message.text if message.is_told else f"{self.case.text}: {message.text}")
        return message

    def _send(self, what: Task | Case) -> None:
        try:
            self.line.send(what)
        except ConnectionError:
            raise self._error() from None

    def _error(self) -> WorkerError:
        code = self._process.wait()
        how = f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        more = "; if memory ran out, fewer --workers help" if code == -signal.SIGKILL else ""
        return WorkerError(f"{self.case.text}: its worker ended {how}{more}")
