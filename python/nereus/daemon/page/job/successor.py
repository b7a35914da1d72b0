# SPDX-License-Identifier: BSD-3-Clause
"""The job that goes on from an epoch of one that failed, with another key (`nereus run --recoveries`)."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from pydantic import ValidationError

from nereus.daemon.page.job.status import ANSWERED_WITHIN, AskJob, JobStatus, Status
from nereus.launch.hosts import is_here
from nereus.supervisor import FoundJob, NoAnswer, ask, found_jobs

#: Seconds within which the next one is there; later ones are not waited for.
COMES_WITHIN = 60.0


class Successors:
    """Of jobs whose supervisor runs on this host."""

    def __init__(
        self,
        found: Callable[[], Sequence[FoundJob]] = found_jobs,
        ask: AskJob = ask,
        processes: Path = Path("/proc"),
    ) -> None:
        self._found, self._ask, self._processes = found, ask, processes

    def may_come(self, ended: Status) -> bool:
        """Whether it was to be continued, and the process is there still that would do it."""
        return ended.recovers and is_here(ended.host) and self._runs(ended.pid)

    def of(self, keys: Collection[str], name: str | None) -> tuple[FoundJob, JobStatus] | None:
        """One of that name that continues one of these jobs; None where there is none now."""
        for job in self._found():
            if job.name == name and job.key not in keys:
                status = self._status(job)
                if status is not None and status.continues in keys:
                    return job, JobStatus(job.where, self._ask, status)
        return None

    def _runs(self, pid: int) -> bool:
        try:
            state = (self._processes / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2]
        except OSError:
            return False
        return state.split()[:1] != ["Z"]

    def _status(self, job: FoundJob) -> Status | None:
        try:
            return Status.model_validate(self._ask(job.where, {"kind": "status"}, ANSWERED_WITHIN))
        except (NoAnswer, ValidationError):
            return None
