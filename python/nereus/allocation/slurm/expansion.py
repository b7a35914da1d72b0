# SPDX-License-Identifier: BSD-3-Clause
"""A job whose hosts become those of the job that we run in (Slurm's FAQ, "job size").

It is submitted with the dependency "expand", gives its hosts away as soon as it has them, and is over.
"""

from collections.abc import Sequence

from nereus.allocation.slurm.salloc import Granted, Salloc

# If its hosts were not given away, Slurm says nothing and takes them back: so the other job is looked at.
# The first update of a job may come too early ("the DB index is being set").
_GIVEN_AWAY = """\
parent=$1
hosts=$(scontrol show hostnames "$SLURM_JOB_NODELIST") || exit 1
tries=0
until why=$(scontrol -Q update JobId="$SLURM_JOB_ID" NumNodes=0 2>&1); do
    tries=$((tries + 1))
    if [ "$tries" -ge 20 ]; then echo "error: $why" >&2; exit 1; fi
    sleep 0.2
done
list=$(squeue --noheader --jobs "$parent" --format=%N) || exit 1
has=$(scontrol show hostnames "$list") || exit 1
for host in $hosts; do
    if ! printf '%s\\n' "$has" | grep -qxF "$host"; then
        echo "error: $host did not become a host of the job $parent" >&2
        exit 1
    fi
done
echo "$parent" "$SLURM_JOB_CPUS_PER_NODE" $hosts"""


class Expansion(Salloc):
    """Of the job `parent`."""

    def __init__(self, parent: int, name: str, options: Sequence[str]) -> None:
        dependency = f"--dependency=expand:{parent}"
        super().__init__(name, [*options, dependency], [_GIVEN_AWAY, "sh", str(parent)])
        #: Whether it was told to end before it was known that the other job has its hosts.
        self.may_have_expanded = False

    @property
    def granted(self) -> Granted | None:
        if self._granted is None:
            self._granted = self._read_granted()
        return self._granted

    def release(self) -> None:
        self.may_have_expanded = self.granted is None
        super().release()

    @property
    def ended(self) -> str | None:
        if self.is_over and self.granted is None:
            return self._output.reason or "it was not granted"
        return None
