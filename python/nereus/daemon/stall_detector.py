# SPDX-License-Identifier: BSD-3-Clause
"""Whether the daemon has heard what there was to hear: before, it does not say that a job is silent.

It may have stood still, or have been busy, or the whole machine was, and its jobs with it.
"""

#: Between two turns of the loop: for longer it stood still.
_STOOD_STILL_SECONDS = 1.0
#: In which a job that lives is heard.
_HEARTBEATS = 2.0


class StallDetector:
    def __init__(self, heartbeat: float, most: float) -> None:
        """Every so many seconds a job is heard; after `most` of listening the rest is not waited for."""
        self._enough, self._most = _HEARTBEATS * heartbeat, most
        self._last: float | None = None
        self._listens_since: float | None = None

    def is_paid(self, now: float, more: bool) -> bool:
        """In each turn of the loop; `more`: messages are left that have come already."""
        last, self._last = self._last, now
        if self._listens_since is None and last is not None and now - last > _STOOD_STILL_SECONDS:
            self._listens_since = now
        if self._listens_since is None:
            return True
        listened = now - self._listens_since
        if listened < self._enough or (more and listened < self._most):
            return False
        self._listens_since = None
        return True
