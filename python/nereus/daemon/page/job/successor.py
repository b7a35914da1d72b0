# SPDX-License-Identifier: BSD-3-Clause
"""The job that goes on from an epoch of one that failed, with another key (`nereus run --recoveries`)."""

from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import ValidationError

from nereus.daemon.page.job.status import ANSWERED_WITHIN, AskJob, JobStatus, Status
from nereus.launch.hosts import is_here
from nereus.supervisor import FoundJob, NoAnswer, ask, found_jobs


class Successors:
    """Of jobs whose supervisor runs on this host."""

    def __init__(
        self,
        found: Callable[[], Sequence[FoundJob]] = found_jobs,
        ask: AskJob = ask,
        processes: Path = Path("/proc"),
    ) -> None:
        self._found, self._ask, self._processes = found, ask, processes

    def may_come(self, failed: Status) -> bool:
        """Whether the process is there still that would start one."""
        return is_here(failed.host) and (self._processes / str(failed.pid)).exists()

    def of(self, failed: Status) -> FoundJob | None:
        """None where there is none now."""
        others = [job for job in self._found() if job.key != failed.job and job.name == failed.name]
        return next((job for job in others if self._continues(job) == failed.job), None)

    def status_of(self, job: FoundJob) -> JobStatus:
        """Of the one that was found."""
        return JobStatus(job.where, self._ask)

    def _continues(self, job: FoundJob) -> str | None:
        try:
            answer = self._ask(job.where, {"kind": "status"}, ANSWERED_WITHIN)
            return Status.model_validate(answer).continues
        except (NoAnswer, ValidationError):
            return None
