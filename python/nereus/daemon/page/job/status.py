# SPDX-License-Identifier: BSD-3-Clause
"""How one job stands, as its supervisor says; and whether that has ended, or only says nothing."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from nereus.analysis.report.events import Count, Ranks, Strict
from nereus.supervisor import NoAnswer, ask
from nereus.supervisor.asking import Where

ANSWERED_WITHIN = 2.0
#: As nereus.supervisor.ask.
AskJob = Callable[[Where, Mapping[str, Any], float], dict[str, Any]]


class Status(Strict):
    """The keys that the page shows (docs/formats/link.md)."""

    job: str
    name: str | None = None
    continues: str | None = None
    recovers: bool = False
    command: list[str]
    mpi: str
    host: str
    pid: Count
    started_unix: float
    ranks: Ranks
    generation: Count
    hosts: list[str]
    state: str
    resizes: Count


class JobStatus:
    """Asks again and again."""

    def __init__(self, where: Where, ask: AskJob = ask, latest: Status | None = None) -> None:
        self._where, self._ask = where, ask
        #: The latest that was told.
        self.latest = latest
        #: Why nothing is told; "" while it is.
        self.why = ""
        #: The supervisor is gone for good, as it is when its job has ended.
        self.has_ended = False
        self._was_killed = False

    def look(self) -> Status | None:
        """None where nothing is told now."""
        if self.has_ended:
            return None
        try:
            answer = self._ask(self._where, {"kind": "status"}, ANSWERED_WITHIN)
            self.latest = Status.model_validate(answer)
        except NoAnswer as problem:
            self._note(problem)
            return None
        except ValidationError:
            self.why = "its supervisor's answer cannot be read"
            return None
        self.why, self._was_killed = "", False
        return self.latest

    def _note(self, problem: NoAnswer) -> None:
        """Who ends in order removes the control socket; who was killed leaves it."""
        self.why = str(problem)
        if not problem.refused or not isinstance(self._where, Path):
            return
        self._was_killed = self._was_killed or self._where.exists()
        if self._was_killed:
            self.why = "its supervisor was killed, or has no control socket any more"
        else:
            self.why, self.has_ended = "", True
