# SPDX-License-Identifier: BSD-3-Clause
"""The groups of a job's processes: its founders, and one for each mpiexec that was started later.

A group that is part of the job and fails is the failure of the job. A group that is not part of it yet, or
never will be, may end as it likes.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nereus.launch import processes
from nereus.launch.command import PROTECT_FOLDER, RESTART_FOLDER, RESTARTED, Command
from nereus.launch.error import LaunchError
from nereus.launch.outcome import Outcome, judge
from nereus.launch.preloading import forwards_itself, not_forwarded
from nereus.launch.processes import CONTINUES_VARIABLE, GROUP_VARIABLE, JOB_VARIABLE, Process

#: Seconds between the request to a group to end and the killing of what is left of it.
KILLED_AFTER = 0.5
# A look at all processes of the host: not too often.
_REAPED_EVERY = 1.0
PARTY_VARIABLE = "NEREUS_PARTY"
# What another supervisor, under which this one may run, has told about its own job.
_OF_OTHERS = (
    *("NEREUS_LINK", "NEREUS_LINK_KEYS", "NEREUS_JOINS", "NEREUS_FOUNDERS", PARTY_VARIABLE),
    *(RESTART_FOLDER, RESTARTED, PROTECT_FOLDER),
)


@dataclass(eq=False)
class Group:
    """One mpiexec with its processes, which have the group's number in their environment; founders have 0."""

    number: int
    launcher: "subprocess.Popen[bytes]"
    descriptor: int
    output: Path | None
    dies_silently: bool = False
    hosts: Mapping[str, int] = field(default_factory=dict)
    part: bool = False
    #: Whether all were there when the job, or a generation that was started anew, was opened.
    founders: bool = False
    outcome: Outcome | None = None


@dataclass
class Groups:
    """All groups of one job; `output`: file for what they write, None: our own stdout and stderr."""

    job: str
    temporary: Path
    output: Path | None
    #: The key of the job that it continues, if any.
    continues: str = ""
    running: list[Group] = field(default_factory=list)
    #: How the first group that is part of the job failed.
    failed: Outcome | None = None
    #: When the latest group ended that was part of the job.
    last_end: float = 0.0
    _started: int = 0
    _sessions: set[int] = field(default_factory=set)
    _next_reaping: float = 0.0
    _to_ask: list[tuple[float, Group]] = field(default_factory=list)
    _to_kill: list[tuple[float, Group]] = field(default_factory=list)
    _texts: list[Path] = field(default_factory=list)

    def start(
        self, command: Command, environment: Mapping[str, str] | None = None, founders: bool = False
    ) -> Group:
        """Start a group; the first one are the founders, who are part of the job at once."""
        number = self._started
        # The MPI's session folder and sockets go to a temporary folder of this job; it is removed whole.
        own = {
            JOB_VARIABLE: self.job,
            CONTINUES_VARIABLE: self.continues,
            GROUP_VARIABLE: str(number),
            "TMPDIR": str(self.temporary),
        }
        inherited = {name: value for name, value in os.environ.items() if name not in _OF_OTHERS}
        if forwards_itself(command.arguments):
            inherited = not_forwarded(inherited)
        complete = {**inherited, **command.environment, **(environment or {}), **own}
        output = self.temporary / f"output-{number}" if self.output and number else self.output
        launcher = _execute(command, complete, output, founders=number == 0)
        self._started += 1
        descriptor = os.pidfd_open(launcher.pid)
        group = Group(
            *(number, launcher, descriptor, output, command.dies_silently, command.hosts),
            part=number == 0,
            founders=founders or number == 0,
        )
        self.running.append(group)
        self._sessions.add(launcher.pid)
        if output is not None and number:
            self._texts.append(output)
        return group

    def look(self) -> list[Group]:
        """The groups that have ended since the last look."""
        ended = [group for group in self.running if group.launcher.poll() is not None]
        for group in ended:
            os.close(group.descriptor)
            group.outcome = judge(group.launcher.returncode, _text(group.output) if group.output else None)
            self.running.remove(group)
            self._forget_if_silent(group)
            if group.part:
                self.last_end = time.monotonic()
                self._note_failure(group)
        return ended

    def adopt(self, group: Group) -> None:
        """From now on the group is part of the job; if it has failed meanwhile, so has the job."""
        group.part = True
        self._note_failure(group)

    def end(self, group: Group, after: float = 0.0) -> None:
        """Ask the group to end in `after` seconds, and kill soon after that what is left of it."""
        self._to_ask.append((time.monotonic() + after, group))
        self.tend()

    def continue_stopped(self, group: Group) -> bool:
        """Have its stopped processes go on; whether there were any."""
        stopped = [process for process in self._processes_of(group) if processes.is_stopped(process)]
        for process in stopped:
            processes.send(process, signal.SIGCONT)
        return bool(stopped)

    def kill(self, group: Group) -> bool:
        """End its processes at once; whether there were any."""
        found = self._processes_of(group)
        for process in found:
            processes.send(process, signal.SIGKILL)
        return bool(found)

    def tend(self) -> None:
        """Do what is due for groups that are to end, and for processes that have."""
        now = time.monotonic()
        if now >= self._next_reaping:
            processes.reap_orphans(self._sessions)
            self._next_reaping = now + _REAPED_EVERY
        for due, group in [entry for entry in self._to_ask if entry[0] <= now]:
            self._to_ask.remove((due, group))
            if group.launcher.poll() is None:
                ask_to_end(group)
            self._to_kill.append((now + KILLED_AFTER, group))
        for due, group in [entry for entry in self._to_kill if entry[0] <= now]:
            self._to_kill.remove((due, group))
            self.kill(group)

    @property
    def due(self) -> float | None:
        """When there is next something to do for groups that are to end."""
        return min((due for due, _ in [*self._to_ask, *self._to_kill]), default=None)

    def processes(self) -> list[Process]:
        """All running processes of the job, launchers among them."""
        roots = [group.launcher.pid for group in self.running if group.launcher.poll() is None]
        return processes.of_job(self.job, roots)

    def text(self) -> str:
        """All that the job has written so far."""
        return "".join(_text(path) for path in (self.output, *self._texts))

    def gather_output(self) -> None:
        """Append what groups other than the founders wrote to the job's output."""
        text = "".join(_text(path) for path in self._texts)
        self._texts.clear()
        if self.output is not None and text:
            with self.output.open("a", encoding="utf-8") as file:
                file.write(text)

    def _processes_of(self, group: Group) -> list[Process]:
        root = group.launcher.pid if group.launcher.poll() is None else None
        return processes.of_group(self.job, group.number, root)

    def _note_failure(self, group: Group) -> None:
        if group.outcome is not None and not group.outcome.good:
            self.failed = self.failed or group.outcome

    def _forget_if_silent(self, group: Group) -> None:
        output = group.output
        if output is not None and output in self._texts and output.stat().st_size == 0:
            self._texts.remove(output)
            output.unlink()


def ask_to_end(group: Group) -> None:
    """Have a group end that runs. One that nobody wants any more has nothing to tell the user."""
    unwanted = group.dies_silently and not group.part
    group.launcher.send_signal(signal.SIGKILL if unwanted else signal.SIGTERM)


def last_words(group: Group) -> str:
    """The last line that a group wrote, or "" when it was silent or wrote to our own stderr."""
    lines = _text(group.output).split("\n") if group.number else []
    spoken = [line.strip() for line in lines if any(sign.isalnum() for sign in line)]
    return spoken[-1][:200] if spoken else ""


def _execute(
    command: Command, environment: dict[str, str], output: Path | None, founders: bool
) -> "subprocess.Popen[bytes]":
    # Where output passes through, so does input, but a session of its own cannot read a terminal.
    reads = command.reads_input and output is None and founders and sys.stdin is not None
    sink = output.open("wb") if output is not None else None
    try:
        return subprocess.Popen(
            command.arguments,
            env=environment,
            stdin=None if reads and not sys.stdin.isatty() else subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT if sink else None,
            start_new_session=True,
            preexec_fn=processes.dying_with_us(),
        )
    except OSError as problem:
        raise LaunchError(f"{command.arguments[0]}: cannot be started: {problem.strerror}") from problem
    finally:
        if sink is not None:
            sink.close()


def _text(path: Path | None) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace") if path is not None else ""
    except FileNotFoundError:
        return ""
