# SPDX-License-Identifier: BSD-3-Clause
"""Somebody sets the clock while a job is resized: job, supervisor and daemon go on, and no duration is wrong.

The clock of all of them is programs/clock_jumps.c.
"""

import struct
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from faulty_application import Application, running
from test_daemon import PATIENT, daemon, job, said

from conftest import LIMIT, Site, wait_until

HOUR = 3600
#: Longer than anything in these tests takes, and much shorter than a jump.
LONG = 600.0
UNKNOWN = -1
MESSAGES: Any = {"NEREUS_MEMORY": "private", "NEREUS_TRANSFER_METHOD": "p2p"}


class Clock:
    """The time of day of all that runs in a site."""

    def __init__(self, site: Site, mpi: str) -> None:
        """Right, at first."""
        self._file = site.folder / "clock"
        self._ahead = 0
        self.jump(0)
        library = site.program(mpi, "resizable").parent / "libclock-jumps.so"
        site.environment |= {"LD_PRELOAD": str(library), "NEREUS_TEST_CLOCK_FILE": str(self._file)}

    def jump(self, seconds: int) -> None:
        """From now on it is so much later, or earlier."""
        self._ahead += seconds
        with self._file.open("r+b" if self._file.exists() else "wb") as file:
            file.write(struct.pack("q", self._ahead))


def resizes_while_the_clock_jumps(application: Application, clock: Clock, ranks: int, seconds: int) -> Any:
    """The answer about a resize whose newcomers hold their data's arrival until the clock has jumped."""
    go = application.folder / "go"
    go.unlink(missing_ok=True)
    application.let_newcomers("holding")
    held = application.marks("holding")
    with ThreadPoolExecutor(1) as other:
        answer = other.submit(application.resize, ranks)
        application.wait(lambda: application.marks("holding") > held)
        clock.jump(seconds)
        go.touch()
        return answer.result()


def durations(report: dict[str, Any]) -> dict[str, float]:
    """All that are in a report about a resize."""
    return {name: value for name, value in report.items() if name.endswith("seconds") and value != UNKNOWN}


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
def test_clock_jump_affects_neither_resize_nor_its_durations(site: Site, mpich: str, jump: int) -> None:
    clock = Clock(site, mpich)
    with running(site, mpich, **MESSAGES) as application:
        answer = resizes_while_the_clock_jumps(application, clock, 3, jump)
        assert answer["name"] == "NEREUS_RESIZED", answer
        found = durations(answer["report"])
        assert found
        assert all(0 <= seconds < LONG for seconds in found.values()), found
        application.must_resize_to(1)
        application.must_end_well()


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
def test_clock_jump_affects_neither_turns_nor_their_durations(site: Site, mpich: str, jump: int) -> None:
    clock = Clock(site, mpich)
    with (
        daemon(site, "--policy", "blocking") as run,
        site.started(*job(site, mpich, "40", "20", "5", "50"), **PATIENT) as process,
    ):
        wait_until(lambda: run.events_of("wrote") != [])
        clock.jump(jump)
        out, err = process.communicate(timeout=LIMIT)
        assert process.returncode == 0, err
        assert [code for _, code, _ in said(out, "io")] == ["NEREUS_OK"] * 8
        wait_until(lambda: run.events_of("ended") != [])
        wrote = run.events_of("wrote")
        assert len(wrote) == 8
        assert all(0 <= each["wait_seconds"] < LONG for each in wrote), wrote
        assert all(0 <= each["service_seconds"] < LONG for each in wrote), wrote
        times = [each["time_unix"] for each in run.events]
        assert times == sorted(times)
        assert times[-1] - times[0] < LONG
