# SPDX-License-Identifier: BSD-3-Clause
"""A program is asked to save by a signal that none of its ranks dies of."""

import sys
import time
from pathlib import Path
from signal import SIGTERM, Signals

import pytest

from nereus.adapters.adapter import Save
from nereus.adapters.saving_program import SavingProgram
from nereus.launch import processes
from nereus.launch.command import Command

LIMIT = 30.0
# Every rank ends as soon as one has caught the signal, and catches it no more from then on.
RANK = """\
import pathlib, signal, sys, time
caught, over = [], pathlib.Path("over")
signal.signal(signal.SIGTERM, lambda number, frame: caught.append(number))
pathlib.Path("begun-" + sys.argv[1]).touch()
while not caught and not over.exists():
    time.sleep(0.01)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
pathlib.Path("state").write_text("saved")
over.touch()
time.sleep(0.5)
"""
LAUNCHER = """for rank in 0 1 2; do PMI_RANK=$rank "$1" -c "$2" $rank & all="$all $!"; done
code=0; for one in $all; do wait $one || code=$?; done; exit $code
"""


def test_ranks_that_end_as_others_are_signalled_do_not_die_of_the_signal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    send = processes.send

    def slowly(process: processes.Process, number: Signals) -> None:
        send(process, number)
        time.sleep(0.2 if number == SIGTERM else 0)

    monkeypatch.setattr(processes, "send", slowly)
    command = Command(["/bin/sh", "-c", LAUNCHER, "sh", sys.executable, RANK])
    program = SavingProgram(Save(signal="TERM", files=["state"]), command, ranks_here=3)
    deadline = time.monotonic() + LIMIT
    try:
        while len(list(tmp_path.glob("begun-*"))) < 3:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        program.ask()
        while program.is_running():
            assert time.monotonic() < deadline
            program.attend(0.05)
        assert (program.outcome().good, program.saved().problem) == (True, ""), program.outcome()
        assert not program.ended_by_itself()
    finally:
        program.close()
