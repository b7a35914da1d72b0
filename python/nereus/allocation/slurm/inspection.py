# SPDX-License-Identifier: BSD-3-Clause
"""What Slurm shows of us, for those who measure it."""

from collections.abc import Sequence
from pathlib import Path

from nereus.allocation.contract import AllocationError, Inspection
from nereus.allocation.slurm.client import Answer, Call, wait
from nereus.allocation.slurm.environment import SlurmJob
from nereus.allocation.slurm.first_job import options_like
from nereus.launch.processes import JOB_VARIABLE

_WITHIN = 30.0
# Run on hosts that are idle: the folder of the job, and processes that carry its key.
_LOOK = """\
[ ! -e "$1" ] || echo "$(hostname): folder $1"
for file in $(grep -lsz "^$2\\$" /proc/[0-9]*/environ); do echo "$(hostname): process ${file%/environ}"; done
exit 0"""


class SlurmInspection(Inspection):
    def __init__(self, job: SlurmJob) -> None:
        self._job = job

    def are_idle(self, names: Sequence[str]) -> bool:
        words = ["sinfo", "--noheader", "--Node", "--nodes", ",".join(names), "--states=idle", "--format=%N"]
        return set(_answer(words).out.split()) == set(names)

    def left_behind(self, key: str, folder: Path, names: Sequence[str]) -> list[str]:
        jobs = _answer(["squeue", "--noheader", "--me", "--format=%j"]).out.split()
        steps = _answer(["squeue", "--noheader", "--me", "--steps", "--format=%i %N"]).out.splitlines()
        found = [f"job {name}" for name in jobs if name.startswith(f"nereus-{key}")]
        found += [f"step {step}" for step in steps if set(step.split()[1:]) & set(names)]
        return found + self._looked_for(key, folder, names)

    def _looked_for(self, key: str, folder: Path, names: Sequence[str]) -> list[str]:
        """By a small job of Slurm on these hosts."""
        hosts = [f"--nodes={len(names)}", f"--nodelist={','.join(names)}", "--ntasks-per-node=1"]
        task = ["--quiet", "--mpi=none", "--input=none", "--chdir=/", f"--job-name=nereus-look-{key}"]
        look = ["/bin/sh", "-c", _LOOK, "sh", str(folder), f"{JOB_VARIABLE}={key}"]
        return _answer(["srun", *self._options(), *hosts, *task, *look]).out.splitlines()

    def _options(self) -> list[str]:
        steps = options_like(self._job)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                options: list[str] = end.value
                return options


def _answer(words: list[str]) -> Answer:
    answer = wait(Call(words, limit=_WITHIN), _WITHIN)
    if not answer.is_good:
        raise AllocationError(f"{words[0]}: {answer.reason}")
    return answer
