# SPDX-License-Identifier: BSD-3-Clause
"""One MPI job under our eyes: its groups each in a session of its own, ended whole, nothing left of it."""

import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import zmq

from nereus.allocation import Allocation, check_working_folder, static_hosts
from nereus.launch import processes
from nereus.launch.command import Command, Launch
from nereus.launch.groups import Groups, ask_to_end
from nereus.launch.hosts import Reach, is_here
from nereus.launch.name_server import NameServer
from nereus.launch.outcome import Outcome
from nereus.launch.processes import JOB_VARIABLE, Process
from nereus.launch.shared_memory import Snapshot
from nereus.launch.watchdog import Watchdog
from nereus.supervisor.name_claim import NameClaim, claim_name, new_key
from nereus.supervisor.supervision import Supervision
from nereus.supervisor.supervisor import Supervisor

_LOOK_EVERY = 0.05
# A killed process lasts until the system has freed its memory, which takes a while for gigabytes.
_KILLED_WITHIN = 10.0
# Where a host was lost, nobody can end by himself any more.
_GRACE_AFTER_LOSS = 0.5
# How long the word that newcomers are part of the job may come after the end of those who said it.
_LAST_WORD_WITHIN = 2.0
# How long the first word of a job may come after the end of a program that said nothing until then.
_FIRST_WORD_WITHIN = 0.5


class Job:
    """A started job. Use it in a `with` statement: at its end no process and no file of the job is left.

    A supervised job speaks with its supervisor: `attend` is to be called again and again while it runs.
    """

    #: Seconds that processes have to end by themselves before they are killed.
    grace = 5.0
    #: Once it has ended: whether its program had opened it; whether it stopped in order to be continued from
    #: its latest epoch; how many ranks it had at last.
    was_opened, stopped, ranks = False, False, 0
    #: Of each rank at last, as its root has told.
    hosts: Sequence[str] = ()
    #: Hosts that it needed, and were lost; it failed by that.
    lost_hosts: Sequence[str] = ()

    def __init__(
        self, start: Command | Supervision, output: Path | None, claim: NameClaim | None = None
    ) -> None:
        """Start it; what its processes write goes to the file `output`, or to our own stdout and stderr.

        `claim`: of the name and key that it was announced by; else a supervised job is called by its program.
        It is released when the job ends.
        """
        if claim is None and isinstance(start, Supervision):
            claim = claim_name(None, start.launch.program.name)
        self._claim = claim
        self.output = output
        self._watchdog: Watchdog | None = None
        self._supervisor: Supervisor | None = None
        self._server: NameServer | None = None
        self._allocation: Allocation | None = None
        with ExitStack() as undone:
            undone.callback(self._release_name)
            self.key = claim.key if claim is not None else new_key()
            #: What people call it; a job that nobody supervises has no other name than its key.
            self.name = claim.name if claim is not None else self.key
            self._shared_memory = Snapshot.take(self.key)
            self._temporary = Path(tempfile.mkdtemp(prefix="nereus-"))
            undone.pop_all()
        continues = claim.continues if claim is not None else ""
        self._groups = Groups(self.key, self._temporary, output, continues)
        try:
            self._watchdog = Watchdog(f"{JOB_VARIABLE}={self.key}", self._temporary)
            self._begin(start)
        except BaseException:
            self.end()
            raise

    def _begin(self, start: Command | Supervision) -> None:
        if isinstance(start, Command):
            self._groups.start(start)
            return
        launch = start.launch
        server = self._start_server(launch) if start.joins and launch.build.kind == "openmpi" else None
        manager = start.manager or static_hosts(launch.reach)
        self._allocation = manager.open(self.key, self._temporary)
        self._check_working_folder(launch.reach)
        self._supervisor = Supervisor(self._groups, self.name, start, self._allocation, server)
        self._groups.start(launch.command(start.founders, self._supervisor.environment, server))

    def _check_working_folder(self, reach: Reach) -> None:
        """MPICH's launcher ends, with all its ranks, when it spawns on a host that does not have it."""
        if reach.remote_shell is not None and self._allocation is not None:
            far = [host.name for host in reach.hosts if not is_here(host.name)]
            check_working_folder(far, reach.remote_shell, self._allocation.environment)

    def _start_server(self, launch: Launch) -> Path:
        own = {JOB_VARIABLE: self.key, "TMPDIR": str(self._temporary)}
        self._server = NameServer(launch.build, self._temporary, {**launch.environment, **own})
        return self._server.file

    def __enter__(self) -> Self:
        """Nothing to do: it runs already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it, however the block was left."""
        self.end()

    def running(self) -> bool:
        """Whether a group that is part of the job runs, and none has failed."""
        self._look()
        self._judge()
        if self._groups.failed is not None:
            return False
        if self._supervisor is not None and self._supervisor.restarts.under_way:
            return True
        if any(group.part for group in self._groups.running):
            return self._supervisor is None or not self._supervisor.strays_are_left()  # end() ends them
        if self._last_word_may_come():
            return True
        self._judge_end()
        return False

    def attend(self, seconds: float) -> None:
        """Do what there is to do for the job during so many seconds, or until it is over."""
        deadline = time.monotonic() + seconds
        while True:
            self._turn()
            now = time.monotonic()
            if now >= deadline or not self.running():
                return
            self._wait(max(0.0, min(deadline, self._due(deadline)) - now))

    def stop(self, failed: Callable[[str], None]) -> None:
        """Have it save an epoch and end; `failed` is told why it goes on instead, where it does."""
        if self._supervisor is not None:
            self._supervisor.saves.stop(failed)

    def pass_on(self, number: signal.Signals) -> None:
        """Send a signal to all processes of the application, by their launchers."""
        for group in self._groups.running:
            if group.part:
                group.launcher.send_signal(number)

    @property
    def folder(self) -> Path:
        """For its temporary files; on its other hosts there is one of the same path."""
        return self._temporary

    def processes(self) -> list[Process]:
        """All running processes of the job, launchers among them."""
        return self._groups.processes()

    def outcome(self) -> Outcome:
        """How it ended; only after it has."""
        while self.running():
            self.attend(_LOOK_EVERY)
        return self._groups.failed or Outcome(True, "the job ended normally")

    def text(self) -> str:
        """All that the job has written so far."""
        return self._groups.text()

    def end(self) -> None:
        """End whatever still runs, first with a request, then by force, and remove what it leaves."""
        if self._supervisor is not None:
            self._note_end(self._supervisor)
            if self._groups.failed is not None:
                self._supervisor.explain_failure()
            self._supervisor.close()
            self._supervisor = None
        self._release_name()
        self._ask_to_end()
        if not self._gone_within(_GRACE_AFTER_LOSS if self.lost_hosts else self.grace):
            self._signal_all(signal.SIGKILL)
            self._gone_within(_KILLED_WITHIN)
        if self._server is not None:
            self._server.end()
        self._look()
        self._groups.gather_output()
        if self._allocation is not None:
            self._allocation.close()
        shutil.rmtree(self._temporary, ignore_errors=True)
        self._shared_memory.remove_leftovers()
        if self._watchdog is not None:
            self._watchdog.close()

    def _note_end(self, supervisor: Supervisor) -> None:
        self.was_opened, self.ranks = supervisor.members.job_was_opened, supervisor.ranks
        self.stopped = supervisor.saves.stopped
        self.lost_hosts = tuple(supervisor.lost_hosts)
        self.hosts = supervisor.members.hosts

    def _release_name(self) -> None:
        if self._claim is not None:
            self._claim.release()

    def _look(self) -> None:
        for group in self._groups.look():
            if self._supervisor is not None:
                self._supervisor.group_ended(group)

    def _turn(self) -> None:
        if self._supervisor is not None:
            self._supervisor.turn()
        self._groups.tend()

    def _due(self, deadline: float) -> float:
        dues = [self._groups.due, self._supervisor.due if self._supervisor is not None else None]
        return min((due for due in dues if due is not None), default=deadline)

    def _wait(self, seconds: float) -> None:
        """Until a message comes, a group ends, or the time is over."""
        poller = zmq.Poller()
        for socket in self._supervisor.sockets if self._supervisor is not None else ():
            poller.register(socket, zmq.POLLIN)
        for group in self._groups.running:
            poller.register(group.descriptor, zmq.POLLIN)
        # Rounded up: a wait of no time, again and again until a moment comes, would be a busy wait.
        poller.poll(int(seconds * 1000) + 1 if seconds > 0 else 0)

    def _judge(self) -> None:
        """Take note of deaths that no launcher tells of."""
        if self._supervisor is not None and self._groups.failed is None:
            self._groups.failed = self._supervisor.failure()

    def _judge_end(self) -> None:
        """A job that was opened comes to its end by closing, whatever its launcher says."""
        if self._supervisor is not None and self._supervisor.members.job_is_open:
            self._groups.failed = self._groups.failed or Outcome(
                False, "the job ended without nereus_close()", 1
            )

    def _last_word_may_come(self) -> bool:
        """Whether a job that was not closed, or newcomers of whom nothing is known yet, may still speak."""
        if self._supervisor is None:
            return False
        within = 0.0
        if not self._supervisor.members.job_was_opened:
            within = _FIRST_WORD_WITHIN
        elif self._supervisor.expects_newcomers or self._supervisor.members.job_is_open:
            within = _LAST_WORD_WITHIN
        return time.monotonic() - self._groups.last_end < within

    def _ask_to_end(self) -> None:
        for group in self._groups.running:
            # A launcher that is asked ends its ranks and removes its own files; ranks alone could not.
            # It would wait for ranks on lost hosts.
            if self.lost_hosts:
                group.launcher.kill()
            else:
                ask_to_end(group)
        if not self._groups.running:
            self._signal_all(signal.SIGTERM)

    def _signal_all(self, number: signal.Signals) -> None:
        for process in self.processes():
            processes.send(process, number)

    def _gone_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        asked = False
        while self.processes():
            self._look()
            if not self._groups.running and not asked:
                # Whose launchers are gone is asked by us; so is what needs no launcher, as a name server.
                self._signal_all(signal.SIGTERM)
                asked = True
            if time.monotonic() > deadline:
                return False
            time.sleep(_LOOK_EVERY)
        return True
