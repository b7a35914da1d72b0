# SPDX-License-Identifier: BSD-3-Clause
"""Second jobs of a first job that Slurm has put back into the queue, and started again.

They end with the process that holds them, unless its node broke: then Slurm keeps them to the end of their
time. The comment of each says which run of which job it belongs to.
"""

from nereus.allocation.slurm.environment import SlurmJob

_MARK = "nereus-of"


def comment_of(job: SlurmJob) -> str:
    """For second jobs of this run."""
    return f"{_MARK}-{job.id}-{job.restarts}"


def question() -> list[str]:
    """The command whose answer `earlier` reads."""
    return ["squeue", "--noheader", "--me", "--format=%A %k"]


def earlier(text: str, job: SlurmJob) -> list[int]:
    """Numbers of second jobs of earlier runs."""
    ours = {f"{_MARK}-{job.id}-{run}" for run in range(job.restarts)}
    lines = (line.split() for line in text.splitlines())
    return [int(words[0]) for words in lines if len(words) == 2 and words[1] in ours and words[0].isdecimal()]
