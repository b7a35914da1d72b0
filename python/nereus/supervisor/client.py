# SPDX-License-Identifier: BSD-3-Clause
"""This user's running jobs: those on this host by their control sockets, those on others by their records."""

import contextlib
import socket
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nereus.launch.error import LaunchError
from nereus.launch.hosts import is_here
from nereus.launch.private_folder import is_private
from nereus.supervisor import control_socket
from nereus.supervisor.asking import NoAnswer, Where, ask_all
from nereus.supervisor.descriptors import CONTROL_SOCKET_ENDING
from nereus.supervisor.job_names import meant_by
from nereus.supervisor.job_records import forget_refusing, job_records
from nereus.supervisor.listener_trial import ListenerTrial
from nereus.supervisor.name_claim import job_names, remove_abandoned_names

if TYPE_CHECKING:
    from nereus.supervisor.job_record import JobRecord

#: Is told of files that are ignored, a line each.
Warn = Callable[[str], None]

STATUS_WITHIN = 5.0
_NEW_FOR = 2.0


def unheard(text: str) -> None:
    """For whoever has no place for such lines; `nereus jobs` has."""


@dataclass(frozen=True)
class FoundJob:
    """A job with a supervisor, and where that is asked; the record by which it was found, if it was."""

    key: str
    name: str | None
    #: Where its supervisor runs.
    host: str
    where: Where
    record: "JobRecord | None" = None

    @property
    def shown(self) -> str:
        """What people are told of it among others; jobs of several hosts may have the same name."""
        name = self.name or self.key
        if is_here(self.host):
            return name
        return f"{name} on {self.host}" + (f" (key {self.key})" if self.name else "")


def found_jobs(warn: Warn = unheard) -> list[FoundJob]:
    """All of this user's: first those of this host, then those of others, by key."""
    local, names, here = control_sockets(), job_names(), socket.gethostname()
    found = [FoundJob(path.stem, names.get(path.stem), here, path) for path in local]
    known = {job.key for job in found}
    recorded = (record for record in job_records(warn) if record.job not in known)
    return [*found, *(FoundJob(r.job, r.name, r.host, r.network_address, r) for r in recorded)]


def find(job: str, warn: Warn = unheard) -> FoundJob:
    """The one job of that name or key, or whose key begins so; a name of this host's counts before others."""
    there = found_jobs(warn)
    names = {one.key: one.name for one in there if one.name is not None}
    keys = meant_by(job, [one.key for one in there], names)
    meant = [one for one in there if one.key in keys]
    here = [one for one in meant if isinstance(one.where, Path) and job in (one.key, one.name)]
    meant = here or meant
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise LaunchError(f"JOB = {job}: could be any of {_list(meant)}")
    raise LaunchError(
        f"JOB = {job or '(empty)'}: no such job of yours is known here; running: {_list(there)}"
    )


def statuses(warn: Warn = unheard, seconds: float = STATUS_WITHIN) -> list[dict[str, Any]]:
    """How each job stands; all are asked at the same time, and one that is silent delays no other."""
    jobs = found_jobs(warn)
    answers = ask_all([job.where for job in jobs], {"kind": "status"}, seconds)
    documents = (_document(job, answer) for job, answer in zip(jobs, answers, strict=True))
    return [document for document in documents if document is not None]


def control_sockets() -> list[Path]:
    """Those of this user's running jobs on this host, by key; what dead supervisors left is removed."""
    remove_abandoned_names()
    folder = control_socket.control_socket_folder()
    if not is_private(folder):
        return []
    found = list(folder.glob(f"*{CONTROL_SOCKET_ENDING}"))
    jobs = [path for path in found if path.stem != control_socket.DAEMON]
    return sorted((path for path in jobs if not _removed_as_stale(path)), key=lambda path: path.name)


def _list(jobs: Iterable[FoundJob]) -> str:
    return ", ".join(sorted(job.shown for job in jobs)) or "none"


def _document(job: FoundJob, answer: dict[str, Any] | NoAnswer) -> dict[str, Any] | None:
    """None where the job turns out to be long gone."""
    known = {"job": job.key, "name": job.name, "host": job.host}
    if not isinstance(answer, NoAnswer):
        return {**known, **{key: value for key, value in answer.items() if key not in {"version", "kind"}}}
    if answer.refused and job.record is not None and forget_refusing(job.record):
        return None
    return {**known, "state": "silent", "reason": str(answer)}


def _removed_as_stale(path: Path) -> bool:
    if not ListenerTrial(path).refused:
        return False
    with contextlib.suppress(OSError):
        # One that is just being made does not listen yet.
        if time.time() - path.lstat().st_mtime > _NEW_FOR:
            path.unlink()
    return True
