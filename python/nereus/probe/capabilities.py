# SPDX-License-Identifier: BSD-3-Clause
"""What an MPI can do, found out by trying it with the program nereus-probe, and remembered.

The answer is kept in the user's cache folder for as long as the build's files do not change.
"""

import contextlib
import json
import math
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from nereus.launch.builds import Build
from nereus.launch.command import command
from nereus.probe.cache import recall, remember
from nereus.probe.surroundings import key_here
from nereus.supervisor.job import Job

# In the order in which the probe tries them; all but `ports` are needed to resize a job.
FEATURES = ("spawn", "merge", "intercommunicator_alltoallv", "ports", "disconnect")
NEEDED = tuple(name for name in FEATURES if name != "ports")
#: Seconds for each trial.
TIME_LIMIT = 10.0
_KIND = "capabilities"
_PROGRAM = "nereus-probe"
# Open MPI 4.1 sometimes hangs while it connects a spawned process; a second trial tells chance from rule.
TRIALS = 2
#: Seconds for what hangs to end by itself before it is killed.
GRACE = 0.5


@dataclass(frozen=True)
class Feature:
    """Whether something works, and why not."""

    works: bool
    reason: str = ""


@dataclass(frozen=True)
class Capabilities:
    """What an MPI can do."""

    library: str
    thread_level: str
    features: Mapping[str, Feature]
    answered: bool = True

    @property
    def obstacle(self) -> str | None:
        """Why malleable jobs cannot run, or None when they can."""
        for name in NEEDED:
            if not self.features[name].works:
                return f"{name}: {self.features[name].reason}"
        return None


def probe(
    build: Build,
    *,
    fresh: bool = False,
    time_limit: float = TIME_LIMIT,
    until: float = math.inf,
    stopped: Callable[[], bool] = lambda: False,
) -> Capabilities:
    """Find out what `build` can do; from the cache unless `fresh`. Ends early when `stopped()` says so.

    `time_limit`: seconds for each trial; `until`: when all of them must be over, by time.monotonic().
    """
    known = None if fresh else _recall(build, time_limit)
    if known is not None:
        return known
    waited = math.inf
    for _ in range(TRIALS):
        limit = min(time_limit, until - time.monotonic())
        if limit <= 0 and waited < math.inf:
            break
        waited = min(waited, limit)
        found = _try(build, limit, stopped)
        if found.answered or stopped():
            break
    if not stopped():
        remember(_KIND, key_here(build), build.files(_PROGRAM), asdict(found), waited)
    return found


def read_answers(text: str, died: str) -> Capabilities:
    """Capabilities out of the probe's lines; what has no line failed because of `died` or was not tried."""
    library, thread_level, features = "unknown", "unknown", dict[str, Feature]()
    for line in text.splitlines():
        with contextlib.suppress(ValueError, KeyError, TypeError):
            answer = json.loads(line)
            if "library" in answer:
                library, thread_level = answer["library"], answer["thread_level"]
            else:
                features[answer["feature"]] = Feature(answer["works"], answer["reason"])
    return Capabilities(library, thread_level, _completed(features, died))


def _completed(features: Mapping[str, Feature], died: str) -> dict[str, Feature]:
    complete: dict[str, Feature] = {}
    reason = died
    for name in FEATURES:
        complete[name] = features.get(name) or Feature(False, reason)
        if not complete[name].works and name in NEEDED and reason == died:
            reason = f"not tried, because {name} does not work"
    return complete


def _try(build: Build, time_limit: float, stopped: Callable[[], bool]) -> Capabilities:
    start = command(build, 1, build.program(_PROGRAM))
    with tempfile.TemporaryDirectory(prefix="nereus-") as folder, Job(start, Path(folder) / "answers") as job:
        deadline = time.monotonic() + time_limit
        while job.running() and time.monotonic() < deadline and not stopped():
            time.sleep(0.02)
        if job.running():
            job.grace = GRACE
            found = read_answers(job.text(), f"the trial did not end within {round(time_limit, 1):g} s")
            return Capabilities(found.library, found.thread_level, found.features, answered=False)
        return read_answers(job.text(), f"the trial failed: {job.outcome().text}")


def _recall(build: Build, patience: float) -> Capabilities | None:
    """What the cache says, or None when it says nothing about the present files."""
    try:
        kept = recall(_KIND, key_here(build), build.files(_PROGRAM), patience)
        if kept is None:
            return None
        features = {name: Feature(**kept["features"][name]) for name in FEATURES}
        return Capabilities(kept["library"], kept["thread_level"], features, kept["answered"] is True)
    except (ValueError, KeyError, TypeError):
        return None
