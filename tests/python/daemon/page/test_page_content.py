# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: what the daemon knows, whole and in words, also after it was away."""

import json
import signal
import subprocess
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from a_name import called
from a_page import LIMIT, A, House, Served, Told, history, received
from commands import COMMAND

from nereus.daemon.page import source as source_module
from nereus.daemon.page.sentences import reason, sentence
from nereus.daemon.page.source import Source

Serve = Callable[..., Served]


def test_jobs_are_listed_with_decisions_and_reasons(house: House, served: Serve) -> None:
    house.begin("--policy", "fair")
    with house.job("one", command=["./cg", "<b>"]) as job, called(job.name, "cg-1"):
        told = received(job, "resize")
        job.ask(1)
        job.wrote(1, received(job, "grant")["epoch"], service_seconds=2)
        received(job, "noted")
        found = served(Source()).look()
    (known,) = found["status"]["jobs"]
    assert (known["command"], found["status"]["policy"]) == (["./cg", "<b>"], "fair")
    by_kind = {event["event"]: event for event in found["events"]}
    assert (known["name"], by_kind["came"]["name"]) == ("cg-1", "cg-1")
    assert {"came", "asked", "granted", "wrote"} <= by_kind.keys()
    decided = by_kind["decided"]
    assert decided["sentence"].startswith(f"will be resized from 1 to {told['ranks']} ranks")
    assert decided["reason"] == f"fair: {decided['why']}" and decided["decision"]
    assert by_kind["wrote"]["sentence"] == "wrote 100 B in 2.00 s after 500 ms of waiting"
    assert found["last"] == found["events"][-1]["number"] == len(found["events"])


def test_missing_daemon_is_reported_and_followed_when_it_returns(house: House, served: Serve) -> None:
    page = served(Source())
    assert "nereus daemon starts one" in page.look()["why"]
    house.begin()
    with house.job("one"):
        before = page.look()
        house.end(signal.SIGKILL)
        gone = page.look(before["last"])
        assert not gone["there"] and not gone["runs"] and "no daemon" in gone["why"]
        house.begin()
    back = page.look(before["last"])
    assert back["there"] and back["status"]["store"] == before["status"]["store"]
    assert back["since"] == before["last"] <= back["last"]
    assert [job["job"] for job in back["status"]["jobs"]] == [job["job"] for job in before["status"]["jobs"]]


def test_page_opened_late_starts_with_the_latest_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_module, "FIRST_EVENTS", 4)
    asked = Source(Told(history()).ask)
    found = asked.look(None)
    assert (found["since"], [event["number"] for event in found["events"]]) == (6, [7, 8, 9, 10])
    assert asked.look(10)["events"] == []


def test_all_jobs_are_listed_from_several_answers() -> None:
    def ask(question: Mapping[str, Any]) -> dict[str, Any]:
        if question["kind"] == "events":
            return {"events": [], "last": 0}
        start = question.get("from", 0)
        return {"jobs": [{"job": start}, {"job": start + 1}], "jobs_left": 4 - start, "last_event": 0}

    assert [job["job"] for job in Source(ask).look(None)["status"]["jobs"]] == [0, 1, 2, 3, 4, 5]


def event(kind: str, **about: Any) -> dict[str, Any]:
    return {"number": 1, "time_unix": 0.0, "job": A, "event": kind, **about}


@pytest.mark.parametrize(
    ("told", "text", "why"),
    [
        (event("came", ranks=1), "came with 1 rank", ""),
        (event("granted", phase=3, epoch=1, again=True), "still has the turn for I/O phase 3", ""),
        (
            event("turn_lost", phase=3, epoch=1),
            "lost the turn for I/O phase 3: it sent no message for too long",
            "",
        ),
        (
            event("resized", before=2, ranks=4, iteration=9, seconds=None, by="job"),
            "went from 2 to 4 ranks at iteration 9",
            "the job itself",
        ),
        (
            event("decided", before=4, ranks=1, at=None, gives_back=True, why="a job came", by="fair"),
            "will be resized back to 1 rank as soon as it can",
            "fair: a job came",
        ),
        (
            event("cancelled", command=7, why="it ended", by="fair"),
            "command 7 was cancelled",
            None,
        ),
        (event("reserved", places={"n1": 2, "n2": 1}), "may start on n1:2, n2:1", ""),
        (event("reservation_dropped"), "did not start: its cores are free again", ""),
        (event("ended", why="silent", ranks=2, iteration=3), None, ""),
        (event("trouble", text="the disk is full"), "the disk is full", ""),
        (event("of_tomorrow", what=1), "of_tomorrow what=1", ""),
    ],
)
def test_each_event_has_a_sentence_and_a_reason(
    told: dict[str, Any], text: str | None, why: str | None
) -> None:
    assert text is None or sentence(told) == text
    assert why is None or reason(told) == why


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_command_prints_the_address_and_exits_cleanly(house: House, by: int) -> None:
    command = [*COMMAND, "page", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["address"]
        assert address.startswith("http://127.0.0.1:") and len(address.split("/")[3]) >= 32
        process.send_signal(by)
        _, err = process.communicate(timeout=LIMIT)
    assert (process.returncode, err) == (0, "")


@pytest.mark.parametrize("ignored", [signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("words", [("page", "--json"), ("daemon", "--store", "store.sqlite")])
def test_signals_ignored_at_start_stay_ignored(
    house: House, tmp_path: Path, words: tuple[str, ...], ignored: signal.Signals
) -> None:
    """As a hang-up is under nohup, and Ctrl-C in the background of a shell."""
    # `trap ''` ignores for whatever is started from there.
    ignoring = ["sh", "-c", f"trap '' {ignored.name.removeprefix('SIG')}; exec \"$@\"", "sh"]
    with subprocess.Popen(
        [*ignoring, *COMMAND, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        if words[0] == "page":
            assert process.stdout is not None
            with urllib.request.urlopen(
                json.loads(process.stdout.readline())["address"], timeout=LIMIT
            ) as answer:
                assert answer.status == 200
        else:
            assert process.stderr is not None and process.stderr.readline()
        status = Path(f"/proc/{process.pid}/status").read_text()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LIMIT)
    (mask,) = (line.split()[1] for line in status.splitlines() if line.startswith("SigIgn:"))
    assert int(mask, 16) >> (ignored - 1) & 1
    assert process.returncode == 0
    assert not house.control_sockets.exists()
