# SPDX-License-Identifier: BSD-3-Clause
"""Removes a job's temporary folder from other hosts, where commands that were killed have left it."""

from collections.abc import Sequence
from pathlib import Path

from nereus.allocation.slurm.client import Call

_WITHIN = 10.0
# As start_on_host has it: whoever still has a command there holds the lock, and removes the folder.
_REMOVED = """\
[ -e "$1/.made-by-nereus" ] && [ -O "$1" ] || exit 0
exec 9<"$1" && flock -n 9 && rm -rf "$1"
exit 0"""


def sweep(job: int, hosts: Sequence[str], folder: Path) -> Call:
    """On these hosts of one Slurm job."""
    step = [f"--jobid={job}", "--overlap", f"--nodes={len(hosts)}", f"--nodelist={','.join(hosts)}"]
    task = ["--ntasks-per-node=1", "--mem=0", "--mpi=none", "--input=none"]
    # The folder may not be there, and srun enters the present one.
    words = ["srun", "--quiet", *step, *task, "--chdir=/", "/bin/sh", "-c", _REMOVED, "sh", str(folder)]
    return Call(words, _WITHIN)
