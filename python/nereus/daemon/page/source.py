# SPDX-License-Identifier: BSD-3-Clause
"""What the page is told at each look: how the daemon stands, and what happened since the last one."""

from collections.abc import Mapping
from typing import Any

from nereus import printable
from nereus.daemon import Ask, DaemonError, NoDaemon, ask_daemon, named_events, whole_status
from nereus.daemon.events import DECISIONS
from nereus.daemon.page.printable_document import printable_document
from nereus.daemon.page.sentences import reason, sentence

Document = dict[str, Any]

#: A page that is opened begins with so many of the latest events.
FIRST_EVENTS = 5000


class Source:
    def __init__(self, ask: Ask = ask_daemon) -> None:
        self._ask = ask

    def look(self, since: int | None) -> Document:
        """Events after `since` as far as one answer goes; None: the latest, from `since` in the answer on.

        `last` is the number of the last event there is: before it there are more to be asked for. `runs`,
        where nothing is answered: whether there is a daemon, which then refused.
        """
        try:
            status = whole_status(self._ask)
            start = max(0, status["last_event"] - FIRST_EVENTS) if since is None else since
            answer = named_events(start, self._ask)
        except DaemonError as problem:
            return {"there": False, "runs": not isinstance(problem, NoDaemon), "why": printable(str(problem))}
        events = [told(event) for event in answer["events"]]
        found = {"status": status, "since": start, "events": events, "last": answer["last"]}
        return {"there": True, **printable_document(found)}


def told(event: Mapping[str, Any]) -> Document:
    """An event with what people are told of it, and whether somebody decided something in it."""
    words = {"sentence": sentence(event), "reason": reason(event)}
    return {**event, **words, "decision": event["event"] in DECISIONS}
