# SPDX-License-Identifier: BSD-3-Clause
"""One question to one job, for commands that ask it for something."""

from typing import Any

from nereus.supervisor import FoundJob, NoAnswer, ask


def ask_job(job: FoundJob, question: dict[str, Any], timeout: float, done: str = "resized") -> dict[str, Any]:
    """Its answer; one that says so where there is none in time. `done`: what was to be done to it."""
    try:
        return ask(job.where, question, timeout)
    except NoAnswer as problem:
        message = f"job {job.shown}: {problem}; whether it will be {done} is not known"
        return {"kind": "refused", "message": message}
