# SPDX-License-Identifier: BSD-3-Clause
"""A job beside the one that we run in: its hosts are ours for as long as we hold it (decision 0027).

`salloc` ends with the command that it runs, `cat` of the pipe that we hold.
"""

from collections.abc import Sequence

from nereus.allocation.slurm.salloc import Granted, Salloc

_HELD = """\
hosts=$(scontrol show hostnames "$SLURM_JOB_NODELIST") || exit 1
echo "$SLURM_JOB_ID" "$SLURM_JOB_CPUS_PER_NODE" $hosts
exec cat >/dev/null"""


class SecondJob(Salloc):
    def __init__(self, name: str, options: Sequence[str]) -> None:
        super().__init__(name, options, [_HELD])
        self._ended: str | None = None

    @property
    def granted(self) -> Granted | None:
        if self._granted is None and self._ended is None:
            self._granted = self._read_granted()
        return self._granted

    @property
    def ended(self) -> str | None:
        if self._ended is None and self.is_over:
            # Looked at before: it may have been granted and have ended since the last look.
            said = self._output.reason
            self._ended = said or ("Slurm has ended it" if self._granted else "it was not granted")
            self._close_pipe()
        return self._ended
