# SPDX-License-Identifier: BSD-3-Clause
"""What it costs a program to be saved where nothing fails: its time without epochs, and with, in turns."""

import json
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nereus.bench.logged_job import TrialError
from nereus.bench.paired import Paired
from nereus.launch.builds import Build

#: By their names here: programs with a fixed number of iterations, which say how long they took. `{}` is the
#: number of iterations.
PROGRAMS = {
    "cg": ("nereus-cg", "--poisson", "100", "--tolerance", "0", "--iterations", "{}"),
    "halo": ("nereus-halo", "--rows", "1000", "--columns", "1000", "--tolerance", "0", "--iterations", "{}"),
}
#: What is added to `nereus run`: a place for epochs, on request only; epochs as often as costs little, on
#: disk and in memory. FOLDER is one of the run's own.
OFF = ("--save", "FOLDER")
ON = (*OFF, "--save-every", "auto")
PROTECTED = ("--protect", "memory")
_FEWEST, _MOST = 50, 10**9  # iterations of a run


@dataclass(frozen=True)
class SavingCosts:
    """`command`: of nereus; `seconds`: how long a run is to take, about."""

    command: Sequence[str]
    build: Build
    ranks: int
    folder: Path
    seconds: float
    stopped: Callable[[], bool]

    def pairs(
        self, program: str, options: Sequence[str], count: int, advance: Callable[[str], None]
    ) -> Paired:
        """As many as could be made before we were stopped; the order changes from pair to pair."""
        without: list[float] = []
        with_it: list[float] = []
        iterations = self._iterations(program)
        for number in range(count):
            pair: dict[bool, float] = {}
            for is_saved in (False, True) if number % 2 == 0 else (True, False):
                pair[is_saved] = self._run(program, iterations, options if is_saved else None)
            if self.stopped():
                break
            without.append(pair[False])
            with_it.append(pair[True])
            advance(program)
        return Paired(without, with_it)

    def _iterations(self, program: str) -> int:
        """With which a run takes that long, or as long as it can: CG ends where nothing is left to be done.

        A short run tells little: programs need time to begin, too.
        """
        asked = _FEWEST
        made, taken = self._made(program, asked, None)
        while taken < self.seconds / 4 and made == asked:
            asked *= 4
            made, taken = self._made(program, asked, None)
        most = made if made < asked else _MOST
        return min(most, max(_FEWEST, round(made * self.seconds / taken)))

    def _run(self, program: str, iterations: int, options: Sequence[str] | None) -> float:
        return self._made(program, iterations, options)[1]

    def _made(self, program: str, iterations: int, options: Sequence[str] | None) -> tuple[int, float]:
        """Iterations and seconds, as the program says; `options`: None where it is not saved."""
        with tempfile.TemporaryDirectory(prefix="nereus-bench-", dir=self.folder) as name:
            saving = [word.replace("FOLDER", str(Path(name) / "saved")) for word in options or ()]
            words = [word.format(iterations) for word in PROGRAMS[program]]
            run = ["run", "--quiet", "--mpi", self.build.name, "-n", str(self.ranks), *saving, "--", *words]
            done = subprocess.run(
                [*self.command, *run], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
            )
        if done.returncode:
            last = (done.stderr.strip().split("\n") or [""])[-1]
            raise TrialError(f"{words[0]} failed with exit code {done.returncode}: {last}")
        said = json.loads(done.stdout)
        return int(said["iterations"]), float(said["seconds"])
