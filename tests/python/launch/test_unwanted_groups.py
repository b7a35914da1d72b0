# SPDX-License-Identifier: BSD-3-Clause
"""Newcomers that nobody wants any more end without a word of their launcher, which would alarm the user."""

import signal
import sys
import time
from pathlib import Path

import pytest

from nereus.launch import Command
from nereus.launch.groups import Group, Groups, ask_to_end

LIMIT = 30.0
# As Hydra does it: who is asked to end tells the user of it. Not by print(): while one is interrupted, no
# other one may begin.
LAUNCHER = """
import os, signal, sys
def told(*_):
    os.write(1, b"BAD TERMINATION\\n")
    sys.exit(143)
signal.signal(signal.SIGTERM, told)
os.write(1, b"up\\n")
signal.pause()
"""


@pytest.fixture
def groups(tmp_path: Path) -> Groups:
    return Groups("job", tmp_path, tmp_path / "output.txt")


def started(groups: Groups, *, dies_silently: bool) -> Group:
    """The second group, which runs and is not part of the job."""
    groups.start(Command(["true"])).launcher.wait(LIMIT)
    group = groups.start(Command([sys.executable, "-c", LAUNCHER], dies_silently=dies_silently))
    deadline = time.monotonic() + LIMIT
    while "up" not in groups.text():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return group


@pytest.mark.parametrize(
    ("dies_silently", "part", "says"), [(True, False, False), (True, True, True), (False, False, True)]
)
def test_only_launchers_of_uncommitted_newcomers_are_killed(
    groups: Groups, dies_silently: bool, part: bool, says: bool
) -> None:
    group = started(groups, dies_silently=dies_silently)
    group.part = part
    ask_to_end(group)
    assert group.launcher.wait(LIMIT) == (143 if says else -signal.SIGKILL)
    assert ("BAD TERMINATION" in groups.text()) == says
    groups.look()


def test_unwanted_group_is_killed_silently(groups: Groups) -> None:
    group = started(groups, dies_silently=True)
    groups.end(group)
    assert group.launcher.wait(LIMIT) == -signal.SIGKILL
    assert groups.text() == "up\n"
    groups.look()
