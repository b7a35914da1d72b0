# SPDX-License-Identifier: BSD-3-Clause
"""What FTIO (Tarraf et al. 2024), where it is installed, says of the period of a job's I/O.

For programs that do not write every so many iterations: it looks for a frequency in the bandwidth over time,
and may say that there is none. Ours foretells phases by iterations (nereus.policy.prediction).
"""

import contextlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nereus.daemon.error import DaemonError

_SAMPLES_IN_A_PHASE = 4  # of the shortest
_MOST_SAMPLES = 200_000  # of all time: a transform of them takes seconds
#: Fewer phases have no period.
LEAST_PHASES = 3


@dataclass(frozen=True)
class Opinion:
    """`period`: None where there is none; `confidence`: 0 to 1, as FTIO has it."""

    period: float | None
    confidence: float


def opinion(phases: Sequence[Mapping[str, Any]]) -> Opinion:
    """Of events `wrote` of one job, the oldest first. DaemonError without FTIO, or with too few."""
    if len(phases) < LEAST_PHASES:
        raise DaemonError(f"{len(phases)} I/O phases: a period needs at least {LEAST_PHASES}")
    try:
        from ftio.cli.ftio_core import core
        from ftio.parse.args import parse_args
    except ImportError:
        raise DaemonError("FTIO is not installed; pip install ftio-hpc installs it") from None
    times, rates = bandwidth(phases)
    options = ["-e", "no", "-f", f"{_frequency(times):g}"]
    with contextlib.redirect_stdout(io.StringIO()):  # it talks
        found, _ = core(
            {"time": times, "bandwidth": rates, "total_bytes": 0, "ranks": 1}, parse_args(options, "ftio")
        )
    if len(found.dominant_freq) == 0:
        return Opinion(None, 0.0)
    best = int(np.argmax(found.conf))
    return Opinion(float(1 / found.dominant_freq[best]), float(found.conf[best]))


def bandwidth(phases: Sequence[Mapping[str, Any]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bytes a second from each time on, s since the first phase; without the time that a job waited.

    Phases of which the bytes are not known are as large as the others, a byte.
    """
    times, rates, waited = [], [], 0.0
    first = phases[0]["start_unix"]
    for each in phases:
        begin = each["start_unix"] - first - waited
        service = max(each["service_seconds"], 1e-6)
        waited += each["wait_seconds"]
        times += [begin, begin + service]
        rates += [max(each["bytes"], 1) / service, 0.0]
    return np.array(times), np.array(rates)


def _frequency(times: NDArray[np.float64]) -> float:
    """Samples a second."""
    shortest = float(np.min(times[1::2] - times[::2]))
    return min(_SAMPLES_IN_A_PHASE / shortest, _MOST_SAMPLES / max(float(times[-1]), 1.0))
