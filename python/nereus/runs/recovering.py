# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that continue one another: one that failed is started again, from its latest epoch."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from nereus.epochs import Epoch, EpochOnHosts, newest_number
from nereus.launch import LaunchError, RemoteShell
from nereus.runs.ending import Ending
from nereus.runs.error import RunError
from nereus.runs.recovery import Recoveries
from nereus.runs.saving import Saving
from nereus.runs.where import Where
from nereus.supervisor import HostEpochs, MemoryEpochs, NameClaim, claim_name

#: Is told one line.
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Attempt:
    """One job: where it goes, with how many ranks, and from which epoch it continues."""

    where: Where
    ranks: int
    saving: Saving


@dataclass(frozen=True)
class Recovering:
    """What the jobs have in common that continue one another."""

    again: Recoveries
    #: None: none are kept.
    memory_epochs: MemoryEpochs | None
    stopped: Callable[[], bool]
    #: Are told what happens to the job; why it is over.
    complain: Tell
    note: Tell

    def run(
        self, name: str | None, program: str, first: Attempt, once: Callable[[Attempt, NameClaim], Ending]
    ) -> Ending:
        """The end of the last one. `once`: runs a job; `program`: names it where it has no name."""
        attempt, before = first, ""
        self._prepare(attempt.where)
        while True:
            with claim_name(name, program, before) as claim:
                folder = attempt.saving.folder
                newest = newest_number(folder) if folder is not None else 0
                ending = replace(once(attempt, claim), newest_before=newest)
            epoch = self.again.next_epoch(ending, folder, attempt.saving.epoch, self.memory_epochs)
            if isinstance(epoch, str) or self.stopped():
                if epoch and isinstance(epoch, str):
                    self.note(f"job {claim.name}: {epoch}")
                return ending
            assert ending.outcome is not None
            failed = f"job {claim.name} failed: {ending.outcome.text}"
            where, lost = attempt.where.without_silent_hosts(ending.lost_hosts)
            if attempt.where.hosts and not where.hosts:
                self.complain(f"{failed}; it is not started again: none of its hosts is left")
                return ending
            self.complain(f"{failed}; it continues from {self._named(epoch)} (recovery {self.again.number})")
            self._tell_of_silent(claim.name, [host for host in lost if host not in ending.lost_hosts])
            where = self._prepared_again(claim.name, where, ending)
            saving = replace(attempt.saving, epoch=epoch)
            name, before, attempt = (
                claim.name,
                # One that never began left nothing behind: the next one goes on from those before.
                claim.key if ending.was_opened else before,
                Attempt(where, _possible(ending.ranks or attempt.ranks, where), saving),
            )

    def _prepare(self, where: Where) -> None:
        """RunError names hosts on which no epochs can be kept."""
        wrong = self._problems(where)
        if wrong and not self.stopped():
            hosts = "; ".join(f"{name}: {why}" for name, why in wrong.items())
            raise RunError(f"no folder for epochs in memory could be made on {hosts}")

    def _prepared_again(self, job: str, where: Where, ending: Ending) -> Where:
        """Without hosts on which no epochs can be kept, as long as there are others."""
        wrong = self._problems(where)
        for name, why in wrong.items():
            self.complain(
                f"job {job}: {name}: no epochs can be kept in its memory: {why}; it goes on without"
            )
        if wrong and len(wrong) < len(where.hosts):
            where, _ = where.without_silent_hosts([*wrong])
        if self.memory_epochs is None or not ending.hosts:  # else as the job before
            return where
        # Where no process is, nobody could read what that host has.
        return where.with_least(
            self.memory_epochs.processes_on([host.name for host in where.hosts], ending.hosts)
        )

    def _problems(self, where: Where) -> Mapping[str, str]:
        if self.memory_epochs is None:
            return {}
        try:
            return self.memory_epochs.prepare([host.name for host in where.hosts], self.stopped)
        except LaunchError as problem:
            raise RunError(str(problem)) from None

    def _named(self, epoch: Epoch | EpochOnHosts) -> str:
        in_memory = self.memory_epochs is not None and self.memory_epochs.has(epoch.folder)
        return f"epoch {epoch.number}" + (" in memory" if in_memory else "")

    def _tell_of_silent(self, job: str, hosts: Sequence[str]) -> None:
        """The user was told of those that were lost before."""
        if hosts:
            self.complain(f"job {job}: {', '.join(hosts)}: no process starts there: the job goes on without")


def _possible(ranks: int, where: Where) -> int:
    """As many as it had, but one on each host that keeps its data; or as its hosts have slots for."""
    ranks = max(ranks, sum(least > 0 for least in where.least.values()))
    return min(ranks, where.slots) if where.slots and not where.oversubscribe else ranks


def protects_here_alone(where: Where) -> bool:
    """Whether what is kept in memory of this host helps all of the job."""
    return not (where.reach.far or where.reach.grows)


def can_have_buddies(where: Where) -> bool:
    """Whether there are other hosts, by a list of the user's: in others nobody could keep what they have."""
    return where.can_have_heartbeats and len(where.hosts) > 1


@contextmanager
def memory_epochs_for(
    saving: Saving, asked_by: str, shell: RemoteShell | None = None
) -> Iterator[MemoryEpochs | None]:
    """None where there are to be none; RunError where there cannot be. `asked_by`: what asked for them.

    `shell`: how to get to other hosts.
    """
    if not saving.protect_every:
        yield None
        return
    try:
        kept = HostEpochs(shell) if saving.has_buddies else MemoryEpochs()
    except OSError as problem:
        raise RunError(f"{asked_by}: {problem.filename}: {problem.strerror}") from None
    with closing(kept):
        yield kept
