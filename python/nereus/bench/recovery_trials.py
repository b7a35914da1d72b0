# SPDX-License-Identifier: BSD-3-Clause
"""Has jobs lose ranks or hosts again and again, and times how they go on, by us and by others.

Neighbours in time are compared where files matter: in each round an epoch is saved, the same bytes are
written plainly, a rank is killed, and the epoch is read plainly once the job has continued.
"""

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from nereus.bench.epochs_job import EpochsJob, Size, epochs_job, folder_of_epochs
from nereus.bench.local_hosts import LocalHosts, Wanted, hosts_for
from nereus.bench.logged_job import LoggedJob, TrialError
from nereus.bench.plain_files import PlainFiles, seconds_to_read
from nereus.bench.ulfm_job import ulfm_job
from nereus.launch.builds import Build

#: Seconds between epochs in memory.
_PROTECT_EVERY = 1.0
#: More than there are trials: each failure of the job is one that we make.
_RECOVERIES = ("--recoveries", "1000000")
_IN_MEMORY = ("--protect", "memory", "--protect-every", str(_PROTECT_EVERY), *_RECOVERIES)
_BY_BUDDIES = ("--protect", "buddy", "--protect-every", str(_PROTECT_EVERY))


@dataclass(frozen=True)
class Recovery:
    """After the death of a rank. Seconds, but for `lost`: iterations that were done again."""

    #: From the death to the end of the first iteration after it.
    seconds: float
    lost: int
    #: To open the job with its data from the epoch, as its processes saw it.
    resume: float


@dataclass(frozen=True)
class HostLoss:
    """Seconds. `noticed`: from the loss of a host until `nereus run` told of it; `seconds`: from the loss to
    the end of the first iteration on the other hosts.
    """

    seconds: float
    noticed: float
    #: Iterations that were done again.
    lost: int


@dataclass(frozen=True)
class Round:
    """Seconds."""

    #: The job's time for an epoch, and that of plain files with the same bytes until they are on the disk.
    save: float
    write: float
    recovery: Recovery
    #: The epoch's files, plainly.
    read: float


@dataclass(frozen=True)
class RecoveryTrials:
    """`command`: of nereus; `folder`: for epochs and plain files, on the file system that is measured."""

    command: Sequence[str]
    build: Build
    size: Size
    folder: Path
    stopped: Callable[[], bool]

    def rounds(self, count: int) -> Iterator[Round]:
        """Each as soon as it is over. The first epoch of the job is not counted: its folder is new."""
        with self._job(*self._on_disk, *_RECOVERIES) as job:
            job.save()
            for number in range(count):
                yield self._round(job, number)

    def memory_recoveries(self, count: int) -> Iterator[Recovery]:
        """Each as soon as it is over; from epochs in memory: at least two are made between two deaths."""
        with self._job(*_IN_MEMORY) as job:
            for number in range(count):
                job.first_iteration_after(time.monotonic() + 3 * _PROTECT_EVERY)
                yield _recovery(job, number)

    def restarts(self, count: int) -> Iterator[float]:
        """Seconds without an iteration, where the job is started anew with twice as many ranks."""
        with self._job(*self._on_disk, *_RECOVERIES) as job:
            for _ in range(count):
                yield job.restart(2 * self.size.ranks)
                job.restart(self.size.ranks)

    def reruns(self, count: int) -> Iterator[float]:
        """Seconds from the death of a rank to an iteration of another job, which somebody starts at once."""
        since = 0.0
        for number in range(count):
            with self._job(*self._on_disk, since=since) as job:
                job.save()
                killed = job.kill(number)
                job.wait_until_ended()
            with self._job(
                *self._on_disk, "--resume", str(folder_of_epochs(self.folder)), since=killed
            ) as job:
                opened = job.wait_until_opened(killed)
                yield job.first_iteration_after(opened.time).time - killed
            since = time.monotonic()
            shutil.rmtree(folder_of_epochs(self.folder))

    def host_losses(self, count: int, *, has_buddies: bool = False) -> Iterator[HostLoss]:
        """Each as soon as it is over; of jobs on three hosts, of which the second one is lost.

        `has_buddies`: they keep epochs in memory for one another; else these are on disk.
        """
        case = "buddy" if has_buddies else "host"
        with hosts_for(f"--cases = {case}", Wanted("nrl", "abc")) as hosts, _told_in_a_line():
            listed = ",".join(f"{name}:{self.size.ranks}" for name in hosts.names)
            options = ("--hosts", listed, "--rsh", str(hosts.rsh), "--placement", "spread", *_RECOVERIES)
            kept = _BY_BUDDIES if has_buddies else self._on_disk
            since = 0.0
            for _ in range(count):
                with self._job(*kept, *options, since=since, on=hosts) as job:
                    if has_buddies:
                        job.first_iteration_after(time.monotonic() + 3 * _PROTECT_EVERY)
                    else:
                        job.save()
                    yield _loss(job, hosts)
                since = time.monotonic()
                shutil.rmtree(folder_of_epochs(self.folder), ignore_errors=has_buddies)

    def ulfm(self, count: int, *, replaces: bool) -> Iterator[Recovery]:
        """Each as soon as it is over; of jobs that survive by ULFM, with copies in memory as often.

        `replaces`: a new process takes the place of the dead one; else there are fewer afterwards.
        """
        options = ["--copy-every", str(_PROTECT_EVERY), *(["--replace"] if replaces else [])]
        since = 0.0
        for number in range(count):
            with ulfm_job(self.build, self.size, self.folder, self.stopped, options, since) as job:
                job.first_iteration_after(time.monotonic() + 3 * _PROTECT_EVERY)
                yield _recovery(job, number)
            since = time.monotonic()

    @property
    def _on_disk(self) -> Sequence[str]:
        return ("--save", str(folder_of_epochs(self.folder)))

    def _job(
        self, *options: str, since: float = 0.0, on: LocalHosts | None = None
    ) -> AbstractContextManager[EpochsJob]:
        """On the first of these hosts, or here."""

        def nereus(arguments: Sequence[str]) -> Sequence[str]:
            words = [*self.command, *arguments]
            return on.command_on(on.names[0], words) if on is not None else words

        return epochs_job(nereus, self.build, self.size, self.folder, self.stopped, options, since)

    def _round(self, job: EpochsJob, number: int) -> Round:
        plain = PlainFiles(self.folder / "plain", self.size.ranks, self.size.bytes)
        try:
            # In turns: what the first one leaves to be written slows the second one.
            write = plain.write() if number % 2 == 0 else None
            saved = job.save()
            write = plain.write() if write is None else write
        finally:
            plain.remove()
        recovery = _recovery(job, number)
        files = [path for path in sorted(saved.folder.rglob("*")) if path.is_file()]
        read = seconds_to_read(files, self.size.ranks)
        return Round(saved.seconds, write, recovery, read)


@contextmanager
def _told_in_a_line() -> Iterator[None]:
    """What the system refuses to do with hosts."""
    try:
        yield
    except subprocess.SubprocessError as problem:
        raise TrialError(f"a host cannot be lost: {problem}") from problem


def _loss(job: EpochsJob, hosts: LocalHosts) -> HostLoss:
    name = hosts.names[1]
    told = f"{name}: lost"
    if job.was_told(told):
        raise TrialError(f"{name} sent no heartbeat before it was to be lost: this machine is too busy")
    began = time.monotonic()
    with hosts.lost(name):
        noticed = job.wait_until_told(told)
        opened = job.wait_until_opened(noticed)
        first = job.first_iteration_after(opened.time)
    lost = job.last_iteration_before(opened.time).iteration - opened.iteration
    return HostLoss(first.time - began, noticed - began, lost)


def _recovery(job: LoggedJob, rank: int) -> Recovery:
    """That rank is killed."""
    killed = job.kill(rank)
    opened = job.wait_until_opened(killed)
    first = job.first_iteration_after(opened.time)
    lost = job.last_iteration_before(opened.time).iteration - opened.iteration
    return Recovery(first.time - killed, lost, opened.seconds)
