# SPDX-License-Identifier: BSD-3-Clause
"""Of all who speak with a supervisor, one connection at a time is the job's root."""

import json
from typing import Any

import pytest

from nereus.supervisor import roles
from nereus.supervisor.messages import FromJob, read_from_job
from nereus.supervisor.roles import MOST_WAITING, MOST_WORDS, Roles

JOB = "0123456789abcdef"
OLD, NEW, OTHER, LEADER = b"old", b"new", b"other", b"leader"


def said(kind: str, **keys: Any) -> FromJob:
    """A message as it is read."""
    usual: dict[str, dict[str, Any]] = {
        "root": {"generation": 0, "ranks": 1, "hosts": ["h"]},
        "make": {"request": 1, "parties": [{"party": 0, "shares": [{"host": "", "ranks": 1}]}]},
        "hello": {"request": 1, "party": 0, "hello": {}},
        "settled": {"request": 1, "code": 1, "message": ""},
        "members": {"processes": [{"pid": 1, "started": 1}], "hosts": ["h"], "generation": 0},
        "connecting": {"request": 1, "port": "p", "seconds": 1},
        "connected": {"request": 1},
        "orders": {"request": 1, "party": 0, "orders": {}},
        "answer": {"ticket": 1, "code": 0, "message": "", "request": 1},
    }
    message = {"version": 1, "job": JOB, "kind": kind, **usual.get(kind, {}), **keys}
    read = read_from_job(json.dumps(message).encode(), JOB)
    assert read is not None
    return read


class Receiver:
    """Roles, and what they refused."""

    def __init__(self) -> None:
        self.refused: list[str] = []
        self.roles = Roles(self.refused.append)

    def __call__(self, sender: bytes, kind: str, **keys: Any) -> list[tuple[str, bytes]]:
        """Kinds that count now, and of whom."""
        return [(message.kind, by) for message, by in self.roles.sort(said(kind, **keys), sender)]


@pytest.fixture
def receive() -> Receiver:
    return Receiver()


@pytest.fixture
def opened(receive: Receiver) -> Receiver:
    """A job with a root."""
    assert receive(OLD, "root") == [("root", OLD)]
    return receive


def test_first_process_to_claim_it_is_the_root(receive: Receiver) -> None:
    assert receive(OLD, "make") == []
    assert receive(OLD, "root") == [("root", OLD)]
    assert receive(OLD, "make") == [("make", OLD)]


ROOT_MESSAGES = ["members", "make", "orders", "connecting", "connected", "settled", "answer", "closing"]


@pytest.mark.parametrize("kind", ROOT_MESSAGES)
@pytest.mark.parametrize("is_leader", [True, False])
def test_messages_of_a_root_are_accepted_from_it_only(opened: Receiver, kind: str, is_leader: bool) -> None:
    if is_leader:
        assert opened(LEADER, "hello") == [("hello", LEADER)]
    assert opened(LEADER, kind) == []
    assert opened.refused == [f"`{kind}` of a process that may not send it is refused"]
    assert opened(OLD, kind) == [(kind, OLD)]


def test_newcomer_cannot_become_the_root(opened: Receiver) -> None:
    opened(LEADER, "hello")
    assert opened(LEADER, "root") == []
    assert opened(OLD, "settled", next_root="t") == [("settled", OLD)]
    assert opened(LEADER, "root", token="t") == []
    assert opened(LEADER, "make") == []


def test_root_is_not_a_newcomer(opened: Receiver) -> None:
    assert opened(OLD, "hello") == []


def test_process_named_by_the_root_succeeds_it(opened: Receiver) -> None:
    assert opened(OLD, "settled", next_root="t") == [("settled", OLD)]
    assert opened(OTHER, "root") == []
    assert opened(OTHER, "root", token="u") == []
    assert opened(NEW, "root", token="t") == [("root", NEW)]
    assert opened(NEW, "make") == [("make", NEW)]
    assert opened(OLD, "make") == []


def test_early_messages_of_the_next_root_count_once_it_is_named(opened: Receiver) -> None:
    assert opened(NEW, "root", token="t") == []
    assert opened(NEW, "members") == []
    assert opened(OLD, "members") == [("members", OLD)]
    expected = [("settled", OLD), ("root", NEW), ("members", NEW)]
    assert opened(OLD, "settled", next_root="t") == expected


def test_early_messages_of_a_whole_job_count(opened: Receiver) -> None:
    opened(NEW, "root", token="t")
    opened(NEW, "closing")
    assert opened(OLD, "settled", next_root="t")[1:] == [("root", NEW), ("closing", NEW)]
    assert opened(OTHER, "root") == [("root", OTHER)]


def test_rolled_back_resize_names_no_next_root(opened: Receiver) -> None:
    assert opened(OLD, "settled", code=-7, next_root="t") == [("settled", OLD)]
    assert opened(NEW, "root", token="t") == []
    assert opened(OLD, "make") == [("make", OLD)]


def test_token_counts_once(opened: Receiver) -> None:
    opened(OLD, "settled", next_root="t")
    opened(NEW, "root", token="t")
    assert opened(OTHER, "root", token="t") == []
    assert opened(NEW, "make") == [("make", NEW)]


def test_closed_job_can_be_opened_again_by_another_process(opened: Receiver) -> None:
    assert opened(OLD, "closing") == [("closing", OLD)]
    assert opened(NEW, "root") == [("root", NEW)]


def test_job_reopened_before_its_end_was_received_is_accepted(opened: Receiver) -> None:
    assert opened(NEW, "root") == []
    assert opened(OLD, "closing") == [("closing", OLD), ("root", NEW)]


def test_claim_made_long_before_the_end_is_refused(opened: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(NEW, "root")
    monkeypatch.setattr(roles, "_REOPENED_WITHIN", 0.0)
    assert opened(OLD, "closing") == [("closing", OLD)]


def test_many_root_claims_take_bounded_memory(opened: Receiver) -> None:
    for number in range(10 * MOST_WAITING):
        opened(b"%d" % number, "root", token="x")
    for _ in range(2 * MOST_WORDS):
        opened(b"%d" % (10 * MOST_WAITING - 1), "members")
    assert len(opened.roles._claims) <= MOST_WAITING
    assert max(len(claim.words) for claim in opened.roles._claims.values()) <= MOST_WORDS
    assert opened(OLD, "make") == [("make", OLD)]
