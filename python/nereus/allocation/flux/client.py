# SPDX-License-Identifier: BSD-3-Clause
"""Commands of Flux: to which instance they talk, what has one repeated, and what it is not to know."""

import os
import time
from collections.abc import Callable, Mapping, Sequence

from nereus.allocation import call
from nereus.allocation.call import LIMIT

# What goes away by itself: an instance that starts again, or a node's broker that comes back.
_TRANSIENT = (
    "Connection refused",
    "Connection reset by peer",
    "Connection timed out",
    "No route to host",
    "Resource temporarily unavailable",
    "Unable to connect to Flux",
    "job-manager: No such service",
)
# What Flux tells the tasks of a job; those that lead to its programs and libraries stay.
_OF_JOB = (
    "FLUX_JOB_",
    "FLUX_TASK_",
    "FLUX_KVS_NAMESPACE",
    "FLUX_TERMINUS_SESSION",
    "FLUX_PROXY_REMOTE",
    "PMI_",
)


class Call(call.Call):
    """One command of Flux under way."""

    def __init__(
        self,
        words: Sequence[str],
        uri: str,
        limit: float = LIMIT,
        environment: Mapping[str, str] = os.environ,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start `flux WORDS`. `uri`: of the instance that is asked."""
        super().__init__(["flux", *words], limit, talking_to(uri, environment), now, goes_away)


def goes_away(complaints: str) -> bool:
    """Whether it is worth trying again."""
    return any(text in complaints for text in _TRANSIENT)


def talking_to(uri: str, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Commands with this environment talk to that instance, and know nothing of the job that we run in."""
    kept = {name: value for name, value in environment.items() if not name.startswith(_OF_JOB)}
    return {**kept, "FLUX_URI": uri}
