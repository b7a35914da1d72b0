# SPDX-License-Identifier: BSD-3-Clause
"""The run under `nereus monitor` or `nereus trace` on this host that a user means."""

from pathlib import Path

from nereus import printable
from nereus.analysis.monitor.live import sums
from nereus.cli.messages import Refused
from nereus.launch.hosts import is_here
from nereus.launch.parts_folder import monitored, run_of, totals
from nereus.supervisor import found_jobs, job_names, meant_by


def _elsewhere(wanted: str | None, way: str) -> str:
    """Where a job that is not monitored on this host may be."""
    jobs = [one for one in found_jobs() if wanted in (one.key, one.name) and not is_here(one.host)]
    return "".join(f"; {wanted} runs on {one.host}: {way.format(host=one.host)}" for one in jobs[:1])


def chosen_run(wanted: str | None, elsewhere: str = "--at {host} looks there") -> tuple[Path, str | None]:
    """Where the records of the run lie, and the key of the job that was meant; None: all processes.

    `elsewhere`: what to do where the job runs on another host.
    """
    found = monitored()
    if wanted is None and len(found) == 1:
        return found[0], None
    for folder in found:
        if wanted == name_of(folder):
            return folder, None
    names = job_names()
    jobs = {folder: _jobs(folder) for folder in found}
    meant = meant_by(wanted or "", {key for keys in jobs.values() for key in keys}, names)
    with_it = [(folder, key) for folder in found for key in jobs[folder] if key in meant]
    if len(with_it) == 1:
        return with_it[0]
    there = ", ".join(
        " ".join([name_of(folder), *(f"(job {printable(names.get(key, key))})" for key in jobs[folder])])
        for folder in found
    )
    which = f"JOB = {wanted}" if wanted else "JOB"
    hint = _elsewhere(wanted, elsewhere)
    if found:
        raise Refused(f"{which}: monitored on this host are: {there}{hint}")
    raise Refused(f"{which}: no such run is monitored on this host; `nereus monitor` begins one{hint}")


def name_of(folder: Path) -> str:
    """Of the run, as users give it."""
    return printable(run_of(folder))


def _jobs(folder: Path) -> list[str]:
    return sorted({one.job for one in sums(totals(folder)).values() if one.job})
