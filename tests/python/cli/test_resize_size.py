# SPDX-License-Identifier: BSD-3-Clause
"""What the words of `nereus resize` ask a job for, and which words are refused."""

import pytest

from nereus.cli.messages import Refused
from nereus.cli.resize_size import WantedSize, wanted_size
from nereus.supervisor.messages import AskHosts, AskResize, read_from_client

MOST = 2**31 - 1


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("3", None, None), WantedSize(3)),
        ((str(MOST), None, None), WantedSize(MOST)),
        (("+1node", None, None), WantedSize(change="grow", count=1)),
        (("+2nodes", None, None), WantedSize(change="grow", count=2)),
        (("+1host", None, None), WantedSize(change="grow", count=1)),
        (("+999999hosts", None, None), WantedSize(change="grow", count=999_999)),
        ((None, "n3", None), WantedSize(change="grow", names=("n3",))),
        (("8", "n3,n4", None), WantedSize(8, "grow", names=("n3", "n4"))),
        ((None, None, "2"), WantedSize(change="release", count=2)),
        (("1", None, "2"), WantedSize(1, "release", count=2)),
        ((None, None, "n2,n3"), WantedSize(change="release", names=("n2", "n3"))),
        ((None, None, "10.0.0.1"), WantedSize(change="release", names=("10.0.0.1",))),
    ],
)
def test_words_ask_for_a_size(words: tuple[str | None, str | None, str | None], expected: WantedSize) -> None:
    assert wanted_size(*words) == expected


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((None, None, None), "one of them is needed"),
        (("0", None, None), "RANKS = 0: allowed is 1 .. 2147483647"),
        (("-1", None, None), "RANKS = -1"),
        (("²", None, None), "RANKS = ²"),
        (("many", None, None), "RANKS = many"),
        (("", None, None), "RANKS = :"),
        ((str(MOST + 1), None, None), f"RANKS = {MOST + 1}"),
        (("9" * 5000, None, None), "RANKS = 999"),
        (("+2", None, None), r"RANKS = \+2"),
        (("+0nodes", None, None), r"RANKS = \+0nodes"),
        (("+1000000nodes", None, None), r"RANKS = \+1000000nodes"),
        (("+2nodes ", None, None), r"RANKS = \+2nodes"),
        (("+2nodes", "n3", None), "only one of them is allowed"),
        (("+2nodes", None, "n3"), "only one of them is allowed"),
        ((None, "n3", "n4"), "only one of them is allowed"),
        (("0", "n3", None), "RANKS = 0"),
        ((None, "", None), "--grow-to = : an empty name is no name of a host; allowed is NAME,..."),
        ((None, "n3,", None), "--grow-to = n3,: an empty name"),
        ((None, "n3:2", None), "--grow-to = n3:2: n3:2 is no name"),
        ((None, "n3;rm", None), "--grow-to = n3;rm: n3;rm is no name"),
        ((None, "n3,n4,n3", None), "--grow-to = n3,n4,n3: n3 is there twice"),
        ((None, None, ""), "--release = : an empty name"),
        ((None, None, "-1"), "--release = -1: -1 is no name"),
        ((None, None, "n2,n2"), "--release = n2,n2: n2 is there twice"),
    ],
)
def test_words_that_ask_for_no_size_are_refused(
    words: tuple[str | None, str | None, str | None], why: str
) -> None:
    with pytest.raises(Refused, match=why) as refused:
        wanted_size(*words)
    assert "\n" not in str(refused.value)


def test_number_of_processes_is_a_question_for_a_resize() -> None:
    wanted = WantedSize(3)
    asked = read_from_client(wanted.question(60.0))
    assert isinstance(asked, AskResize)
    assert (asked.ranks, wanted.hosts) == (3, False)


@pytest.mark.parametrize("words", [("+2nodes", None, None), ("3", "n3", None), (None, None, "n3")])
def test_hosts_are_a_question_that_is_answered_before_nobody_waits_any_more(
    words: tuple[str | None, str | None, str | None],
) -> None:
    wanted = wanted_size(*words)
    asked = read_from_client(wanted.question(60.0))
    assert isinstance(asked, AskHosts)
    assert (asked.change, asked.count, tuple(asked.names)) == (wanted.change, wanted.count, wanted.names)
    assert (asked.ranks, wanted.hosts) == (wanted.ranks, True)
    assert asked.patience is not None and 0 < asked.patience < 60.0
