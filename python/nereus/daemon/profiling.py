# SPDX-License-Identifier: BSD-3-Clause
"""Times one job on several numbers of ranks, under a daemon of its own, for the daemon's store.

The paper's off-line data base (Singh and Carretero 2019, section 4.1).
"""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import Any, Self

from nereus.daemon.client import ask_daemon
from nereus.daemon.daemon import Daemon, Settings
from nereus.daemon.error import DaemonError
from nereus.daemon.places import own_name
from nereus.daemon.store import Store
from nereus.policy.decisions import Decision, State
from nereus.policy.parameters import Parameters
from nereus.policy.performance import Curve, Measured, fit
from nereus.policy.sweep import Sweep
from nereus.supervisor import Job

_ATTEND_SECONDS = 0.02


class _Watched(Sweep):
    """Tells whether it has come to its end."""

    swept = False

    def decide(self, state: State, parameters: Parameters) -> Sequence[Decision]:
        found = super().decide(state, parameters)
        self.swept = all(self.is_swept(job, parameters) for job in state.jobs)
        return found


class Profiler:
    """Use it in a `with` statement, in which jobs of this process find its daemon and no other."""

    def __init__(self, sizes: Sequence[int], samples: int) -> None:
        """`samples`: times of each size; one is of about a second."""
        self._policy = _Watched(sizes=sizes)
        self._sizes, self._samples = sizes, samples
        self.measured: Sequence[Measured] = ()
        self._cores = max(sizes)

    def __enter__(self) -> Self:
        self._folder = Path(tempfile.mkdtemp(prefix="nereus-"))
        self._runtime = os.environ.get("XDG_RUNTIME_DIR")
        os.environ["XDG_RUNTIME_DIR"] = str(self._folder)
        settings = Settings(
            self._policy,
            "profile",
            {own_name(): self._cores},
            self._folder / "store.sqlite",
            Parameters(enough_times=self._samples),
        )
        try:
            self._daemon = Daemon(settings)
        except BaseException:
            self._restore()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._daemon.close()
        self._restore()

    @property
    def environment(self) -> dict[str, str]:
        """By which the job finds the daemon."""
        return {"NEREUS_CONTROLLER": f"ipc://{self._daemon.line}"}

    @property
    def is_over(self) -> bool:
        return self._policy.swept

    @property
    def output(self) -> Path:
        """For what the job writes."""
        return self._folder / "output"

    def turn(self) -> None:
        self._daemon.turn()
        for known in self._daemon.state.coordinator.jobs.values():
            self.measured = known.times

    def follow(self, job: Job, stopped: Callable[[], bool]) -> Iterator[dict[int, int]]:
        """Until all are timed, the job ends, or somebody stops it; of each size, how often it was timed."""
        while job.running() and not stopped() and not self.is_over:
            self.turn()
            job.attend(_ATTEND_SECONDS)
            times = self.times()
            yield {size: min(self._samples, len(times.get(size, ()))) for size in self._sizes}

    def times(self) -> dict[int, list[float]]:
        """Seconds of an iteration without I/O on each number of ranks, the least first."""
        found: dict[int, list[float]] = {}
        for each in self.measured:
            found.setdefault(each.ranks, []).append(each.seconds)
        return dict(sorted(found.items()))

    def _restore(self) -> None:
        if self._runtime is None:
            del os.environ["XDG_RUNTIME_DIR"]
        else:
            os.environ["XDG_RUNTIME_DIR"] = self._runtime
        shutil.rmtree(self._folder, ignore_errors=True)


def document(
    program: Sequence[str], times: Mapping[int, Sequence[float]], measured: Sequence[Measured]
) -> dict[str, Any]:
    """What `nereus profile --json` prints: times on each number of ranks, and the model that fits them."""
    model = fit(measured)
    sizes = [
        {
            "ranks": ranks,
            "samples": len(each),
            "seconds": median(each),
            "least_seconds": min(each),
            "greatest_seconds": max(each),
            "model_seconds": model.seconds(ranks),
        }
        for ranks, each in times.items()
    ]
    curve = isinstance(model, Curve)
    terms = {name: getattr(model, name) for name in ("fixed", "divided", "per_rank")} if curve else None
    return {"program": list(program), "sizes": sizes, "model": {"curve": terms, "error": model.error}}


def save(command: Sequence[str], job: str, measured: Sequence[Measured], path: Path) -> None:
    """For jobs to come: through the daemon that has that store, or into the file.

    DaemonError where neither can be.
    """
    if _daemons_store() == path:
        times = [{"ranks": each.ranks, "seconds": each.seconds} for each in measured]
        ask_daemon({"kind": "learn", "job": job, "command": list(command), "times": times})
        return
    store = Store(path)
    try:
        for each in measured:
            store.learnt(command, job, each.ranks, each.seconds, time.time())
        if not store.commit(time.time()):
            raise DaemonError(f"--store = {path}: {store.trouble}")
    finally:
        store.close()


def _daemons_store() -> Path | None:
    try:
        return Path(ask_daemon({"kind": "status"})["store"])
    except DaemonError:
        return None
