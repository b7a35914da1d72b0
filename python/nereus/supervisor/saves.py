# SPDX-License-Identifier: BSD-3-Clause
"""Epochs of a job, as its supervisor knows them: what the job has saved, and what it is asked to save."""

from collections.abc import Callable
from typing import Any

from nereus.supervisor import messages
from nereus.supervisor.request_server import NOT_OPENED, RequestServer

#: Is told why no epoch was saved.
Failed = Callable[[str], None]


class Saves:
    """Of one job."""

    def __init__(self, server: Callable[[], RequestServer]) -> None:
        """`server`: who hands requests on to the job's root."""
        self._server = server
        #: The latest that was saved.
        self.latest: messages.Saved | None = None

    @property
    def stopped(self) -> bool:
        """Whether the job ended, or is about to, in order to be continued from the latest epoch."""
        return self.latest is not None and self.latest.stops

    def follow(self, message: messages.Saved) -> None:
        """The job has saved one, or could not."""
        if message.code == 0:
            self.latest = message

    def stop(self, failed: Failed) -> None:
        """Have the job save an epoch and end; `failed` is called later where it goes on instead."""
        server = self._server()
        if not server.is_open:
            return failed(NOT_OPENED)

        def told(code: int, text: str, report: dict[str, Any] | None) -> None:
            if code != 0:
                failed(text)

        server.ask(messages.AskSave(kind="save", stops=True), told)
        return None
