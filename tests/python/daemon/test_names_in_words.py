# SPDX-License-Identifier: BSD-3-Clause
"""A reason that speaks of another job calls it as the list of jobs does, not by a key that nobody knows."""

from collections.abc import Mapping
from typing import Any

import pytest

from nereus.daemon import client, named_events

WAVES, GONE = "a43b975a947ee0e8", "282c37ab7917f694"


def test_reasons_have_the_names_of_other_jobs_that_run(monkeypatch: pytest.MonkeyPatch) -> None:
    events = [
        {"number": 1, "job": GONE, "event": "decided", "why": f"would meet that of {WAVES} by 0.3 s"},
        {"number": 2, "job": WAVES, "event": "note", "text": f"{GONE} ended, not {WAVES}", "epoch": 7},
        {"number": 3, "job": WAVES, "event": "came", "command": [WAVES], "why": None},
    ]

    def ask(question: Mapping[str, Any]) -> dict[str, Any]:
        assert question == {"kind": "events", "since": 0}
        return {"events": events, "last": 3}

    monkeypatch.setattr(client, "job_names", lambda: {WAVES: "waves"})
    decided, noted, came = named_events(0, ask)["events"]
    assert (decided["name"], decided["why"]) == (None, "would meet that of waves by 0.3 s")
    assert noted == {**events[1], "name": "waves", "text": f"{GONE} ended, not waves"}
    assert came == {**events[2], "name": "waves"}
